// `tools/call`: the tool out of the snapshot, if this key may see it; run, or answered as it was before; encoded once.

import type { CallOutcome } from "../audit/call-row.ts";
import { isToolAllowed } from "../keys/tool-rules.ts";
import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { randomText } from "../lib/random.ts";
import { isLongerThan } from "../lib/utf8.ts";
import { codecOf } from "../protocol/codec.ts";
import { findIdempotencyKey, IDEMPOTENT_REPLAY } from "../protocol/idempotency-key.ts";
import { encodeInputRequired } from "../protocol/modern-codec.ts";
import { INVALID_PARAMS, ProtocolError } from "../protocol/protocol-error.ts";
import { checkParamHeaders } from "../protocol/request-headers.ts";
import { addRemoved, maybeHides, NOTHING_REMOVED, type Removed } from "../sanitize/clean-output.ts";
import { logFailure } from "../telemetry/log.ts";
import { continueTrace } from "../telemetry/trace-context.ts";
import { cleanResult } from "../tools/clean-result.ts";
import type { Catalogue } from "../registry/catalogue.ts";
import type { ToolResult } from "../tools/content.ts";
import type { Tool } from "../tools/define-tool.ts";
import { isReservedName, SEARCH_TOOLS } from "../tools/reserved-names.ts";
import { failure, runTool, type CallScope, type RunEnd } from "../tools/run-tool.ts";
import { RESULT_TOO_LARGE } from "../tools/tool-result.ts";
import type { Told, Watch } from "./call-once.ts";
import { createAfterCall } from "./after-call.ts";
import { createClientLink, InputImpossible, InputRequired } from "./client-link.ts";
import { isDiscoveryCall, targetOf } from "./discovery-tools.ts";
import type { RequestScope } from "./scope.ts";

/** The result, serialized. Throws `ProtocolError` −32602 for an unknown tool or params of the wrong shape. */
export function callTool(params: JsonObject, scope: RequestScope): Promise<string> {
  const { name, arguments: args = {} } = params;
  if (typeof name !== "string") throw invalid('"name" must be a string');
  if (!isJsonObject(args)) {
    noteOutcome(scope, "invalid_arguments");
    throw invalid('"arguments" must be an object');
  }
  const tool = recallTool(name, scope);
  return tool ? callFound(tool, args, params, scope) : callOther(name, args, params, scope);
}

/** The tool where a fresh catalogue has it for this key: then there is nothing to find out. */
function recallTool(name: string, scope: RequestScope): Tool | undefined {
  const { fresh } = scope.isolate.snapshot;
  if (!fresh?.byName.has(name) || isReservedName(name) || !isToolAllowed(scope.facts.tools, name)) return undefined;
  return noteTool(name, fresh, false, scope);
}

async function callOther(name: string, args: JsonObject, params: JsonObject, scope: RequestScope): Promise<string> {
  if (isReservedName(name)) {
    const discovered = await callDiscovery(name, args, params, scope);
    if (discovered !== undefined) return discovered;
  }
  const tool = await findTool(name, scope);
  if (!tool) throw new ProtocolError(INVALID_PARAMS, unknownTool(name));
  return callFound(tool, args, params, scope);
}

function callFound(tool: Tool, args: JsonObject, params: JsonObject, scope: RequestScope): Promise<string> {
  if (scope.headers) checkParamHeaders(scope.headers, tool.definition.inputSchema, args);
  return runCall(tool, args, params, scope);
}

/** A key's own way to tools; `undefined` where a key has none, or a tool of the catalogue has taken the name. */
async function callDiscovery(
  name: string,
  args: JsonObject,
  params: JsonObject,
  scope: RequestScope,
): Promise<string | undefined> {
  const { isolate, env, waitUntil, facts, call } = scope;
  const catalogue = await isolate.snapshot.readForCall(env, waitUntil);
  if (!isDiscoveryCall(name, facts, catalogue)) {
    if (call) call.tool = name;
    return undefined;
  }
  const { callShape, openSearch } = await import("./discovery-calls.ts");
  const target = targetOf(params);
  if (!target.isPassedOn) {
    if (call) Object.assign(call, { version: catalogue.version, known: true });
    return runCall(name === SEARCH_TOOLS ? await openSearch(scope) : callShape, args, params, scope);
  }
  const tool = await findTool(target.name, scope);
  if (!tool) {
    const advice = failure(`${unknownTool(target.name)}. ${SEARCH_TOOLS} finds those that there are`);
    const { body } = encode({ result: advice, outcome: "tool_error" }, callShape, scope);
    noteOutcome(scope, "unknown_tool");
    return body;
  }
  if (scope.headers) checkParamHeaders(scope.headers, tool.definition.inputSchema, target.args, true);
  return runCall(tool, target.args, params, scope);
}

