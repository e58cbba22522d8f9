// How a call asks its client, by era.

import { signingSecrets } from "../env.ts";
import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { parseInputResponse } from "../protocol/input-response.ts";
import { ProtocolError } from "../protocol/protocol-error.ts";
import { encodeQuestion } from "../protocol/question.ts";
import { openRequestState, sealRequestState, type CallIdentity } from "../protocol/request-state.ts";
import type { InputRequest } from "../tools/input-request.ts";
import { ToolError } from "../tools/tool-error.ts";
import { InputImpossible, InputRequired, type Ask } from "./client-link.ts";
import type { RequestScope } from "./scope.ts";

const NO_ANSWERS: ReadonlyMap<string, unknown> = new Map();

/** Modern: what was answered comes with the request, and what was not ends the call for now. */
export async function createRounds(params: JsonObject, call: CallIdentity, { env }: RequestScope): Promise<Ask> {
  const secrets = signingSecrets(env);
  const { inputResponses, requestState } = params;
  const earlier =
    requestState === undefined ? NO_ANSWERS : await openRequestState(secrets, call, requestState, Date.now());
  const given = new Map([...earlier, ...Object.entries(isJsonObject(inputResponses) ? inputResponses : {})]);
  const answers = new Map(earlier);
  return async (requests) => {
    const asked = Object.entries(requests);
    const open = asked.filter(([name]) => !given.has(name));
    for (const [name, request] of asked) {
      if (given.has(name)) answers.set(name, parseAnswer(name, request, given.get(name)));
    }
    if (open.length === 0) return Object.fromEntries(asked.map(([name]) => [name, answers.get(name)]));
    const state = await sealRequestState(secrets, call, answers, Date.now());
    throw new InputRequired(Object.fromEntries(open), state);
  };
}

function parseAnswer(name: string, request: InputRequest, response: unknown): unknown {
  try {
    return parseInputResponse(name, request, response);
  } catch (error) {
    throw error instanceof ProtocolError ? new InputImpossible(error) : error;
  }
}

/** Legacy: the questions go out on the call's stream or socket, and the call waits. */
export function askDirectly({ peer, revision }: RequestScope, onWaiting: () => void): Ask {
  return async (requests) => {
    if (peer.cancelled.aborted) throw new ToolError("Nobody waits for this call any more");
    onWaiting();
    const responses = Object.entries(requests).map(async ([name, request]) => [name, await askOne(name, request)]);
    return Object.fromEntries(await Promise.all(responses)) as Record<string, unknown>;
  };

  async function askOne(name: string, request: InputRequest): Promise<unknown> {
    if (!peer.ask) throw new ToolError(`The client can't be asked for ${request.method} the way it is connected`);
    const { result, error } = await peer.ask(request.method, encodeQuestion(request, revision), peer.cancelled);
    if (result === undefined) {
      const said = isJsonObject(error) ? error["message"] : undefined;
      const reason = typeof said === "string" ? said : "no reason given";
      throw new ToolError(`The client refused ${request.method}: ${reason.slice(0, LIMITS.errorChars)}`);
    }
    try {
      return parseInputResponse(name, request, result);
    } catch (fault) {
      throw fault instanceof ProtocolError ? new ToolError(fault.message) : fault;
    }
  }
}
