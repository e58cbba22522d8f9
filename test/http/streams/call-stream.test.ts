import { reset, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { callRelayStub } from "../../../src/env.ts";
import { decodeBase64Url } from "../../../src/lib/base64.ts";
import { testEnv } from "../../support/counting-env.ts";
import { SseReader } from "../../support/sse-reader.ts";
import { call, edgeClient, modern, type EdgeClient } from "../../support/stream-client.ts";
import { ends, gate, late, running, streamTools } from "../../support/stream-tools.ts";

const notification = (method: string, params: object): object => ({ jsonrpc: "2.0", method, params });
const progress = (params: object): object => notification("notifications/progress", { progressToken: "t", ...params });
const withToken = { _meta: { progressToken: "t" } };
/** The relay that call 1 of a session would have. */
function relayOf(client: EdgeClient, headers: Record<string, string>): DurableObjectStub {
  const payload = decodeBase64Url(headers["mcp-session-id"]?.split(".")[0] ?? "") ?? new Uint8Array();
  const { n: sessionId } = JSON.parse(new TextDecoder().decode(payload)) as { n: string };
  const keyId = client.key.split("_")[1] ?? "";
  return callRelayStub(testEnv, { keyId, sessionId, requestId: 1 }) as unknown as DurableObjectStub;
}

const textResult = (text: string): object => ({ content: [{ type: "text", text }] });

describe("the answer to a call", () => {
  afterEach(() => reset());

  it("is JSON when there is nothing before it", async () => {
    const client = await edgeClient(streamTools);
    const response = await client.post(call("progress"));
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: 1, result: textResult("done\u2028\u0085") });
  });

  it("is a stream of progress that grows, and the result", async () => {
    const client = await edgeClient(streamTools);
    const response = await client.post(call("progress", withToken), { "mcp-protocol-version": "2025-06-18" });
    const headers = ["content-type", "cache-control", "x-accel-buffering"].map((name) => response.headers.get(name));
    expect(headers).toEqual(["text/event-stream", "no-store, no-transform", "no"]);
    const reader = new SseReader(response);
    expect(await reader.restMessages()).toEqual([
      progress({ progress: 1, total: 3, message: "one" }),
      progress({ progress: 2, total: 3 }),
      progress({ progress: 3 }),
      { jsonrpc: "2.0", id: 1, result: textResult("done\u2028\u0085") },
    ]);
    expect(reader.raw).toMatch(/^: open\n\n/);
    expect(reader.raw).not.toMatch(/[\r\u0085\u2028\u2029]/);
    expect(reader.raw.split("\n\n").filter((block) => block.split("\ndata:").length > 2)).toEqual([]);
  });

  it("leaves the message of progress out for 2024-11-05", async () => {
    const client = await edgeClient(streamTools);
    const headers = await client.initialize("2024-11-05");
    const reader = new SseReader(await client.post(call("progress", withToken), headers));
    expect(await reader.nextMessage()).toEqual(progress({ progress: 1, total: 3 }));
    await reader.restMessages();
  });

  it("stays JSON for a client that takes nothing else", async () => {
    const client = await edgeClient(streamTools);
    for (const accept of ["application/json", "*/*", ""]) {
      const response = await client.post(call("progress", withToken), { accept });
      expect(response.headers.get("content-type")).toBe("application/json");
      await response.text();
    }
  });

  it("has the log messages that a session wants, from any isolate", async () => {
    const client = await edgeClient(streamTools);
    const elsewhere = await edgeClient(streamTools, client.key);
    const headers = await client.initialize();
    const levelsSeen = async (at: typeof client): Promise<unknown[]> => {
      const response = await at.post(call("logs"), headers);
      if (response.headers.get("content-type") === "application/json") return [];
      const messages = (await new SseReader(response).restMessages()) as { params?: { level: string } }[];
      return messages.flatMap(({ params }) => params?.level ?? []);
    };
    expect(await levelsSeen(client)).toEqual(["info", "error"]);
    const set = { jsonrpc: "2.0", id: 2, method: "logging/setLevel", params: { level: "error" } };
    expect(await (await client.post(set, headers)).json()).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
    expect([await levelsSeen(client), await levelsSeen(elsewhere)]).toEqual([["error"], ["error"]]);
  });

  it("refuses a log level that is none", async () => {
    const client = await edgeClient(streamTools);
    const headers = await client.initialize();
    const set = { jsonrpc: "2.0", id: 2, method: "logging/setLevel", params: { level: "loud" } };
    expect(await (await client.post(set, headers)).json()).toMatchObject({ id: 2, error: { code: -32602 } });
  });

  it("logs to a modern client only what its request asked for", async () => {
    const client = await edgeClient(streamTools);
    const silent = modern("tools/call", { name: "logs", arguments: {} });
    const quiet = await client.post(silent.message, silent.headers);
    expect(quiet.headers.get("content-type")).toBe("application/json");
    await quiet.text();
    const meta = { "io.modelcontextprotocol/logLevel": "info" };
    const wanting = modern("tools/call", { name: "logs", arguments: {} }, { meta });
    const messages = await new SseReader(await client.post(wanting.message, wanting.headers)).restMessages();
    expect(messages.slice(0, -1)).toEqual([
      notification("notifications/message", { level: "info", logger: "test", data: { size: 1 } }),
      notification("notifications/message", { level: "error", data: ["large"] }),
    ]);
  });

  it("is the last word: what a tool says after it makes no stream and reaches nobody", async () => {
    const client = await edgeClient(streamTools);
    const headers = await client.initialize("2025-11-25", { elicitation: {} });
    const response = await client.post(call("late", withToken), headers);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: 1, result: textResult("over") });
    late.talk();
    await runInDurableObject(relayOf(client, headers), (_, { storage }) => {
      expect([...storage.kv.list()]).toEqual([]);
    });
  });

  it("loses nothing to a log message that can't be sent", async () => {
    const client = await edgeClient(streamTools);
    const headers = await client.initialize("2025-06-18");
    expect(await new SseReader(await client.post(call("loose_talk"), headers)).restMessages()).toEqual([
      notification("notifications/message", { level: "error", data: "short" }),
      { jsonrpc: "2.0", id: 1, result: textResult("done") },
    ]);
  });

  it("begins with an event to come back from, in 2025-11-25", async () => {
    const client = await edgeClient(streamTools);
    const headers = await client.initialize();
    const reader = new SseReader(await client.post(call("progress", withToken, "a b"), headers));
    const first = await reader.next();
    expect(first).toEqual({ id: expect.stringMatching(/^c\.[\w-]+\.0$/), retry: "1000", data: "" });
    const ids = [(await reader.next())?.id, (await reader.next())?.id];
    expect(ids.map((id) => id?.split(".")[2])).toEqual(["1", "2"]);
    await reader.restMessages();
  });

  it("is there for a client that comes back to another isolate", async () => {
    const client = await edgeClient(streamTools);
    const elsewhere = await edgeClient(streamTools, client.key);
    const headers = await client.initialize();
    const stream = new SseReader(await client.post(call("gated"), headers));
    const primer = await stream.next();
    expect(await stream.next()).toBeUndefined();
    const back = elsewhere.fetch("/mcp", {
      headers: { ...headers, accept: "text/event-stream", "last-event-id": primer?.id ?? "" },
    });
    const resumed = new SseReader(await back);
    gate.open();
    expect(await resumed.restMessages()).toEqual([{ jsonrpc: "2.0", id: 1, result: textResult("after the gate") }]);
  });

  it("is not there for another key, or another session", async () => {
    const client = await edgeClient(streamTools);
    const headers = await client.initialize();
    const stream = new SseReader(await client.post(call("gated"), headers));
    const primer = await stream.next();
    const other = await client.initialize();
    const resume = { accept: "text/event-stream", "last-event-id": primer?.id ?? "" };
    const foreign = new SseReader(await client.fetch("/mcp", { headers: { ...other, ...resume } }));
    expect(await foreign.restMessages()).toEqual([]);
    const stranger = await edgeClient(streamTools);
    const refused = await stranger.fetch("/mcp", { headers: { ...headers, ...resume } });
    expect(refused.status).toBe(404);
    await refused.text();
    gate.open();
  });
});

