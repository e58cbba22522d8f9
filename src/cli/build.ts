// "npm run build": the console in dist/assets/ and the Worker in dist/worker/, as wrangler serves and uploads them, or the one
// that is named. `WORKER_ENTRY` names another file than src/index.ts to make the Worker of, as a recovery does.
// `KEEP_BUILT_SINCE` (milliseconds since 1970) is a running server's: what was built since then goes on being served when the
// sources don't build, or a tool in the code throws as it is loaded, for wrangler answers nobody after that.

import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = resolve(import.meta.dirname, "../..");

const CONSOLE = join(ROOT, "dist/assets/console");
const WORKER = join(ROOT, "dist/worker");

async function buildConsole(): Promise<void> {
  const { bundleConsole } = await import("./console-bundle.ts");
  await bundleConsole(ROOT, CONSOLE);
}

/** Globals of the runtime that Node does not have. */
const RUNTIME_ONLY =
  /^(?:caches|scheduler|HTMLRewriter|WebSocketPair|FixedLengthStream|IdentityTransformStream|ServiceWorkerGlobalScope) /;

/** Throws what the server could not start with: a tool in the code that throws as its module is loaded, or a name that is there twice. */
async function checkTools(): Promise<void> {
  const names = await import(pathToFileURL(join(ROOT, "src/tools/builtin/catalog.ts")).href).then(
    ({ builtinTools }: { builtinTools: { name: string }[] }) => builtinTools.map(({ name }) => name),
    (error: unknown) => {
      if (error instanceof Error && isOfCode(error)) throw new Error(`${placeOf(error)}${error.message}`);
      // All else that its modules need may well be there in the runtime alone.
      return [] as string[];
    },
  );
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two tools are named ${twice}`);
}

/** Whether the code would throw it in the runtime, too: what Node itself throws has a `code`, or is a SyntaxError. */
const isOfCode = (error: Error): boolean =>
  !("code" in error) && !(error instanceof SyntaxError) && !RUNTIME_ONLY.test(error.message);

/** Where a fault that does not name its tool was thrown, such as `src/tools/builtin/tone.ts:14:17: `. */
function placeOf({ message, stack = "" }: Error): string {
  const place = /\/(src\/[^\s()]+:\d+:\d+)/.exec(stack)?.[1];
  return place === undefined || message.startsWith("defineTool: ") ? "" : `${place}: `;
}

async function buildWorker(): Promise<void> {
  if (entry === undefined) await checkTools();
  const { bundleWorker } = await import("./worker-bundle.ts");
  await bundleWorker(resolve(ROOT, entry ?? "src/index.ts"), WORKER);
}

function isKept(): boolean {
  const builtAtMs = statSync(join(WORKER, "index.mjs"), { throwIfNoEntry: false })?.mtimeMs;
  return keptSince !== undefined && builtAtMs !== undefined && builtAtMs >= Number(keptSince);
}

const entry = process.env["WORKER_ENTRY"];
const keptSince = process.env["KEEP_BUILT_SINCE"];
const [only] = process.argv.slice(2);
const isAnew = isKept();
try {
  if (only !== "worker") await buildConsole();
  if (only !== "console") await buildWorker();
  if (isAnew) console.log("Built anew: the server reloads.");
} catch (error) {
  // Where in which file is in the message; the stack is the bundler's.
  console.error(error instanceof Error ? error.message : error);
  if (isKept()) console.error("What was built before goes on being served.");
  else process.exitCode = 1;
}
