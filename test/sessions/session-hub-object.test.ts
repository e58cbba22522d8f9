import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { hubName, hubStub, registryStub } from "../../src/env.ts";
import type { HubStub } from "../../src/sessions/hub-contract.ts";
import { readAttachment } from "../../src/sessions/attachment.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { testEnv } from "../support/counting-env.ts";
import { admin, openTestSession, openTestSocket } from "../support/test-socket.ts";

const CHANGED = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
const PING = { jsonrpc: "2.0", id: 7, method: "ping" };
const PONG = { jsonrpc: "2.0", id: 7, result: {} };

const hub = (): DurableObjectStub => hubStub(testEnv, hubName("weur")) as unknown as DurableObjectStub;
const publish = (): Promise<boolean> => runDurableObjectAlarm(registryStub(testEnv) as unknown as DurableObjectStub);
const setEnabled = (enabled: boolean): Promise<unknown> => admin("PATCH", "/tools/tone", { enabled });
const mintKey = async (more: object = {}): Promise<string> =>
  (await admin<{ key: string }>("POST", "/keys", { name: "test", ...more })).key;
const inFuture = (ms: number): string => new Date(Date.now() + ms).toISOString();

describe("SessionHub", () => {
  afterEach(() => reset());

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
      const held = [0, 1].map((number) =>
        runInDurableObject(
          hubStub(testEnv, hubName("weur", number)) as unknown as DurableObjectStub,
          (_, ctx) => ctx.getWebSockets().length,
        ),
      );
      expect(await Promise.all(held)).toEqual([2, 1]);
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
    await runInDurableObject(hub(), (_, ctx) => {
      for (const socket of ctx.getWebSockets()) {
        const attachment = readAttachment(socket);
        const session = attachment?.session;
        if (!session?.expiresAtMs || session.expiresAtMs > Date.now() + 120_000) continue;
        socket.serializeAttachment({ ...attachment, session: { ...session, expiresAtMs: Date.now() - 1 } });
      }
    });
    expect(await runDurableObjectAlarm(hub())).toBe(true);
    expect(await soon.closed).toEqual({ code: 1008, reason: "API key expired" });
    later.send(PING);
    expect(await later.next()).toEqual(PONG);
    expect(await runDurableObjectAlarm(hub())).toBe(true);
  });

  it("says who is connected", async () => {
    const { key, id } = await admin<{ key: string; id: string }>("POST", "/keys", { name: "test" });
    await openTestSession(key, "2025-06-18");
    await openTestSocket(key);
    expect(await admin("GET", "/sessions")).toEqual({
      total: 2,
      hubs: [{ hub: hubName("weur"), reached: true, sessions: 2 }],
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
    expect(await socket.closed).toEqual({ code: 1008, reason: "too many requests at once" });
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
          kind: "websocket",
          openedAtMs: expect.any(Number),
          subscriptions: [],
          session: {
            v: 1,
            keyId: expect.stringMatching(/^k[a-z2-7]{15}$/),
            digest: expect.any(String),
            host: "toolgate.example",
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