describe("a running call", () => {
  afterEach(() => reset());

  it("is cancelled by a legacy client's notification, at whichever isolate it arrives", async () => {
    ends.length = 0;
    const client = await edgeClient(streamTools);
    const elsewhere = await edgeClient(streamTools, client.key);
    const headers = await client.initialize("2025-06-18");
    const reader = new SseReader(await client.post(call("hang", withToken, 7), headers));
    await reader.nextMessage();
    const cancel = notification("notifications/cancelled", { requestId: 7, reason: "enough" });
    const response = await elsewhere.post(cancel, headers);
    expect(response.status).toBe(202);
    expect(await reader.restMessages()).toEqual([]);
    expect(ends).toHaveLength(1);
  });

  it("is cancelled though it was still silent when the notification came, and whatever its client reads", async () => {
    for (const accept of ["application/json, text/event-stream", "application/json"]) {
      ends.length = 0;
      const client = await edgeClient(streamTools);
      const headers = { ...(await client.initialize("2025-06-18")), accept };
      const answer = client.post(call("hang", {}, 7), headers);
      await client.post(notification("notifications/cancelled", { requestId: 7 }), headers);
      const response = await answer;
      expect(await response.text()).not.toContain('"result"');
      expect(ends).toHaveLength(1);
    }
  });

  it("is cancelled by a modern client that hangs up while it streams", async () => {
    ends.length = 0;
    const client = await edgeClient(streamTools);
    const hangUp = new AbortController();
    const { message, headers } = modern(
      "tools/call",
      { name: "hang", arguments: {} },
      { meta: { progressToken: "t" } },
    );
    const reader = new SseReader(await client.post(message, headers, hangUp.signal));
    await reader.nextMessage();
    hangUp.abort();
    await reader.next().catch(() => undefined);
    expect(ends).toHaveLength(1);
  });

  it("is cancelled by a modern client that hangs up while it is still silent", async () => {
    ends.length = 0;
    const client = await edgeClient(streamTools);
    const hangUp = new AbortController();
    const { message, headers } = modern("tools/call", { name: "hang", arguments: {} });
    const [answer] = [client.post(message, headers, hangUp.signal), await running()];
    hangUp.abort();
    expect([(await answer).status, ends.length]).toEqual([499, 1]);
  });

  it("is not cancelled by another session's notification", async () => {
    ends.length = 0;
    const client = await edgeClient(streamTools);
    const [headers, other] = [await client.initialize("2025-06-18"), await client.initialize("2025-06-18")];
    const reader = new SseReader(await client.post(call("hang", withToken, 7), headers));
    await reader.nextMessage();
    await client.post(notification("notifications/cancelled", { requestId: 7 }), other);
    await client.post({ jsonrpc: "2.0", id: 8, method: "ping" }, headers);
    expect(ends).toHaveLength(0);
    await client.post(notification("notifications/cancelled", { requestId: 7 }), headers);
    expect(await reader.restMessages()).toEqual([]);
  });
});

