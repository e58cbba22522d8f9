// Owns one command line of "npm run deploy", from its words to its exit code.

import { reportError } from "./cli-error.ts";
import { DEPLOY_HELP, readDeploySettings } from "./deploy-settings.ts";
import { deploy, type DeployWorld } from "./deploy-steps.ts";

/** Runs it and answers with the exit code; errors go to `complain`. */
export async function runDeploy(
  args: string[],
  env: NodeJS.ProcessEnv,
  world: DeployWorld,
  complain: (text: unknown) => void,
): Promise<number> {
  try {
    const settings = readDeploySettings(args, env);
    if (settings.help) world.say(DEPLOY_HELP);
    else await deploy(settings, world);
    return 0;
  } catch (error) {
    return reportError(error, complain);
  }
}
