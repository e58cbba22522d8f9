import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { hubName, hubStub, registryStub } from "../../src/env.ts";
import type { HubStub } from "../../src/sessions/hub-contract.ts";
import { readAttachment } from "../../src/sessions/attachment.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { testEnv } from "../support/counting-env.ts";
import { admin, openTestSession, openTestSocket, type TestSocket } from "../support/test-socket.ts";

const CHANGED = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
const PING = { jsonrpc: "2.0", id: 7, method: "ping" };
const PONG = { jsonrpc: "2.0", id: 7, result: {} };

const hub = (number = 0): DurableObjectStub =>
  hubStub(testEnv, hubName("weur", number)) as unknown as DurableObjectStub;
const countSockets = (number: number): Promise<number> =>
  runInDurableObject(hub(number), (_, ctx) => ctx.getWebSockets().length);
const publish = (): Promise<boolean> => runDurableObjectAlarm(registryStub(testEnv) as unknown as DurableObjectStub);
const setEnabled = (enabled: boolean): Promise<unknown> => admin("PATCH", "/tools/tone", { enabled });
const mintKey = async (more: object = {}): Promise<string> =>
  (await admin<{ key: string }>("POST", "/keys", { name: "test", ...more })).key;
const alarm = (): Promise<boolean> => runDurableObjectAlarm(hub());
const pass = (ms: number): void => {
  vi.setSystemTime(Date.now() + ms);
};
/** Waits until everything that was sent to a socket has come. */
async function sync(socket: TestSocket): Promise<void> {
  const id = crypto.randomUUID();
  socket.send({ jsonrpc: "2.0", id, method: "ping" });
  await socket.take((frame) => (frame as { id?: unknown }).id === id);
}
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const listen = (id: string) => ({
  jsonrpc: "2.0",
  id,
  method: "subscriptions/listen",
  params: { _meta: META, notifications: { toolsListChanged: true } },
});
const changedFor = (id: string) => ({
  ...CHANGED,
  params: { _meta: { "io.modelcontextprotocol/subscriptionId": id } },
});
const streams = (number: number) => ({ limits: { perMinute: 600, streams: number } });
const inFuture = (ms: number): string => new Date(Date.now() + ms).toISOString();

