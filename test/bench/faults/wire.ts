// Requests over HTTP and what came of each: one answer, a connection that visibly closed, or a broken promise.

import { SseReader } from "../../support/sse-reader.ts";
import { request, type Message } from "../../journeys/support/rpc.ts";
import type { Witness } from "./witness.ts";

/** Longer than anything that the server waits for. */
export const UNANSWERED_MS = 15_000;

export interface Answered {
  kind: "answered";
  message: Message;
  status: number;
  headers: Headers;
}

/** `closed`: the connection ended before the answer. `unanswered`: neither came. */
export type Outcome = Answered | { kind: "closed" | "unanswered"; why: string };

export interface Ask {
  method: string;
  params: Record<string, unknown>;
}

/** A client of any kind. Its requests' ids count from 1, as those of all others. */
export interface Client {
  way: string;
  keyId: string;
  ask: (ask: Ask) => Promise<Outcome>;
  close: () => void;
}

/** Sends one request; answers what came back for its id. Anything else that comes back is a finding. */
export async function ask(
  witness: Witness,
  url: URL,
  headers: Record<string, string>,
  { method, params }: Ask,
  id: number,
): Promise<Outcome> {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify(request(method, params, id)),
  };
  const outcome = await send<Outcome>(url, init, async (response) => {
    const messages = await readMessages(response);
    const [message, ...more] = messages.filter(isResponse);
    if (more.length > 0) witness.find(`${method} over HTTP was answered ${more.length + 1} times`);
    if (!message) return { kind: "closed", why: "the stream ended without the answer" };
    if (message.id !== id && message.id !== null) {
      witness.find(`${method} over HTTP with id ${id} was answered under id ${JSON.stringify(message.id)}`);
    }
    return { kind: "answered", message, status: response.status, headers: response.headers };
  });
  if (outcome.kind === "unanswered") witness.find(`${method} over HTTP: no answer, and the connection stayed open`);
  return outcome;
}

/** A request of any kind, whose response is read by `read`; a response that can't be read is a broken promise. */
export async function send<T>(
  url: URL,
  init: RequestInit,
  read: (response: Response) => Promise<T>,
): Promise<T | { kind: "closed" | "unanswered"; why: string }> {
  const signal = AbortSignal.timeout(UNANSWERED_MS);
  try {
    return await read(await fetch(url, { ...init, signal }));
  } catch (error) {
    if (signal.aborted) return { kind: "unanswered", why: `not within ${UNANSWERED_MS} ms` };
    if (error instanceof SyntaxError) throw error;
    return { kind: "closed", why: causeOf(error) };
  }
}

const causeOf = (error: unknown): string => {
  const { cause } = error as { cause?: unknown };
  return cause instanceof Error ? cause.message : String(error);
};

async function readMessages(response: Response): Promise<Message[]> {
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
    return (await new SseReader(response).restMessages()) as Message[];
  }
  const text = await response.text();
  if (text === "") return [];
  return [JSON.parse(text) as Message];
}

export const isResponse = ({ method }: Message): boolean => method === undefined;

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
