// Rows of the registry → tools of an isolate. A row that did not change stays the same object, and so does its tool.

import { registryStub, type Env } from "../env.ts";
import { logEvent } from "../telemetry/log.ts";
import type { Tool } from "../tools/define-tool.ts";
import { ResponseCache } from "../tools/http-tool/response-cache.ts";
import { createRecordTool } from "../tools/record-tool.ts";
import type { ToTool } from "./catalogue.ts";
import type { ToolRow } from "./registry-contract.ts";

/** Makes tools of rows for one isolate. One that this code can't make sense of is left out, and told in the log. */
export function createLoader(): ToTool {
  const loaded = new WeakMap<ToolRow, Tool | "broken">();
  const cache = new ResponseCache();
  const load = ({ name, record }: ToolRow, env: Env): Tool | "broken" => {
    const kit = { cache, loader: env.LOADER, readModule: (hash: string) => registryStub(env).readModule(hash) };
    try {
      return record ? createRecordTool(name, record, kit) : "broken";
    } catch (error) {
      logEvent("error", "tool_not_loaded", { tool: name, reason: error instanceof Error ? error.message : "unknown" });
      return "broken";
    }
  };
  return (row, env, isKept) => {
    const tool = loaded.get(row) ?? load(row, env);
    if (isKept || tool === "broken") loaded.set(row, tool);
    return tool === "broken" ? undefined : tool;
  };
}
