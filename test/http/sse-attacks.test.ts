// HTTP+SSE of 2024-11-05 in hostile hands: wrong sessions, bodies that must not be read, readers that hang, hubs that stall.

import { evictDurableObject, reset } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { hubName, hubStub, signingSecrets } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { sealText } from "../../src/lib/sealed-text.ts";
import { builtinTools } from "../../src/tools/builtin/catalog.ts";
import { errorOf, openGate, readAnswer, request, unreadStream, brokenStream, type Gate } from "../support/app.ts";
import { testEnv } from "../support/counting-env.ts";
import { silentEnv } from "../support/lost-calls.ts";
import { narrow } from "../support/narrow.ts";
import { SseReader } from "../support/sse-reader.ts";

afterEach(() => reset());

const AS_JSON = { "content-type": "application/json" };
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

const NO_SESSION = {
  status: 404,
  body: errorOf(404, null, "Session not found: its stream is gone. Open /sse again"),
};

/** A session on a stream, where to post for it, and a way to do so. */
async function open(gate: Gate, key: string) {
  const reader = new SseReader(await gate.fetch("/sse", { headers: bearer(key) }));
  const { data: path = "" } = (await reader.next()) ?? {};
  const post = async (body: BodyInit, headers: Record<string, string> = {}, as = key) =>
    gate.fetch(path, { method: "POST", headers: { ...bearer(as), ...AS_JSON, ...headers }, body });
  await post(JSON.stringify(request("initialize", INITIALIZE)));
  await reader.nextMessage();
  return { reader, path, post };
}

const INITIALIZE = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "c", version: "1" } };

const PING = JSON.stringify(request("ping"));

describe("a session that is not the caller's", () => {
  it.each([
    ["none", () => ""],
    ["an empty one", () => "?session="],
    ["one that nobody sealed", () => `?session=${"x".repeat(200)}.y`],
    ["one that is too long", () => `?session=${"x".repeat(LIMITS.sessionIdChars + 1)}`],
    ["two", (own: string) => `?session=x&${own.split("?")[1]}`],
    ["one that was changed", (own: string) => `?${own.split("?")[1]}x`],
  ] as const)("%s is unknown", async (_, queryOf) => {
    const gate = openGate();
    const key = await gate.mint();
    const { path } = await open(gate, key);
    const headers = { ...bearer(key), ...AS_JSON };
    const response = await gate.fetch(`/messages${queryOf(path)}`, { method: "POST", headers, body: PING });
    expect(await readAnswer(response)).toEqual(NO_SESSION);
  });

  it("that of another key is unknown, and its stream hears nothing of it", async () => {
    const gate = openGate();
    const [mine, theirs] = [await gate.mint(), await gate.mint()];
    const { post, reader } = await open(gate, theirs);
    expect(await readAnswer(await post(PING, {}, mine))).toEqual(NO_SESSION);
    await (await post(JSON.stringify(request("ping", {}, "own")))).text();
    expect(await reader.nextMessage()).toMatchObject({ id: "own", result: {} });
  });

  it("one sealed for something else by this server is unknown", async () => {
    const gate = openGate();
    const key = await gate.mint();
    const keyId = key.split("_")[1];
    const secrets = signingSecrets(testEnv);
    for (const sealed of [
      await sealText(secrets, "request-state", { keyId, hub: "hub:weur:0", channel: "c" }),
      await sealText(secrets, "sse", { keyId, hub: "hub:weur:0", channel: "nobody's" }),
      await sealText(secrets, "sse", { keyId, hub: 7 }),
    ]) {
      const headers = { ...bearer(key), ...AS_JSON };
      const response = await gate.fetch(`/messages?session=${sealed}`, { method: "POST", headers, body: PING });
      expect(await readAnswer(response)).toEqual(NO_SESSION);
    }
  });

  it("one whose stream is gone is unknown", async () => {
    const gate = openGate();
    const { post } = await open(gate, await gate.mint());
    const hub = hubStub(testEnv, hubName("weur")) as unknown as DurableObjectStub;
    await evictDurableObject(hub, { webSockets: "close" });
    expect(await readAnswer(await post(PING))).toEqual(NO_SESSION);
  });

  it("answers of two streams of one key don't mix", async () => {
    const gate = openGate();
    const key = await gate.mint();
    const [one, other] = [await open(gate, key), await open(gate, key)];
    await one.post(JSON.stringify(request("ping", {}, "one")));
    await other.post(JSON.stringify(request("ping", {}, "other")));
    expect([await one.reader.nextMessage(), await other.reader.nextMessage()]).toMatchObject([
      { id: "one", result: {} },
      { id: "other", result: {} },
    ]);
  });
});

