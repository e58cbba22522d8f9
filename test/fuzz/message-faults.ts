// What is wrong with JSON-RPC messages, by the value that they answer.

import type { Message } from "../journeys/support/rpc.ts";
import { LEGACY, MODERN, type Revision } from "../matrix/cells.ts";
import { batchFaults, faultsOf } from "../matrix/schema-check.ts";
import { LIMITS } from "../../src/lib/limits.ts";

const ERROR_BYTES = 16_384;
const VERSION = "io.modelcontextprotocol/protocolVersion";

/** Faults of the one answer to a value that was sent; with `mayBeNull` it may be for a request that was not read. */
export function answerFaults(sent: unknown, answer: unknown, otherwise: Revision, mayBeNull: boolean): string[] {
  if (!isObject(answer)) return ["the answer is no object"];
  const message = answer as Message;
  const faults = faultsOf(speakerOf(sent, message, otherwise), message, methodOf(sent));
  if (message.error) faults.push(...errorFaults(message.error));
  const expected = idOf(sent);
  const isUnread = mayBeNull || isExcess(message) || expected === undefined;
  if (message.id !== expected && !(isUnread && message.id === null)) {
    faults.push(`the id is ${JSON.stringify(message.id)}, not ${JSON.stringify(expected)}`);
  }
  if (expected === undefined && !message.error) faults.push("a result for what is no request");
  return faults;
}

function errorFaults(error: NonNullable<Message["error"]>): string[] {
  const faults = JSON.stringify(error).length > ERROR_BYTES ? ["an error that is too long"] : [];
  return error.message.includes("(ref ") ? [...faults, `an internal error: ${error.message}`] : faults;
}

/** Each request of the batch, and each item that is no message at all, has one answer; in order, by id. */
export function batchAnswerFaults(sent: unknown, answers: readonly unknown[]): string[] {
  if (!Array.isArray(sent)) return ["a batch answers what is none"];
  const owed = sent.filter((item) => !isSilent(item));
  if (owed.length !== answers.length) return [`${answers.length} answers to ${owed.length} items`];
  const faults = batchFaults("2025-03-26", [...answers]);
  for (const [index, item] of owed.entries()) {
    const answer = answers[index] as Message | undefined;
    if (answer?.id !== (idOf(item) ?? null))
      faults.push(`item ${index} is answered under ${JSON.stringify(answer?.id)}`);
    if (answer?.error) faults.push(...errorFaults(answer.error));
  }
  return faults;
}

/** How many messages are owed to a frame in a session of the revision; a batch's answers are one. */
export function owedTo(sent: unknown, revision: Revision): number {
  if (!Array.isArray(sent)) return isSilent(sent) && isWell(sent) ? 0 : 1;
  const isBatch = revision === "2025-03-26" && sent.length > 0 && sent.length <= LIMITS.batchItems;
  const isServed = isBatch && !sent.some((item) => methodOf(item) === "initialize");
  return isServed && sent.every((item) => isSilent(item)) ? 0 : 1;
}

/** A notification or a response, well made or not: as part of a batch, nothing comes of it. */
const isSilent = (item: unknown): boolean =>
  isObject(item) && (isResponse(item) || ("method" in item && !("id" in item)));

const isResponse = (item: Record<string, unknown>): boolean =>
  !("method" in item) && ("result" in item || "error" in item);

/** Whether it is a notification or response of JSON-RPC as MCP has it. */
const isWell = (item: unknown): boolean => {
  if (!isObject(item) || item["jsonrpc"] !== "2.0") return false;
  if (isResponse(item)) return readId(item) !== undefined;
  const { method, params } = item;
  return typeof method === "string" && method.length <= LIMITS.idChars && (params === undefined || isObject(params));
};

const isExcess = ({ error }: Message): boolean => /nesting too deep|too many members/.test(error?.message ?? "");

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isRequest = (value: unknown): boolean =>
  isObject(value) && typeof value["method"] === "string" && idOf(value) !== undefined;

/** The id that an answer must carry; `undefined` where there is none: a response's is not its sender's. */
const idOf = (value: unknown): string | number | undefined =>
  isObject(value) && !isResponse(value) ? readId(value) : undefined;

function readId({ id }: Record<string, unknown>): string | number | undefined {
  if (typeof id === "string" && id.length <= LIMITS.idChars) return id;
  return Number.isSafeInteger(id) ? (id as number) : undefined;
}

export const methodOf = (value: unknown): string | undefined =>
  isObject(value) && typeof value["method"] === "string" ? value["method"] : undefined;

/** The revision that a message is in: what was agreed on, else what its request declared, else the other. */
export function speakerOf(sent: unknown, answer: Message, otherwise: Revision): Revision {
  const agreed = LEGACY.find((revision) => revision === answer.result?.["protocolVersion"]);
  if (agreed) return agreed;
  const params = isObject(sent) && isObject(sent["params"]) ? sent["params"] : {};
  const meta = isObject(params["_meta"]) ? params["_meta"] : {};
  return meta[VERSION] === undefined ? otherwise : MODERN;
}