describe("what a call asks", () => {
  afterEach(() => reset());
  const abilities = { elicitation: {}, sampling: {}, roots: {} };

  it("goes out on a legacy call's stream, and is answered at any isolate", async () => {
    const client = await edgeClient(streamTools);
    const elsewhere = await edgeClient(streamTools, client.key);
    const headers = await client.initialize("2025-06-18", abilities);
    const reader = new SseReader(await client.post(call("greet"), headers));
    const who = await reader.nextMessage<{ id: string; method: string; params: object }>();
    expect(who).toMatchObject({ method: "elicitation/create", params: { message: "What is your name?" } });
    const answer = (id: string, result: object): Promise<Response> =>
      elsewhere.post({ jsonrpc: "2.0", id, result }, headers);
    expect((await answer(who.id, { action: "accept", content: { name: "Ada" } })).status).toBe(202);
    const asked = [
      await reader.nextMessage<{ id: string; method: string }>(),
      await reader.nextMessage<{ id: string; method: string }>(),
    ];
    expect(asked.map(({ method }) => method).sort()).toEqual(["roots/list", "sampling/createMessage"]);
    for (const { id, method } of asked) {
      const sampled = { role: "assistant", content: { type: "text", text: "Hail" }, model: "m" };
      await answer(id, method === "roots/list" ? { roots: [{ uri: "file:///a" }] } : sampled);
    }
    expect(await reader.restMessages()).toEqual([
      { jsonrpc: "2.0", id: 1, result: textResult("Hail Ada in file:///a") },
    ]);
  });

  it.each(["before", "after"])("is answered although its relay was reset %s the answer came", async (when) => {
    const client = await edgeClient(streamTools);
    const headers = await client.initialize("2025-06-18", { elicitation: {} });
    const reader = new SseReader(await client.post(call("greet"), headers));
    const { id } = await reader.nextMessage<{ id: string }>();
    const resetRelay = (): Promise<unknown> =>
      runInDurableObject(relayOf(client, headers), (_, state) => state.abort("reset")).catch(() => undefined);
    if (when === "before") await resetRelay();
    expect((await client.post({ jsonrpc: "2.0", id, result: { action: "decline" } }, headers)).status).toBe(202);
    if (when === "after") await resetRelay();
    expect(await reader.restMessages()).toEqual([{ jsonrpc: "2.0", id: 1, result: textResult("no name: decline") }]);
  });

  it("is told to the model where a legacy client can't answer", async () => {
    const client = await edgeClient(streamTools);
    const headers = await client.initialize("2025-06-18");
    expect(await (await client.post(call("greet"), headers)).json()).toMatchObject({ result: { isError: true } });
  });

  it("ends a modern call for now, round after round", async () => {
    const client = await edgeClient(streamTools);
    const elsewhere = await edgeClient(streamTools, client.key);
    const ask = async (at: typeof client, more: object): Promise<Record<string, unknown>> => {
      const { message, headers } = modern(
        "tools/call",
        { name: "greet", arguments: {}, ...more },
        { capabilities: abilities },
      );
      return (await (await at.post(message, headers)).json<{ result: Record<string, unknown> }>()).result;
    };
    const first = await ask(client, {});
    expect(first).toMatchObject({
      resultType: "input_required",
      inputRequests: { who: { method: "elicitation/create" } },
      requestState: expect.any(String),
    });
    const second = await ask(elsewhere, {
      inputResponses: { who: { action: "accept", content: { name: "Ada" } }, unasked: 1 },
      requestState: first["requestState"],
    });
    expect(Object.keys(second["inputRequests"] as object).sort()).toEqual(["how", "where"]);
    const third = await ask(client, {
      inputResponses: {
        how: { role: "assistant", content: { type: "text", text: "Hail" }, model: "m" },
        where: { roots: [{ uri: "file:///a" }] },
      },
      requestState: second["requestState"],
    });
    expect(third).toMatchObject({ resultType: "complete", ...textResult("Hail Ada in file:///a") });
  });

  it("may be asked under any name", async () => {
    const client = await edgeClient(streamTools);
    const ask = async (more: object): Promise<{ inputRequests?: object; requestState?: string; content?: object }> => {
      const { message, headers } = modern(
        "tools/call",
        { name: "odd_names", arguments: {}, ...more },
        { capabilities: abilities },
      );
      return (await (await client.post(message, headers)).json<{ result: object }>()).result;
    };
    const first = await ask({});
    expect(Object.keys(first.inputRequests ?? {})).toEqual(["__proto__", "constructor"]);
    const inputResponses: unknown = JSON.parse('{"__proto__": {"action": "cancel"}}');
    const second = await ask({ inputResponses, requestState: first.requestState });
    expect(Object.keys(second.inputRequests ?? {})).toEqual(["constructor"]);
    const last = { inputResponses: { constructor: { action: "decline" } }, requestState: second.requestState };
    expect(await ask(last)).toMatchObject(textResult("__proto__ cancel, constructor decline"));
  });

  it.each([
    ["altered", (state: string) => `${state}x`],
    ["made up", () => "e30.abc"],
    ["not a text", () => 7],
  ])("refuses a requestState that is %s", async (_, alter) => {
    const client = await edgeClient(streamTools);
    const send = async (more: object): Promise<{ error?: object; result?: { requestState: string } }> => {
      const { message, headers } = modern(
        "tools/call",
        { name: "greet", arguments: {}, ...more },
        { capabilities: abilities },
      );
      return (await client.post(message, headers)).json();
    };
    const state = (await send({})).result?.requestState ?? "";
    expect(await send({ requestState: alter(state) })).toMatchObject({ error: { code: -32602 } });
  });

  it("needs what a modern client declared: −32021 says what is missing", async () => {
    const client = await edgeClient(streamTools);
    const { message, headers } = modern(
      "tools/call",
      { name: "greet", arguments: {} },
      { capabilities: { sampling: {} } },
    );
    const response = await client.post(message, headers);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } },
    });
  });
});
