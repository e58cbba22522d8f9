// "npm run deploy": from nothing to a working public endpoint, and from there to the next version.

import { reportError } from "./cli-error.ts";
import { DEPLOY_HELP, readDeploySettings } from "./deploy-settings.ts";
import { deploy } from "./deploy-steps.ts";
import { callThrough } from "./smoke-call.ts";
import { runWrangler } from "./wrangler-command.ts";

const say = (line: string): void => console.log(line);

try {
  const settings = readDeploySettings(process.argv.slice(2), process.env);
  if (settings.help) say(DEPLOY_HELP);
  else await deploy(settings, { wrangler: runWrangler, say, smoke: callThrough });
} catch (error) {
  process.exitCode = reportError(error);
}
