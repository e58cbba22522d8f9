// One request that was answered, in the words of OpenTelemetry's conventions for MCP (semantic-conventions-genai,
// docs/gen-ai/mcp.md, status Development, read in December 2026). Values are our own: names of methods and tools that the
// server knows, revisions, codes. What a client wrote (session ids, text ids, unknown names, arguments) is left out.

import type { SpanContext } from "./trace-context.ts";

export interface Operation {
  span: SpanContext;
  startedAtMs: number;
  endedAtMs: number;
  /** A method that the server has; `undefined` for any other. */
  method: string | undefined;
  /** A tool of the catalogue. */
  tool?: string;
  revision: string;
  transport: "http" | "websocket";
  /** What came of a call, as its audit row says. */
  outcome?: string;
  /** The public id of the API key. */
  keyId?: string;
  /** The JSON-RPC error, where that was the answer. */
  errorCode?: number;
  /** The answer was a result that says `isError`. */
  isToolError?: boolean;
  /** The JSON-RPC id, where it is a number. */
  requestId?: number;
}

export type Attributes = Record<string, string | number>;

const OTHER = "_OTHER";

/** `{mcp.method.name} {target}`, the target being the tool. */
export const spanName = ({ method = OTHER, tool }: Operation): string =>
  tool === undefined ? method : `${method} ${tool}`;

/** Those that a metric may have: each takes few values. */
export function metricAttributes(operation: Operation): Attributes {
  const { method = OTHER, tool, revision, transport, errorCode } = operation;
  const errorType = errorTypeOf(operation);
  return {
    "mcp.method.name": method,
    ...(tool !== undefined && { "gen_ai.tool.name": tool }),
    ...(method === "tools/call" && { "gen_ai.operation.name": "execute_tool" }),
    ...(errorType !== undefined && { "error.type": errorType }),
    ...(errorCode !== undefined && { "rpc.response.status_code": String(errorCode) }),
    "mcp.protocol.version": revision,
    "network.protocol.name": transport,
    "network.transport": "tcp",
  };
}

export const spanAttributes = (operation: Operation): Attributes => {
  const { outcome, keyId, requestId } = operation;
  return {
    ...metricAttributes(operation),
    ...(requestId !== undefined && { "jsonrpc.request.id": String(requestId) }),
    ...(outcome !== undefined && { "toolgate.outcome": outcome }),
    ...(keyId !== undefined && { "toolgate.key.id": keyId }),
  };
};

/** The code of a JSON-RPC error, `tool_error` for a result that says so; a request that was cancelled has neither. */
export function errorTypeOf({ errorCode, isToolError, outcome }: Operation): string | undefined {
  if (errorCode !== undefined) return String(errorCode);
  if (isToolError) return "tool_error";
  return outcome === "cancelled" ? outcome : undefined;
}
