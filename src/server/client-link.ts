// A tool's way to its client: progress, logs and questions, in the words of the revision.

import { findExcess, isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { abilityFor, requiredCapabilities } from "../protocol/abilities.ts";
import { isLoggedAt } from "../protocol/log-level.ts";
import { MISSING_CLIENT_CAPABILITY, ProtocolError } from "../protocol/protocol-error.ts";
import { hasWordsFor } from "../protocol/question.ts";
import type { CallIdentity } from "../protocol/request-state.ts";
import { cleanJson, maybeHides } from "../sanitize/clean-output.ts";
import { logEvent } from "../telemetry/log.ts";
import type { InputRequest, InputResponses } from "../tools/input-request.ts";
import { CallInterrupt, type ClientLink } from "../tools/run-tool.ts";
import { ToolError } from "../tools/tool-error.ts";
import type { RequestScope } from "./scope.ts";

/** The call ends here, and goes on from its start once the client has answered. */
export class InputRequired extends CallInterrupt {
  override readonly name = "InputRequired";
  readonly requests: Record<string, InputRequest>;
  readonly requestState: string;

  constructor(requests: Record<string, InputRequest>, requestState: string) {
    super("the call needs its client's input");
    this.requests = requests;
    this.requestState = requestState;
  }
}

/** The call can't be made with what the client can do. */
export class InputImpossible extends CallInterrupt {
  override readonly name = "InputImpossible";
  readonly error: ProtocolError;

  constructor(error: ProtocolError) {
    super(error.message);
    this.error = error;
  }
}

interface LinkOptions {
  sanitize?: boolean | undefined;
  onWaiting?: (() => void) | undefined;
}

/**
 * The link of one call. What the tool says and asks is cleaned as its result is, unless `sanitize` is false. `onWaiting` is told of each question
 * for whose answer the call waits. Throws `ProtocolError` −32602 for a `requestState` that is not this call's.
 */
export function createClientLink(
  params: JsonObject,
  call: CallIdentity,
  scope: RequestScope,
  { sanitize = true, onWaiting = () => undefined }: LinkOptions = {},
): ClientLink | Promise<ClientLink> {
  const notify = createNotify(scope, sanitize);
  let asking: Promise<Ask> | undefined;
  const readyToAsk = (): Promise<Ask> => (asking ??= loadAsk(params, call, scope, onWaiting));
  const link: ClientLink = {
    reportProgress: createProgress(params, notify, scope),
    log: (level, data, logger) => {
      if (scope.logLevel === undefined || !isLoggedAt(scope.logLevel, level)) return;
      notify("notifications/message", { level }, { ...(typeof logger === "string" && { logger }), data });
    },
    canAsk: (request) => canAsk(request, scope),
    requireInput: async <R extends Record<string, InputRequest>>(requests: R) => {
      if (Object.keys(requests).length > LIMITS.inputRequests) {
        throw new TypeError(`requireInput: at most ${LIMITS.inputRequests} questions at once`);
      }
      const asJsonOnly = asJson(requests);
      checkAbilities(Object.values(asJsonOnly), scope);
      const asked = sanitize ? mapValues(asJsonOnly, (request) => cleanJson(request).value) : asJsonOnly;
      const ask = await readyToAsk();
      return (await ask(asked)) as InputResponses<R>;
    },
    releaseStream: () => scope.peer.release(),
  };
  const hasAnswers = scope.revision.era === "modern" && params["requestState"] !== undefined;
  return hasAnswers ? readyToAsk().then(() => link) : link;
}

/** Asks what a tool wants to know, and answers by the same names. */
export type Ask = (requests: Record<string, InputRequest>) => Promise<Record<string, unknown>>;

/** Few calls ask anything: how it is done is loaded with the first that does. */
async function loadAsk(
  params: JsonObject,
  call: CallIdentity,
  scope: RequestScope,
  onWaiting: () => void,
): Promise<Ask> {
  const { createRounds, askDirectly } = await import("./client-questions.ts");
  return scope.revision.era === "modern" ? createRounds(params, call, scope) : askDirectly(scope, onWaiting);
}

/** `own` goes out as it is: the client's token, a level. */
type Notify = (method: string, own: JsonObject, said: JsonObject) => void;

/** Bounded in number, size and depth: what a tool sends beyond is dropped, and so is what JSON has no words for. */
function createNotify({ peer }: RequestScope, sanitize: boolean): Notify {
  let sent = 0;
  let room: number = LIMITS.callNewsChars;
  return (method, own, said) => {
    if (sent++ >= LIMITS.callNotifications) return;
    const message = serialize(method, own, said, sanitize);
    if (message === undefined || message.length > room) return logEvent("warn", "notification_dropped", { method });
    room -= message.length;
    peer.send(message);
  };
}

function serialize(method: string, own: JsonObject, said: JsonObject, sanitize: boolean): string | undefined {
  const encode = (more: JsonObject): string => JSON.stringify({ jsonrpc: "2.0", method, params: { ...own, ...more } });
  try {
    const json = JSON.stringify(said);
    if (json.length > LIMITS.notificationChars || findExcess(json, Infinity) !== undefined) return undefined;
    const plain = JSON.parse(json) as JsonObject;
    if (Object.keys(plain).length < Object.keys(said).length) return undefined;
    const text = encode(plain);
    if (text.length > LIMITS.notificationChars) return undefined;
    return sanitize && maybeHides(text) ? encode(cleanJson(plain).value) : text;
  } catch {
    return undefined;
  }
}

/** Questions as JSON has them, whatever they say when they are looked at again. */
function asJson<R extends Record<string, InputRequest>>(requests: R): R {
  const json = JSON.stringify(requests);
  if (json.length > LIMITS.inputRequestsChars) {
    throw new TypeError(`requireInput: at most ${LIMITS.inputRequestsChars} characters of questions at once`);
  }
  const excess = findExcess(json, Infinity);
  if (excess !== undefined) throw new TypeError(`requireInput: ${excess}`);
  return JSON.parse(json) as R;
}

const mapValues = <T>(record: Record<string, T>, map: (value: T) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));

