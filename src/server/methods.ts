// What each MCP method does, by era. A method that is not in an era's table is "not found" there.

import type { JsonObject } from "../lib/json-value.ts";
import type { Id } from "../protocol/json-rpc.ts";
import { encodeInitializeResult } from "../protocol/legacy-codec.ts";
import { encodeDiscoverResult } from "../protocol/modern-codec.ts";
import { parseLogLevel } from "../protocol/meta.ts";
import { INVALID_PARAMS, ProtocolError } from "../protocol/protocol-error.ts";
import type { Era } from "../protocol/revisions.ts";
import { callTool } from "./call-tool.ts";
import { listTools } from "./list-tools.ts";
import type { RequestScope } from "./scope.ts";

/** A result that was serialized for others too. */
export interface PreparedResult {
  /** The whole response, in UTF-8. */
  encode(id: Id): Uint8Array<ArrayBuffer>;
}

/** Answers with the result, serialized. Throws `ProtocolError`. */
export type Method = (params: JsonObject, scope: RequestScope) => string | Promise<string> | Promise<PreparedResult>;

/** Only what works is declared. */
const capabilities: JsonObject = { tools: { listChanged: true }, logging: {} };

const initialize: Method = (_, scope) => JSON.stringify(encodeInitializeResult(scope.revision, capabilities));
const discover: Method = () => JSON.stringify(encodeDiscoverResult(capabilities));
const ping: Method = () => "{}";

/** Holds for the session from now on (2025-11-25, server/utilities/logging). A client without one has nothing to hold it. */
const setLevel: Method = async ({ level }, { setLogLevel }) => {
  if (level === undefined) throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "level" is missing');
  const parsed = parseLogLevel(level);
  if (parsed) await setLogLevel?.(parsed);
  return "{}";
};

const METHODS: Record<Era, ReadonlyMap<string, Method>> = {
  legacy: new Map(
    Object.entries({ initialize, ping, "logging/setLevel": setLevel, "tools/list": listTools, "tools/call": callTool }),
  ),
  modern: new Map(Object.entries({ "server/discover": discover, "tools/list": listTools, "tools/call": callTool })),
};

export const findMethod = (era: Era, name: string): Method | undefined => METHODS[era].get(name);
