// `tools/call`: the tool out of the snapshot, if this key may see it; run; encoded once.

import type { CallOutcome } from "../audit/call-row.ts";
import { isToolAllowed } from "../keys/tool-rules.ts";
import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { randomText } from "../lib/random.ts";
import { isLongerThan } from "../lib/utf8.ts";
import { codecOf } from "../protocol/codec.ts";
import { encodeInputRequired } from "../protocol/modern-codec.ts";
import { INVALID_PARAMS, ProtocolError } from "../protocol/protocol-error.ts";
import { checkParamHeaders } from "../protocol/request-headers.ts";
import type { CatalogueTool } from "../registry/catalogue.ts";
import { logFailure } from "../telemetry/log.ts";
import type { ToolResult } from "../tools/content.ts";
import { failure, runTool } from "../tools/run-tool.ts";
import { createAfterCall } from "./after-call.ts";
import { createClientLink, InputImpossible, InputRequired } from "./client-link.ts";
import type { RequestScope } from "./scope.ts";

/** The result, serialized. Throws `ProtocolError` −32602 for an unknown tool or params of the wrong shape. */
export async function callTool(params: JsonObject, scope: RequestScope): Promise<string> {
  const { name, arguments: args = {} } = params;
  if (typeof name !== "string") throw invalid('"name" must be a string');
  if (!isJsonObject(args)) {
    noteOutcome(scope, "invalid_arguments");
    throw invalid('"arguments" must be an object');
  }
  const { tool } = await findTool(name, scope);
  if (scope.headers) checkParamHeaders(scope.headers, tool.definition.inputSchema, args);
  const { keyId, name: keyName } = scope.facts;
  const { signal, egress, isolate, env, waitUntil } = scope;
  const client = await createClientLink(params, { keyId, toolName: name, args }, scope);
  const readSecret = (secret: string): Promise<string> => isolate.secrets.read(env, waitUntil, secret);
  const call = { caller: { keyId, keyName }, signal, egress, client, readSecret, afterCall: createAfterCall(scope) };
  try {
    const { result, outcome } = await runTool(tool, args, call);
    noteOutcome(scope, outcome);
    return encode(result, name, scope);
  } catch (error) {
    if (error instanceof InputRequired) return encodeRound(error, scope);
    throw error instanceof InputImpossible ? error.error : error;
  }
}

/** The answer that asks the client instead of giving it a result. */
function encodeRound({ requests, requestState }: InputRequired, scope: RequestScope): string {
  if (requestState.length > LIMITS.requestStateChars) {
    const message = `Invalid params: the answers are too long: at most ${LIMITS.requestStateChars} characters in all`;
    throw new ProtocolError(INVALID_PARAMS, message);
  }
  noteOutcome(scope, "input_required");
  return JSON.stringify(encodeInputRequired(requests, requestState));
}

async function findTool(name: string, scope: RequestScope): Promise<CatalogueTool> {
  const { isolate, env, waitUntil, facts, call } = scope;
  if (isToolAllowed(facts.tools, name)) {
    let catalogue = await isolate.snapshot.readForCall(env, waitUntil);
    if (!catalogue.byName.has(name)) catalogue = await isolate.snapshot.readForUnknownTool(name, env, waitUntil);
    const tool = catalogue.byName.get(name);
    if (call) Object.assign(call, { version: catalogue.version, known: tool !== undefined });
    if (tool) return tool;
  }
  noteOutcome(scope, "unknown_tool");
  // One answer for a tool that is not there, is disabled, or is hidden from the key.
  throw new ProtocolError(INVALID_PARAMS, `Unknown tool: ${name.slice(0, LIMITS.toolNameChars)}`);
}

/** What a tool returned may still be impossible to serialize, or too large. */
function encode(result: ToolResult, toolName: string, scope: RequestScope): string {
  const { revision } = scope;
  const codec = codecOf(revision);
  const serialize = (value: ToolResult): string => JSON.stringify(codec.encodeToolResult(value, revision));
  try {
    const body = serialize(result);
    if (!isLongerThan(body, LIMITS.resultBytes)) return body;
    noteOutcome(scope, "failed");
    return serialize(failure(`Tool failed: its result is larger than ${LIMITS.resultBytes} bytes`));
  } catch (error) {
    const ref = randomText(12);
    logFailure("result_not_json", ref, error, { tool: toolName });
    noteOutcome(scope, "failed");
    return serialize(failure(`Tool failed (ref ${ref})`));
  }
}

/** What the call's row will say came of it, where the answer alone does not tell. */
function noteOutcome({ call }: RequestScope, outcome: CallOutcome): void {
  if (call) call.outcome = outcome;
}

const invalid = (reason: string): ProtocolError => new ProtocolError(INVALID_PARAMS, `Invalid params: ${reason}`);
