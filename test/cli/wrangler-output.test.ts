import { expect, it } from "vitest";
import { createLineFilter, faultIn } from "../../src/cli/wrangler-output.ts";

const OUTPUT = `Using secrets defined in .dev.vars
[custom build] Running: npm run --silent build:console
The file src/console/app.tsx changed, restarting build...
Your Worker has access to the following bindings:
Binding                                 Resource                  Mode
env.TOOL_REGISTRY (ToolRegistry)        Durable Object            local
env.ALLOWED_HOSTS ("")                  Environment Variable      local
env.LOADER                              Worker Loader             local

Attaching additional modules:
┌───────────────────┬──────┬───────────┐
│ Name              │ Type │ Size      │
├───────────────────┼──────┼───────────┤
│ app-DteC0tu5.mjs  │ esm  │ 70.79 KiB │
├───────────────────┼──────┼───────────┤
│ Total (1 modules) │      │ 70.79 KiB │
└───────────────────┴──────┴───────────┘
│ what the Worker wrote │
⎔ Starting local server...
[wrangler:info] Ready on http://127.0.0.1:8787
{"level":"info","event":"from the Worker"}
[wrangler:info] POST /mcp 200 OK (50ms)
env.NAME is what the Worker wrote
[wrangler:error] Error: boom
    at Object.fetch (src/index.ts:35:39)
⎔ Reloading local server...

\u001b[33m▲ \u001b[43;33m[\u001b[43;30mWARNING\u001b[43;33m]\u001b[0m \u001b[1ma warning\u001b[0m


🪵  Logs were written to "/somewhere/wrangler.log"`;

it("keeps the Worker's lines and errors, and drops wrangler's own", () => {
  expect(
    OUTPUT.split("\n")
      .map(createLineFilter(false))
      .filter((line) => line !== undefined),
  ).toEqual([
    "│ what the Worker wrote │",
    '{"level":"info","event":"from the Worker"}',
    "env.NAME is what the Worker wrote",
    "[wrangler:error] Error: boom",
    "    at Object.fetch (src/index.ts:35:39)",
    "",
    "▲ [WARNING] a warning",
    "",
  ]);
});

const UNLOADED = `✘ [ERROR] service core:user:toolgate: Uncaught Error: defineTool: x needs a description

    at null.<anonymous> (index.js:1:2) in defineTool

▲ [WARNING] A DurableObjectNamespace in the config referenced the class "ApiKey", but no such Durable Object class is exported.

✘ [ERROR] The Workers runtime failed to start. There was likely a problem with the workerd binary or your configuration.

  Runtime stderr:
  {"timestamp":"1","level":"error","message":"service core:user:toolgate: Uncaught Error"}

If you think this is a bug then please create an issue at https://github.com/cloudflare/workers-sdk/issues/new/choose
Note that there is a newer version of Wrangler available (9.9.9). Consider checking whether upgrading resolves this error.`;

it("shows an error of the Worker's own code alone, and not what follows from it", () => {
  const lines = UNLOADED.split("\n");
  expect(lines.map(createLineFilter(false)).filter((line) => line !== undefined)).toEqual([
    "✘ [ERROR] service core:user:toolgate: Uncaught Error: defineTool: x needs a description",
    "",
    "    at null.<anonymous> (index.js:1:2) in defineTool",
    "",
  ]);
  expect(lines.map(faultIn).filter((fault) => fault !== undefined)).toEqual([
    "Error: defineTool: x needs a description",
  ]);
});

it("keeps the runtime's own words where the code is not at fault", () => {
  const line = "✘ [ERROR] The Workers runtime failed to start. Permission denied.";
  expect(createLineFilter(false)(line)).toBe(line);
});

it("keeps colours for a terminal", () => {
  expect(createLineFilter(true)("\u001b[1mbold\u001b[0m")).toBe("\u001b[1mbold\u001b[0m");
});