describe("a body", () => {
  it.each([
    ["that is longer than it may be, as it says", "x".repeat(LIMITS.bodyBytes + 1), {}, 413],
    ["that is packed", PING, { "content-encoding": "gzip" }, 415],
    ["of another type", PING, { "content-type": "text/plain" }, 415],
    ["that is not UTF-8", new Uint8Array([0x22, 0xff, 0x22]), {}, 400],
    ["with an idempotency key beside it", PING, { "idempotency-key": '"k"' }, 400],
  ] as const)("%s is refused", async (_, body, headers, status) => {
    const gate = openGate();
    const { post } = await open(gate, await gate.mint());
    expect((await post(body, headers)).status).toBe(status);
  });

  it("is read up to the limit and no further, whatever it says of its length", async () => {
    const gate = openGate();
    const { post } = await open(gate, await gate.mint());
    let pulled = 0;
    const endless = new ReadableStream({
      type: "bytes",
      pull: (controller) => {
        pulled += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    const { status } = await post(endless);
    expect([status, pulled <= LIMITS.bodyBytes + 4 * 65_536]).toEqual([413, true]);
  });

  it("that breaks off is refused, and leaves the session as it is", async () => {
    const gate = openGate();
    const { post, reader } = await open(gate, await gate.mint());
    const refused = await readAnswer(await post(brokenStream(PING.slice(0, 9))));
    await post(JSON.stringify(request("ping", {}, "after")));
    const breakOff = { status: 400, body: errorOf(-32600, null, "Invalid request: the body broke off") };
    expect([refused, await reader.nextMessage()]).toMatchObject([breakOff, { id: "after", result: {} }]);
  });

  it.each([
    ["without a key", {}],
    ["with a wrong one", bearer(`tg_k${"a".repeat(15)}_${"b".repeat(48)}`)],
  ])("%s is not read", async (_, headers) => {
    const gate = openGate();
    const { path } = await open(gate, await gate.mint());
    const init = { method: "POST", headers: { ...AS_JSON, ...headers }, body: unreadStream() };
    expect((await gate.fetch(path, init as RequestInit)).status).toBe(401);
  });

  it.each([
    [
      "nested too deep",
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}}`,
    ],
    ["no JSON", "{"],
    ["no message", "7"],
    ["a batch", `[${PING}]`],
  ])("%s is answered on the stream, which goes on", async (_, body) => {
    const gate = openGate();
    const { post, reader } = await open(gate, await gate.mint());
    expect((await post(body)).status).toBe(202);
    expect(await reader.nextMessage()).toMatchObject({ error: { code: expect.any(Number) as number } });
    await post(JSON.stringify(request("ping", {}, "after")));
    expect(await reader.nextMessage()).toMatchObject({ id: "after", result: {} });
  });
});

it("methods that there are none of are refused by name", async () => {
  const gate = openGate();
  const headers = bearer(await gate.mint());
  const answers = [await gate.fetch("/messages", { headers }), await gate.fetch("/sse", { method: "POST", headers })];
  expect(answers.map(({ status, headers }) => [status, headers.get("allow")])).toEqual([
    [405, "POST"],
    [405, "GET"],
  ]);
});

it("a client that does not read is cut off, and its session ends with its stream", async () => {
  const gate = openGate(builtinTools);
  const { post, reader } = await open(gate, await gate.mint());
  narrow({ streamBytes: 2_000 });
  const call = JSON.stringify(request("tools/list"));
  const statuses: number[] = [];
  for (let n = 0; n < 20 && statuses.at(-1) !== 404; n++) {
    statuses.push((await post(call)).status);
    // Until what came of it is written, nobody knows that it is not read.
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await reader.cancel();
  expect([statuses[0], statuses.at(-1)]).toEqual([202, 404]);
});

it("a hub that takes a message and says nothing is given up in time", async () => {
  const { env, silence } = silentEnv();
  const gate = openGate(builtinTools, env);
  const { post } = await open(gate, await gate.mint());
  silence("SESSION_HUB", "receive");
  expect(await readAnswer(await post(PING))).toEqual({
    status: 503,
    body: errorOf(503, null, expect.any(String), { retryAfterSeconds: 2 }),
  });
});
