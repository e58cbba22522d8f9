// What a client sees in a cell, in the words of the table.

import { setTimeout as pause } from "node:timers/promises";
import { randomUUID } from "node:crypto";
import type { Message } from "../journeys/support/rpc.ts";
import { within } from "../journeys/support/within.ts";
import type { Place } from "./cells.ts";
import type { Ask, Client, Outcome } from "./client.ts";
import type { Feature } from "./expectations.ts";
import type { MatrixServer } from "./server.ts";

export interface Stage extends Place {
  server: MatrixServer;
  /** A client of the cell that has not sent a word. */
  connect: (options?: StageOptions) => Promise<Client>;
  /** As `connect`, greeted. */
  open: (options?: StageOptions) => Promise<Client>;
  /** The id of the last key that a client got. */
  keyId: () => string;
}

export interface StageOptions {
  tools?: { allow?: string[]; deny?: string[] };
  /** Whether no other client may have the key. */
  ownKey?: boolean;
  capabilities?: Record<string, unknown>;
  answers?: Record<string, Record<string, unknown>>;
}

type Observe = (stage: Stage) => Promise<string>;

const LEVEL = "io.modelcontextprotocol/logLevel";
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const CHANGED = "notifications/tools/list_changed";
const BEGUN_WITHIN_MS = 10_000;
/** Long enough to say that a call does not hear of its end. */
const HEARD_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 25;
const ENDED_WITHIN_MS = 10_000;

const ABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const ANSWERS = {
  "elicitation/create": { action: "accept", content: { name: "Ada" } },
  "sampling/createMessage": { role: "assistant", content: { type: "text", text: "yes" }, model: "small" },
  "roots/list": { roots: [{ uri: "file:///home" }] },
};

const LISTED: Readonly<Record<string, string[]>> = {
  bare: [],
  hints: ["annotations"],
  typed: ["annotations", "outputSchema", "title"],
  icons: ["annotations", "icons", "outputSchema", "title"],
};

const CONTENT: Readonly<Record<string, string[]>> = {
  basic: ["text", "image", "resource", "resource", "text"],
  audio: ["text", "image", "audio", "resource", "text"],
  links: ["text", "image", "audio", "resource", "resource_link", "structure"],
  icons: ["text", "image", "audio", "resource", "resource_link", "icons", "structure"],
};

/** An answer in short: the HTTP status where there is one, and the code of the error or `or` for a result. */
const brief = ({ status, answer }: { status: number | undefined; answer: Message }, or = "result"): string =>
  [...(status === undefined ? [] : [status]), answer.error ? codeOf(answer) : or].join(" ");

const codeOf = ({ error }: Message): string => String(error?.code).replace("-", "−");

/** The word for a list, or the list where there is none. */
const wordFor = (words: Readonly<Record<string, string[]>>, list: string[]): string =>
  Object.keys(words).find((word) => words[word]?.join() === list.join()) ?? list.join(" ");

const resultOf = <T>({ answer }: Outcome): T => {
  if (!answer.result) throw new Error(`expected a result, received ${JSON.stringify(answer.error)}`);
  return answer.result as T;
};

interface CallResult {
  content: { type: string; text?: string; icons?: unknown }[];
  structuredContent?: unknown;
  isError?: boolean;
}

interface ListResult {
  tools: { name: string }[];
  nextCursor?: string;
}

const callResult = (outcome: Outcome): CallResult => resultOf<CallResult>(outcome);
const textOf = (outcome: Outcome): string => callResult(outcome).content[0]?.text ?? "";

const handshake: Observe = async ({ connect, revision }) => {
  const client = await connect();
  if (client.modern) {
    const { supportedVersions } = resultOf<{ supportedVersions: string[] }>(await client.ask("server/discover"));
    return `${supportedVersions.length} versions`;
  }
  const { protocolVersion, serverInfo } = resultOf<{ protocolVersion: string; serverInfo: object }>(
    await client.initialize(revision),
  );
  return protocolVersion === revision ? Object.keys(serverInfo).toSorted().join(" ") : protocolVersion;
};

const list: Observe = async ({ open }) => {
  const client = await open();
  const { tools, nextCursor } = resultOf<ListResult>(await client.ask("tools/list"));
  if (nextCursor !== undefined) throw new Error("there is a second page");
  const everything = tools.find(({ name }) => name === "everything") ?? {};
  const more = Object.keys(everything).filter((field) => !["name", "description", "inputSchema"].includes(field));
  return wordFor(LISTED, more.toSorted());
};

const paginate: Observe = async ({ open }) => {
  const client = await open({ tools: { allow: ["page_*"] } });
  const pages: ListResult[] = [];
  for (let cursor: string | undefined; pages.length === 0 || cursor !== undefined; cursor = pages.at(-1)?.nextCursor) {
    pages.push(resultOf<ListResult>(await client.ask("tools/list", cursor === undefined ? {} : { cursor })));
  }
  const names = pages.flatMap(({ tools }) => tools.map(({ name }) => name));
  if (new Set(names).size !== names.length) throw new Error("a tool is on two pages");
  return pages.map(({ tools }) => tools.length).join(" + ");
};