/** Progress must grow (2026-07-28, basic/patterns/progress): a report that does not is dropped. */
function createProgress(params: JsonObject, notify: Notify, { revision }: RequestScope): ClientLink["reportProgress"] {
  const meta = params["_meta"];
  const progressToken = isJsonObject(meta) ? meta["progressToken"] : undefined;
  if (typeof progressToken !== "string" && !Number.isInteger(progressToken)) return () => undefined;
  let last = -Infinity;
  return (progress, total, message) => {
    if (!(progress > last) || !Number.isFinite(progress)) return;
    last = progress;
    const more = {
      ...(total !== undefined && Number.isFinite(total) && { total }),
      ...(typeof message === "string" && revision.progressMessage && { message }),
    };
    notify("notifications/progress", { progressToken, progress }, more);
  };
}

function canAsk(request: InputRequest, { abilities, revision, peer }: RequestScope): boolean {
  const ability = abilityFor(request);
  if (!abilities[ability]) return false;
  if (revision.era === "modern") return true;
  return hasWordsFor(request, revision) && peer.ask !== undefined;
}

/** −32021 in the modern era; before, the model is told. */
function checkAbilities(requests: readonly InputRequest[], scope: RequestScope): void {
  const missing = requests.filter((request) => !canAsk(request, scope));
  if (missing.length === 0) return;
  const data = { requiredCapabilities: requiredCapabilities(missing.map(abilityFor)) };
  const message = `This tool needs a client that can answer ${missing.map(({ method }) => method).join(", ")}`;
  if (scope.revision.era === "legacy") throw new ToolError(message);
  throw new InputImpossible(new ProtocolError(MISSING_CLIENT_CAPABILITY, message, 400, data));
}
