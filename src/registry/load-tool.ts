// Rows of the registry → tools of an isolate. A row that did not change stays the same object, and so does its tool.

import { registryStub, type Env } from "../env.ts";
import { logEvent } from "../telemetry/log.ts";
import type { Tool } from "../tools/define-tool.ts";
import { ResponseCache } from "../tools/http-tool/response-cache.ts";
import { createRecordTool } from "../tools/record-tool.ts";
import { SessionCache } from "../tools/upstream/session-cache.ts";
import type { ToTool } from "./catalogue.ts";
import type { ToolRow } from "./registry-contract.ts";

/**
 * Makes tools of rows for one isolate. One that this code can't make sense of is left out, and told in the log; those of an
 * upstream that is switched off are left out as well.
 */
export function createLoader(): ToTool {
  const loaded = new WeakMap<ToolRow, Tool | "none">();
  const cache = new ResponseCache();
  const sessions = new SessionCache();
  const load = ({ name, record }: ToolRow, env: Env): Tool | "none" => {
    if (!record || (record.source.kind === "upstream" && record.source.off)) return "none";
    const kit = {
      cache,
      sessions,
      loader: env.LOADER,
      readModule: (hash: string) => registryStub(env).readModule(hash),
    };
    try {
      return createRecordTool(name, record, kit);
    } catch (error) {
      logEvent("error", "tool_not_loaded", { tool: name, reason: error instanceof Error ? error.message : "unknown" });
      return "none";
    }
  };
  return (row, env, isKept) => {
    const tool = loaded.get(row) ?? load(row, env);
    if (isKept || tool === "none") loaded.set(row, tool);
    return tool === "none" ? undefined : tool;
  };
}
