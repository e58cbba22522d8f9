// The Worker as it is deployed, with code tools in place of the built-in ones.

import { env } from "cloudflare:workers";
import { allParts, composeWorker } from "../../../src/compose.ts";
import type { Env } from "../../../src/env.ts";
import { splitList } from "../../../src/lib/split-list.ts";
import { sha256Hex } from "../../../src/lib/signing.ts";
import { compileCodeTool } from "../../../src/tools/code-tool/compile-code-tool.ts";
import type { Tool } from "../../../src/tools/define-tool.ts";
import { codeModules } from "./fixture-code-modules.ts";

const { LOADER, EGRESS_ALLOW = "" } = env as unknown as Env;
const hosts = [...splitList(EGRESS_ALLOW)].slice(0, 1);

const tools: Tool[] = Object.entries(codeModules).map(([name, { module, timeoutMs = 10_000 }]) => ({
  name,
  timeoutMs,
  definition: { name, description: "Runs a module.", inputSchema: { type: "object", properties: {} } },
  validateInput: (value) => ({ ok: true, value }),
  run: async (args, ctx) => {
    const source = { kind: "code" as const, hash: await sha256Hex(module), egress: hosts, secrets: ["TOKEN"] };
    const run = compileCodeTool(name, source, {
      loader: LOADER,
      readModule: () => Promise.resolve(module),
    });
    return run(args, { ...ctx, readSecret: () => Promise.resolve("s3cret-of-the-operator") });
  },
}));

const { app, ToolRegistry, McpEntrypoint } = composeWorker(tools, allParts());

export default app;
export { ToolRegistry, McpEntrypoint };
export { ApiKey, AuditLog, CallRelay, CatalogueReplica, SessionHub } from "../../../src/objects.ts";