const badCursor: Observe = async ({ open }) => brief(await (await open()).ask("tools/list", { cursor: "page-2" }));

const everyContent: Observe = async ({ open }) => {
  const { content, structuredContent } = callResult(await (await open()).call("everything"));
  const types = content.flatMap(({ type, icons }) => (icons ? [type, "icons"] : [type]));
  return wordFor(CONTENT, structuredContent === undefined ? types : [...types, "structure"]);
};

const arrayStructure: Observe = async ({ open }) => {
  const { structuredContent } = callResult(await (await open()).call("array_structure"));
  return structuredContent === undefined ? "text" : "structure";
};

const isError =
  (tool: string, args: Record<string, unknown>, says: string): Observe =>
  async ({ open }) => {
    const outcome = await (await open()).call(tool, args);
    const text = textOf(outcome);
    return callResult(outcome).isError && text.includes(says) ? "isError" : text;
  };

const thrown: Observe = async ({ open }) => {
  const client = await open();
  const text = textOf(await client.call("boom"));
  if (JSON.stringify(client.received).includes("hunter2")) return "what was thrown";
  return /^Tool failed \(ref [a-z2-7]{12}\)$/.test(text) ? "reference" : text;
};

const unknownTool: Observe = async ({ open }) => brief(await (await open()).call("nothing"));
const unknownMethod: Observe = async ({ open }) => brief(await (await open()).ask("no/such"));

const progress: Observe = async ({ open }) => {
  const { before } = await (await open()).call("progress", {}, { meta: { progressToken: "t-1" } });
  if (before.length === 0) return "silent";
  const steps = before.map(({ params }) => params?.["progress"]);
  const messages = before.map(({ params }) => params?.["message"]);
  if (steps.join() !== "1,2,3") return steps.join();
  return messages.join() === "one,two,three" ? "messages" : `numbers${messages.join("").trim()}`;
};

const logs: Observe = async ({ open, transport }) => {
  const client = await open();
  const levels = async (ask: Ask): Promise<string> => {
    const { before } = await client.call("logs", {}, ask);
    return before.map(({ params }) => params?.["level"]).join(" ") || "none";
  };
  const first = await levels({});
  if (!client.modern) resultOf(await client.ask("logging/setLevel", { level: "error" }));
  const then = await levels(client.modern ? { meta: { [LEVEL]: "error" } } : {});
  return transport === "json" && first === "none" && then === "none" ? "silent" : `${first} → ${then}`;
};

/** The call ends at the server, and its answer never comes. */
const cancel: Observe = async ({ open, transport }) => {
  const client = await open();
  // Somebody else looks on: a client that hung up can't.
  const witness = await open();
  const [id, tag] = [randomUUID(), randomUUID()];
  const call = { name: "wait", arguments: { tag } };
  const sent = client.start("tools/call", call, { id, meta: { progressToken: "t-2" } }).catch(() => undefined);
  await becomes(witness, tag, "running", BEGUN_WITHIN_MS);
  if (client.modern && transport !== "websocket") client.wire.drop();
  else await client.notify("notifications/cancelled", { requestId: id, reason: "enough" });
  const ended = await becomes(witness, tag, "cancelled", HEARD_WITHIN_MS).catch(() => false);
  if (ended) return client.received.some((message) => message.id === id) ? "ended, but answered" : "ended";
  await witness.call("release", { tag });
  await sent;
  await client.until("answer to wait", (all) => all.find((message) => message.id === id));
  return "goes on";
};

async function becomes(witness: Client, tag: string, state: string, timeoutMs: number): Promise<true> {
  const untilMs = Date.now() + timeoutMs;
  while (Date.now() < untilMs) {
    if (textOf(await witness.call("wait_state", { tag })) === state) return true;
    await pause(LOOK_EVERY_MS);
  }
  throw new Error(`the call did not become ${state}`);
}

/** Listens for changes as the cell's clients do; the refusal where they can't. */
async function listen(client: Client): Promise<string | undefined> {
  if (!client.modern) {
    const status = await client.wire.listen(client.headersOf("", {}));
    if (status === undefined || status === 200) return undefined;
    const answer = await client.until("refusal", (all) => all.find(({ error }) => error));
    return brief({ status, answer });
  }
  const id = "listener";
  const status = await client.start("subscriptions/listen", { notifications: { toolsListChanged: true } }, { id });
  const acknowledged = "notifications/subscriptions/acknowledged";
  const answer = await client.until("acknowledgement", (all) =>
    all.find(({ method, error }) => method === acknowledged || error),
  );
  return answer.error ? brief({ status, answer }) : undefined;
}

const listChanged: Observe = async ({ open, server }) => {
  const client = await open();
  const refusal = await listen(client);
  if (refusal !== undefined) return refusal;
  await toggleSometimes(server);
  const { params } = await client.until(CHANGED, (all) => all.find(({ method }) => method === CHANGED));
  const tag = (params?.["_meta"] as Record<string, unknown> | undefined)?.[SUBSCRIPTION];
  return tag === undefined ? "told" : `tagged${tag === "listener" ? "" : ` ${String(tag)}`}`;
};