/** `params` are those that the client sent: its token for progress, its answers to questions. */
async function runCall(tool: Tool, args: JsonObject, params: JsonObject, scope: RequestScope): Promise<string> {
  const key = findIdempotencyKey(params, scope.idempotencyHeader);
  try {
    if (key === undefined) return (await runWatched(tool, args, params, scope)).body;
    const once = { key, toolName: tool.name, args, timeoutMs: tool.timeoutMs };
    const { callOnce } = await import("./call-once.ts");
    const run = (watch: Watch): Promise<Told> => runWatched(tool, args, params, scope, watch);
    return await callOnce(once, scope, run, (end) => replay(end, tool, scope));
  } catch (error) {
    if (error instanceof InputRequired) return encodeRound(error, scope);
    throw error instanceof InputImpossible ? error.error : error;
  }
}

/** Runs the tool; `watch` is told what the call waits for, and what a cancelled one still comes to. */
async function runWatched(
  tool: Tool,
  args: JsonObject,
  params: JsonObject,
  scope: RequestScope,
  { onWaiting, onCancelled }: Partial<Watch> = {},
): Promise<Told> {
  const { peer, egress, isolate, env, waitUntil, facts } = scope;
  const { keyId, name: keyName } = facts;
  const { name, sanitize } = tool;
  const link = createClientLink(params, { keyId, toolName: name, args }, scope, { sanitize, onWaiting });
  const call: CallScope = {
    caller: { keyId, keyName },
    peer,
    egress,
    client: link instanceof Promise ? await link : link,
    readSecret: (secret) => isolate.secrets.read(env, waitUntil, secret),
    afterCall: createAfterCall(scope),
    traceparent: continueTrace(scope.call?.span, scope.call?.traceparent),
    onCancelled,
  };
  return encode(await runTool(tool, args, call), tool, scope);
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

/** One answer for a tool that is not there, is disabled, or is hidden from the key. */
async function findTool(name: string, scope: RequestScope): Promise<Tool | undefined> {
  const { isolate, env, waitUntil, facts } = scope;
  const { snapshot } = isolate;
  const isHidden = !isToolAllowed(facts.tools, name);
  let catalogue = await snapshot.readForCall(env, waitUntil);
  if (isHidden || !catalogue.byName.has(name)) {
    catalogue = await snapshot.readForUnknownTool(name, env, waitUntil, isHidden);
  }
  return noteTool(name, catalogue, isHidden, scope);
}

/** The tool if it is there for this key, which the call's row is told. */
function noteTool(name: string, catalogue: Catalogue, isHidden: boolean, scope: RequestScope): Tool | undefined {
  const { call } = scope;
  const entry = catalogue.byName.get(name);
  // A hidden tool is not made: that takes time, which would tell.
  const tool = isHidden ? undefined : entry?.tool;
  if (call) {
    call.version = catalogue.version;
    call.known = (isHidden ? entry : tool) !== undefined;
  }
  if (tool) return tool;
  noteOutcome(scope, "unknown_tool");
  return undefined;
}

const unknownTool = (name: string): string => `Unknown tool: ${name.slice(0, LIMITS.toolNameChars)}`;

/** What a tool returned may still be impossible to serialize, or too large, or hide something. */
function encode(end: RunEnd, { name, sanitize }: Tool, scope: RequestScope): Told {
  const { revision } = scope;
  const codec = codecOf(revision);
  const tell = ({ result, outcome }: RunEnd): Told => {
    const body = JSON.stringify(codec.encodeToolResult(result, revision));
    noteOutcome(scope, outcome);
    return { result, outcome, body };
  };
  const tellFailure = (message: string): Told => tell({ result: failure(message), outcome: "failed" });
  try {
    const told = tell(end);
    if (isLongerThan(told.body, LIMITS.resultBytes)) return tellFailure(RESULT_TOO_LARGE);
    if (sanitize === false || !maybeHides(told.body)) return noteRemoved(scope, told, end.removed);
    const { value, removed } = cleanResult(told.result);
    const cleaned = removed === NOTHING_REMOVED ? told : tell({ result: value, outcome: told.outcome });
    // Names of members that would be the same are told apart by what is added.
    if (isLongerThan(cleaned.body, LIMITS.resultBytes)) return tellFailure(RESULT_TOO_LARGE);
    return noteRemoved(scope, cleaned, addRemoved(removed, end.removed ?? NOTHING_REMOVED));
  } catch (error) {
    const ref = randomText(12);
    logFailure("result_not_json", ref, error, { tool: name });
    return tellFailure(`Tool failed (ref ${ref})`);
  }
}

function noteRemoved({ call }: RequestScope, told: Told, removed: Removed = NOTHING_REMOVED): Told {
  if (call && removed !== NOTHING_REMOVED) call.removed = removed;
  return told;
}

/** The answer to a call that was made before, in the words of this request's revision. */
function replay({ result, outcome }: RunEnd, tool: Tool, scope: RequestScope): string {
  if (scope.call) scope.call.replayed = true;
  const { _meta, ...rest } = result;
  const marked: ToolResult = { ...rest, _meta: { ..._meta, [IDEMPOTENT_REPLAY]: true } };
  return encode({ result: marked, outcome }, tool, scope).body;
}

/** What the call's row will say came of it, where the answer alone does not tell. */
function noteOutcome({ call }: RequestScope, outcome: CallOutcome): void {
  if (call) call.outcome = outcome;
}

const invalid = (reason: string): ProtocolError => new ProtocolError(INVALID_PARAMS, `Invalid params: ${reason}`);