describe("SessionHub", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await reset();
  });

  it("passes requests on and writes their answers back", async () => {
    const socket = await openTestSession(await mintKey());
    socket.send(PING);
    expect(await socket.next()).toEqual(PONG);
  });

  it("tells a session of a change, once", async () => {
    const socket = await openTestSession(await mintKey());
    await setEnabled(false);
    expect(await publish()).toBe(true);
    expect(await socket.next()).toEqual(CHANGED);
    await runInDurableObject(hub(), (object) => {
      (object as unknown as HubStub).publish({ v: 1, version: 2, epoch: 1, closures: [], changes: [], audience: 0 });
    });
    socket.send(PING);
    expect([await socket.next(), socket.rest()]).toEqual([PONG, []]);
  });

  it("has no news for a socket that did not shake hands", async () => {
    const socket = await openTestSocket(await mintKey());
    await setEnabled(false);
    await publish();
    socket.send(PING);
    expect(await socket.next()).toEqual(PONG);
    socket.send({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect(await socket.next()).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: {
        code: -32600,
        message: "Invalid request: send initialize first, or declare a protocol version in _meta",
      },
    });
  });

  it("keeps its sessions through an eviction, for requests and for news", async () => {
    const socket = await openTestSession(await mintKey(), "2025-06-18");
    socket.send(PING);
    await socket.next();
    await evictDurableObject(hub());
    socket.send(PING);
    expect(await socket.next()).toEqual(PONG);
    await evictDurableObject(hub());
    await setEnabled(false);
    await publish();
    expect(await socket.next()).toEqual(CHANGED);
    await evictDurableObject(hub());
    await setEnabled(true);
    await publish();
    expect(await socket.next()).toEqual(CHANGED);
  });

  it("closes a socket whose attachment it can't make sense of", async () => {
    const socket = await openTestSession(await mintKey());
    await runInDurableObject(hub(), (_, ctx) => {
      for (const server of ctx.getWebSockets()) server.serializeAttachment({ from: "another release" });
    });
    socket.send(PING);
    expect((await socket.closed).code).toBe(1012);
  });

  it("lets only so many requests run at once on a socket", async () => {
    const socket = await openTestSession(await mintKey());
    for (let id = 100; id < 164; id++) socket.send({ jsonrpc: "2.0", id, method: "ping" });
    const answers = await Promise.all(Array.from({ length: 64 }, () => socket.next()));
    const ids = answers.map((answer) => (answer as { id: number }).id).sort((a, b) => a - b);
    expect(ids).toEqual(Array.from({ length: 64 }, (_, index) => 100 + index));
  });

  it("holds only so many sockets of one key, and leaves the others' room", async () => {
    const [key, other] = [await mintKey(), await mintKey()];
    for (let socket = 0; socket < LIMITS.keySockets; socket++) await openTestSocket(key);
    await expect(openTestSocket(key)).rejects.toThrow("answered with 429");
    const socket = await openTestSession(other);
    socket.send(PING);
    expect(await socket.next()).toEqual(PONG);
  });

  it("holds as many sockets of a key as that says, where it says a number", async () => {
    const [few, many] = [await mintKey(streams(1)), await mintKey(streams(LIMITS.keySockets + 1))];
    await openTestSocket(few);
    await expect(openTestSocket(few)).rejects.toThrow("answered with 429");
    for (let socket = 0; socket <= LIMITS.keySockets; socket++) await openTestSocket(many);
    await expect(openTestSocket(many)).rejects.toThrow("answered with 429");
  });

  it("is followed by the next hub of its region when it is full, and both hear of a change", async () => {
    const limits = LIMITS as { hubSockets: number; fullHubMs: number };
    const before = { ...limits };
    Object.assign(limits, { hubSockets: 2, fullHubMs: 0 });
    try {
      const key = await mintKey();
      const sockets = [await openTestSession(key), await openTestSession(key), await openTestSession(key)];
      await setEnabled(false);
      await publish();
      expect(await Promise.all(sockets.map((socket) => socket.next()))).toEqual([CHANGED, CHANGED, CHANGED]);
      expect([await countSockets(0), await countSockets(1)]).toEqual([2, 1]);
      sockets[0]?.close();
      await vi.waitFor(async () => expect(await countSockets(0)).toBe(1));
      await openTestSession(key);
      await openTestSession(key);
      expect([await countSockets(0), await countSockets(1)]).toEqual([2, 2]);
    } finally {
      Object.assign(limits, before);
    }
  });

  it("tells a key of what it may see, and of nothing else", async () => {
    const [all, seeing, blind] = [
      await openTestSession(await mintKey()),
      await openTestSession(await mintKey({ tools: { allow: ["t*"] } })),
      await openTestSession(await mintKey({ tools: { deny: ["tone"] } })),
    ];
    await setEnabled(false);
    await publish();
    expect([await all.next(), await seeing.next()]).toEqual([CHANGED, CHANGED]);
    blind.send(PING);
    expect([await blind.next(), blind.rest()]).toEqual([PONG, []]);
    await admin("PATCH", "/tools/calculate", { enabled: false });
    await publish();
    expect([await all.next(), await blind.next()]).toEqual([CHANGED, CHANGED]);
    seeing.send(PING);
    expect([await seeing.next(), seeing.rest()]).toEqual([PONG, []]);
  });

  it("closes the sockets of a key when it expires, and waits for the next", async () => {
    const later = await openTestSession(await mintKey({ expiresAt: inFuture(3_600_000) }));
    const soon = await openTestSession(await mintKey({ expiresAt: inFuture(60_000) }));
    expect(await alarm()).toBe(true);
    pass(60_001);
    expect(await alarm()).toBe(true);
    expect(await soon.closed).toEqual({ code: 1008, reason: "API key expired" });
    later.send(PING);
    expect(await later.next()).toEqual(PONG);
    pass(3_600_000);
    expect(await alarm()).toBe(true);
    expect(await later.closed).toEqual({ code: 1008, reason: "API key expired" });
  });

  it("closes a socket that nobody has used for hours, and none that is used", async () => {
    const [idle, used] = [await openTestSession(await mintKey()), await openTestSession(await mintKey())];
    pass(LIMITS.socketIdleMs * 0.74);
    await alarm();
    await sync(used);
    pass(LIMITS.socketIdleMs * 0.51);
    await evictDurableObject(hub());
    await alarm();
    expect(await idle.closed).toEqual({ code: 1001, reason: "idle for long, connect again" });
    await sync(used);
  });

  it("asks sessions for a sign of life, and closes those that give none", async () => {
    const [alive, busy, dead] = [
      await openTestSession(await mintKey()),
      await openTestSession(await mintKey()),
      await openTestSession(await mintKey()),
    ];
    const silent = await openTestSocket(await mintKey());
    pass(LIMITS.socketPingMs);
    await alarm();
    const ping = { jsonrpc: "2.0", id: "toolgate.ping", method: "ping" };
    expect([await alive.next(), await busy.next(), await dead.next()]).toEqual([ping, ping, ping]);
    alive.send({ jsonrpc: "2.0", id: "toolgate.ping", result: {} });
    busy.send(PING);
    expect(await busy.next()).toEqual(PONG);
    await evictDurableObject(hub());
    pass(LIMITS.socketPongMs);
    await alarm();
    expect(await dead.closed).toEqual({ code: 1001, reason: "no answer to ping" });
    for (const socket of [alive, busy, silent]) socket.send(PING);
    expect([await alive.next(), await busy.next(), await silent.next()]).toEqual([PONG, PONG, PONG]);
    pass(LIMITS.socketPingMs);
    await alarm();
    expect(await alive.next()).toEqual(ping);
  });

  it.each([
    ["no JSON", "nonsense", -32700],
    ["no JSON-RPC", [1], -32600],
    ["a request before initialize", { jsonrpc: "2.0", id: 1, method: "tools/list" }, -32600],
  ])("answers a first message that is %s, and closes with 1008", async (_, message, code) => {
    const socket = await openTestSocket(await mintKey());
    socket.send(message);
    expect(await socket.next()).toMatchObject({ error: { code } });
    expect(await socket.closed).toEqual({ code: 1008, reason: "the first message must open a session" });
  });

  it("refuses frames beyond its rate, and takes them again once time has passed", async () => {
    const socket = await openTestSession(await mintKey({ limits: { perMinute: 100_000 } }));
    await sync(socket);
    pass(60_000);
    const together = 20;
    for (let sent = 0; sent < LIMITS.socketFramesBurst; sent += together) {
      for (let each = 0; each < together; each++) socket.send(PING);
      for (let each = 0; each < together; each++) expect(await socket.next()).toEqual(PONG);
    }
    socket.send(PING);
    expect(await socket.next()).toMatchObject({ error: { code: 429 } });
    pass(60_000);
    socket.send(PING);
    expect(await socket.next()).toEqual(PONG);
  });

  it("tells a large audience in turn, each once", async () => {
    const limits = LIMITS as { promptAudience: number; toldPerSecond: number };
    const before = { ...limits };
    Object.assign(limits, { promptAudience: 0, toldPerSecond: 2 });
    onTestFinished(() => void Object.assign(limits, before));
    const key = await mintKey();
    const sockets = await Promise.all(Array.from({ length: 8 }, () => openTestSession(key)));
    await setEnabled(false);
    await publish();
    const heardBy: number[] = [];
    for (let tick = 0; tick < 4; tick++) {
      await Promise.all(sockets.map(sync));
      heardBy.push(sockets.filter((socket) => socket.rest().length > 0).length);
      pass(LIMITS.spreadTickMs);
      if (tick === 1) await evictDurableObject(hub());
      await alarm();
    }
    expect(heardBy).toEqual([2, 4, 6, 8]);
    expect(sockets.map((socket) => socket.rest())).toEqual(sockets.map(() => [CHANGED]));
  });

  it("tells a stateless client that subscribes shortly after a change, once", async () => {
    await setEnabled(false);
    const socket = await openTestSocket(await mintKey());
    const blind = await openTestSocket(await mintKey({ tools: { deny: ["tone"] } }));
    for (const id of ["a", "b"]) {
      socket.send(listen(id));
      expect(await socket.next()).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
      if (id === "a") expect(await socket.next()).toEqual(changedFor("a"));
    }
    blind.send(listen("c"));
    await blind.next();
    await Promise.all([socket, blind].map(sync));
    pass(LIMITS.listTtlMs * 1.2 + LIMITS.listLeaseMs);
    const late = await openTestSocket(await mintKey());
    late.send(listen("d"));
    await late.next();
    await sync(late);
    expect([socket, blind, late].map((each) => each.rest())).toEqual([[], [], []]);
  });

  it("says who is connected", async () => {
    const { key, id } = await admin<{ key: string; id: string }>("POST", "/keys", { name: "test" });
    await openTestSession(key, "2025-06-18");
    await openTestSocket(key);
    expect(await admin("GET", "/sessions")).toEqual({
      total: 2,
      hubs: [{ hub: hubName("weur"), reached: true, sessions: 2, awakeSince: expect.any(String) }],
      sessions: expect.arrayContaining([
        {
          kind: "websocket",
          keyId: id,
          openedAt: expect.any(String),
          revision: "2025-06-18",
          client: { name: "test", version: "1" },
          hub: hubName("weur"),
        },
        { kind: "websocket", keyId: id, openedAt: expect.any(String), hub: hubName("weur") },
      ]),
    });
  });

  it("cuts off a client that goes on asking when there is no room for it", async () => {
    const socket = await openTestSession(await mintKey());
    await runInDurableObject(hub(), (object, ctx) => {
      const [server] = ctx.getWebSockets();
      const { webSocketMessage } = object as unknown as {
        webSocketMessage(to: WebSocket, frame: string): Promise<void>;
      };
      if (!server) throw new Error("no socket");
      const frames = Array.from({ length: LIMITS.socketRequests + LIMITS.socketRefusals + 1 }, (_, id) =>
        webSocketMessage.call(object, server, JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })),
      );
      return Promise.all(frames);
    });
    expect(await socket.closed).toEqual({ code: 1008, reason: "too many requests" });
  });

  it("closes a revoked key's sockets without being asked", async () => {
    const { key, id } = await admin<{ key: string; id: string }>("POST", "/keys", { name: "test" });
    const socket = await openTestSession(key);
    const bystander = await openTestSession(await mintKey());
    await admin("DELETE", `/keys/${id}`);
    await publish();
    expect(await socket.closed).toEqual({ code: 1008, reason: "ended by the server" });
    bystander.send(PING);
    expect(await bystander.next()).toEqual(PONG);
  });

  it("charges for nonsense", async () => {
    const socket = await openTestSession(await mintKey());
    for (let frame = 0; frame < 4 * LIMITS.controlBurst; frame++) {
      socket.send("nonsense");
      const answer = (await socket.next()) as { error: { code: number } };
      if (answer.error.code === 429) return;
      expect(answer.error.code).toBe(-32700);
    }
    expect.unreachable("nonsense stayed free");
  });

  it("remembers who is on a socket and what it heard", async () => {
    await openTestSession(await mintKey(), "2025-03-26");
    await runInDurableObject(hub(), (_, ctx) => {
      expect(ctx.getWebSockets().map(readAttachment)).toEqual([
        {
          heard: 1,
          greeted: true,
          pinged: false,
          idleAtMs: expect.any(Number),
          kind: "websocket",
          openedAtMs: expect.any(Number),
          subscriptions: [],
          session: {
            v: 1,
            keyId: expect.stringMatching(/^k[a-z2-7]{15}$/),
            digest: expect.any(String),
            host: "toolgate.example",
            region: "weur",
            legacy: {
              revision: "2025-03-26",
              client: { name: "test", version: "1" },
              abilities: { form: false, url: false, sampling: false, roots: false },
            },
          },
        },
      ]);
    });
  });
});