let listed = true;

async function toggleSometimes(server: MatrixServer): Promise<void> {
  listed = !listed;
  await server.switchTool("sometimes", listed);
}

const endOfListener: Observe = async ({ open, server, keyId }) => {
  const client = await open({ ownKey: true });
  const refusal = await listen(client);
  if (refusal !== undefined) return refusal;
  await server.admin("DELETE", `/keys/${keyId()}`);
  const result = client.until("result", (all) => all.find(({ id, result }) => id === "listener" && result));
  const first = await within(ENDED_WITHIN_MS, "end", Promise.race([client.wire.ended, result]));
  return typeof first === "object" ? "result" : String(first);
};

const question =
  (tool: string, options: StageOptions = { capabilities: ABILITIES, answers: ANSWERS }): Observe =>
  async ({ open }) => {
    const client = await open(options);
    const outcome = await client.call(tool);
    const { result } = outcome.answer;
    if (result?.["resultType"] === "input_required") return nextRound(client, tool, result);
    if (!result) return brief(outcome);
    if (result["isError"]) return client.asked.length === 0 ? "told" : textOf(outcome);
    return client.asked.length === 1 ? "asked" : `asked ${client.asked.length} times`;
  };

async function nextRound(client: Client, tool: string, result: Record<string, unknown>): Promise<string> {
  const requests = result["inputRequests"] as Record<string, { method: keyof typeof ANSWERS }>;
  const inputResponses = Object.fromEntries(
    Object.entries(requests).map(([name, { method }]) => [name, ANSWERS[method]]),
  );
  const { requestState } = result;
  const { isError } = callResult(await client.call(tool, {}, { more: { inputResponses, requestState } }));
  return isError ? "refused" : "rounds";
}

const unknownVersion: Observe = async ({ connect }) => {
  const client = await connect();
  if (client.modern) {
    const meta = { "io.modelcontextprotocol/protocolVersion": "2099-01-01" };
    return brief(await client.ask("tools/list", {}, { meta, headers: { "mcp-protocol-version": "2099-01-01" } }));
  }
  return resultOf<{ protocolVersion: string }>(await client.initialize("2099-01-01")).protocolVersion;
};

const unknownHeader: Observe = async ({ open }) =>
  brief(await (await open()).ask("tools/list", {}, { headers: { "mcp-protocol-version": "2099-01-01" } }));

const unknownSession: Observe = async ({ open, transport }) => {
  const client = await open();
  const headers: Record<string, string> =
    transport === "http+sse" ? { session: "deadbeef" } : { "mcp-session-id": "deadbeef" };
  const outcome = await client.ask("tools/list", {}, { headers });
  return outcome.answer.error ? brief(outcome) : "served";
};

const batch: Observe = async ({ open }) => {
  const client = await open();
  const from = client.received.length;
  const status = await client.sendBatch([
    { id: "first", method: "tools/list", params: client.paramsOf({}) },
    { id: "second", method: "no/such", params: client.paramsOf({}) },
  ]);
  const [answer, second] = await client.until("answers", (all) => {
    const answers = all.slice(from).filter(({ method }) => method === undefined);
    return answers.length === 2 || answers[0]?.id === null ? answers : undefined;
  });
  if (!answer) throw new Error("no answer");
  if (!second) return brief({ status, answer });
  return `${brief({ status, answer })} ${second.error?.code === -32601 ? "error" : "result"}`;
};

const emptyBatch: Observe = async ({ open }) => {
  const client = await open();
  const from = client.received.length;
  const status = await client.sendBatch([]);
  const answer = await client.until("answer", (all) => all.slice(from).find(({ id }) => id === null));
  return brief({ status, answer });
};

const ping: Observe = async ({ open }) => {
  const outcome = await (await open()).ask("ping");
  return outcome.answer.error ? brief(outcome) : JSON.stringify(outcome.answer.result);
};

export const OBSERVATIONS: Record<Feature, Observe> = {
  "initialize or discover": handshake,
  list,
  paginate,
  "a cursor that is none": badCursor,
  "call with every type of content": everyContent,
  "call with a structure that is an array": arrayStructure,
  "tool error": isError("fails", {}, "Pick another city"),
  "tool that throws": thrown,
  "bad arguments": isError("add", { a: 1, b: "two" }, "b (number)"),
  "unknown tool": unknownTool,
  "unknown method": unknownMethod,
  progress,
  "log message": logs,
  cancel,
  list_changed: listChanged,
  "end of a listener": endOfListener,
  "question: a form": question("ask_form"),
  "question: some of several": question("ask_several"),
  "question: a page to visit": question("ask_url"),
  "question: the model": question("ask_model"),
  "question: the model, about a sound": question("ask_sound"),
  "question: roots": question("ask_roots"),
  "question to a client that can't answer": question("ask_form", {}),
  "unknown version asked for": unknownVersion,
  "unknown version in the header": unknownHeader,
  "unknown session": unknownSession,
  batch,
  "empty batch": emptyBatch,
  ping,
};
