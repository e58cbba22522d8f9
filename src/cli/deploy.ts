// "npm run deploy": from nothing to a working public endpoint, and from there to the next version.

import { runDeploy } from "./run-deploy.ts";
import { callThrough } from "./smoke-call.ts";
import { runWrangler } from "./wrangler-command.ts";

const world = { wrangler: runWrangler, say: (line: string): void => console.log(line), smoke: callThrough };
process.exitCode = await runDeploy(process.argv.slice(2), process.env, world, console.error);
