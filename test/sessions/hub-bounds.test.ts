// What a hub holds, tells and refuses, at each bound and one beyond it.

import { reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { hubName, hubStub, registryStub } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { FrameChannelTarget, SocketCalls } from "../../src/sessions/frame-channel-object.ts";
import { isNewsOfLate, isNewsSince, spreadMsOf, type HubPlace } from "../../src/sessions/hub-place.ts";
import { testEnv } from "../support/counting-env.ts";
import { narrow } from "../support/narrow.ts";
import { admin, openTestSession, openTestSocket, type TestSocket } from "../support/test-socket.ts";

const hub = (): DurableObjectStub => hubStub(testEnv, hubName("weur")) as unknown as DurableObjectStub;
const publish = (): Promise<boolean> => runDurableObjectAlarm(registryStub(testEnv) as unknown as DurableObjectStub);
const mintKey = async (more: object = {}): Promise<string> =>
  (await admin<{ key: string }>("POST", "/keys", { name: "test", ...more })).key;
const ping = (id: number, more: object = {}) => JSON.stringify({ jsonrpc: "2.0", id, method: "ping", ...more });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(async () => {
  vi.useRealTimers();
  await reset();
});

/** A session of which nothing is on its way. */
async function openIdle(): Promise<TestSocket> {
  const socket = await openTestSession(await mintKey());
  socket.send(ping(-1));
  await socket.next();
  return socket;
}

/** How many sockets there are, and how many are listed. */
async function shown(): Promise<[number, number]> {
  const { total, sessions } = await admin<{ total: number; sessions: unknown[] }>("GET", "/sessions");
  return [total, sessions.length];
}

/** Has the hub take frames of its only socket at the same moment. */
const takeAtOnce = (frames: string[]): Promise<unknown> =>
  runInDurableObject(hub(), (object, ctx) => {
    const [server] = ctx.getWebSockets();
    const { webSocketMessage } = object as unknown as {
      webSocketMessage(to: WebSocket, frame: string): Promise<void>;
    };
    if (!server) throw new Error("no socket");
    return Promise.all(frames.map((frame) => webSocketMessage.call(object, server, frame)));
  });

const answers = async (socket: TestSocket, count: number): Promise<{ id: number; refused: boolean }[]> => {
  const frames = await Promise.all(Array.from({ length: count }, () => socket.next()));
  return (frames as { id: number; error?: { code: number } }[])
    .map(({ id, error }) => ({ id, refused: error?.code === 429 }))
    .toSorted((a, b) => a.id - b.id);
};

describe("requests at once on a socket", () => {
  const TOO_MANY = "Too many requests: at most 4 at once and 30000 a minute on a socket";

  it("are so many; one more is refused", async () => {
    const socket = await openIdle();
    const count = LIMITS.socketRequests + 1;
    await takeAtOnce(Array.from({ length: count }, (_, id) => ping(id)));
    expect(await answers(socket, count)).toEqual(
      Array.from({ length: count }, (_, id) => ({ id, refused: id === LIMITS.socketRequests })),
    );
  });

  it.each([
    [4, 0],
    [5, 1],
    [20, 16],
  ])("are counted one by one in a batch: of %i the last %i are refused, in its answer", async (count, refused) => {
    narrow({ socketRequests: 4 });
    const socket = await openTestSession(await mintKey(), "2025-03-26");
    socket.send(ping(-1));
    await socket.next();
    const silent = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
    for (const round of [1, 2]) {
      const batch = Array.from({ length: count }, (_, id) => ping(id * round));
      socket.send(`[${[...batch, ...(count < LIMITS.batchItems ? [silent] : [])].join(",")}]`);
      const answer = (await socket.next()) as { id: number; error?: unknown }[];
      expect(answer).toEqual(
        Array.from({ length: count }, (_, id) =>
          id < count - refused
            ? { jsonrpc: "2.0", id: id * round, result: {} }
            : { jsonrpc: "2.0", id: id * round, error: { code: 429, message: TOO_MANY } },
        ),
      );
    }
  });

  it("are all of all frames and batches together, until these end", async () => {
    const calls = new SocketCalls();
    const [first, second] = [new FrameChannelTarget(calls, () => true), new FrameChannelTarget(calls, () => true)];
    calls.begin();
    calls.begin();
    const granted = [await first.claim(LIMITS.socketRequests - 3), await second.claim(2), await first.claim(1)];
    const admitted = calls.admit(Date.now());
    first.end();
    expect([granted, admitted, calls.admit(Date.now())]).toEqual([[LIMITS.socketRequests - 3, 1, 0], false, true]);
    expect(await second.claim(LIMITS.socketRequests)).toBe(LIMITS.socketRequests - 3);
  });

  it("are refused under their ids however long they are, each of a batch, and notifications not at all", async () => {
    const socket = await openIdle();
    const chars = LIMITS.refusedFrameChars - ping(0, { params: { text: "" } }).length;
    const long = (id: number, more: number): string =>
      ping(id, { params: { text: "x".repeat(chars - String(id).length + 1 + more) } });
    const others = Array.from({ length: LIMITS.socketRequests }, (_, id) => ping(id));
    const refused = [
      long(100, 0),
      long(101, 1),
      long(102, 1_000_000),
      `[${long(103, 0)},${ping(104)}]`,
      long(0, 1).replace('"id":0,', ""),
    ];
    await takeAtOnce([...others, ...refused]);
    const all = await answers(socket, LIMITS.socketRequests + 5);
    expect(all.filter((answer) => answer.refused).map(({ id }) => id)).toEqual([100, 101, 102, 103, 104]);
    expect(socket.rest()).toEqual([]);
  });
});

describe("sockets of a region", () => {
  it("fill one hub after the other, and are refused when as many hubs as there may be are full", async () => {
    narrow({ hubSockets: 1, regionHubs: 2, fullHubMs: 0 });
    const key = await mintKey();
    await openTestSocket(key);
    await openTestSocket(key);
    await expect(openTestSocket(key)).rejects.toThrow("answered with 503");
  });

  it("are shown up to a number, and counted beyond it", async () => {
    narrow({ sessionsListed: 2 });
    const key = await mintKey();
    await openTestSocket(key);
    await openTestSocket(key);
    expect(await shown()).toEqual([2, 2]);
    await openTestSocket(key);
    expect(await shown()).toEqual([3, 2]);
  });
});

const CHANGED = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
const changedFor = (id: number) => ({
  ...CHANGED,
  params: { _meta: { "io.modelcontextprotocol/subscriptionId": id } },
});

const refusalFor = (id: number) => ({
  jsonrpc: "2.0",
  id,
  error: {
    code: 429,
    message: `Too many subscriptions: at most ${LIMITS.socketSubscriptions} on a socket, cancel one first`,
    data: { retryAfterSeconds: 5 },
  },
});

describe("subscriptions of a socket", () => {
  const META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };

  const listen = (id: number) => ({
    jsonrpc: "2.0",
    id,
    method: "subscriptions/listen",
    params: { _meta: META, notifications: { toolsListChanged: true } },
  });
  const most = Array.from({ length: LIMITS.socketSubscriptions }, (_, id) => id);

  it.each([
    [LIMITS.socketSubscriptions - 1, 0],
    [LIMITS.socketSubscriptions, 0],
    [LIMITS.socketSubscriptions + 4, 4],
  ])("of %i the last %i are refused, and the others hear", async (count, refused) => {
    const socket = await openTestSocket(await mintKey());
    for (let id = 0; id < count; id++) {
      socket.send(listen(id));
      const isRefused = id >= count - refused;
      const method = "notifications/subscriptions/acknowledged";
      expect(await socket.next()).toEqual(isRefused ? refusalFor(id) : expect.objectContaining({ method }));
    }
    await admin("PATCH", "/tools/tone", { enabled: false });
    await publish();
    const told: unknown[] = [];
    for (let each = 0; each < count - refused; each++) told.push(await socket.next());
    expect(told).toEqual(Array.from({ length: count - refused }, (_, id) => changedFor(id)));
    socket.send(ping(-1));
    expect([await socket.next(), socket.rest()]).toEqual([{ jsonrpc: "2.0", id: -1, result: {} }, []]);
  });

  it("are refused as well where they come at once, and have room again once one is cancelled or comes anew", async () => {
    const socket = await openTestSocket(await mintKey());
    await takeAtOnce([...most, most.length].map((id) => JSON.stringify(listen(id))));
    const frames: unknown[] = [];
    for (let each = 0; each <= most.length; each++) frames.push(await socket.next());
    const refused = frames.flatMap((frame) => ((frame as { error?: unknown }).error ? [frame as { id: number }] : []));
    expect(refused).toEqual([refusalFor(refused[0]?.id ?? -1)]);
    const [again, other] = most.filter((id) => id !== refused[0]?.id);
    socket.send(listen(again ?? -1));
    const acknowledged = { method: "notifications/subscriptions/acknowledged" };
    expect(await socket.next()).toMatchObject(acknowledged);
    socket.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: other, _meta: META } });
    socket.send(ping(-1));
    await socket.next();
    socket.send(listen(99));
    expect(await socket.next()).toMatchObject(acknowledged);
  });
});

const placeOf = (count: number): HubPlace => ({
  epoch: 1,
  version: 99,
  changes: Array.from({ length: count }, (_, version) => ({ version, atMs: 1_000, tools: ["a"] })),
});

describe("a change", () => {
  it.each([
    [LIMITS.changedToolsTold, false],
    [LIMITS.changedToolsTold + 1, true],
  ])("of %i tools is news to who may see none of them: %s", async (count, isNews) => {
    const record = {
      description: "d",
      inputSchema: { type: "object", properties: {} },
      source: { kind: "http", method: "GET", url: "https://api.example.com/" },
    };
    const socket = await openTestSession(await mintKey({ tools: { allow: ["tone"] } }));
    const changes = Array.from({ length: count }, (_, i) => ({ op: "put", name: `t${i}`, record }));
    await admin("POST", "/tools", { changes });
    await publish();
    socket.send(ping(1));
    const pong = { jsonrpc: "2.0", id: 1, result: {} };
    expect([await socket.next(), ...(isNews ? [await socket.next()] : [])]).toEqual(isNews ? [CHANGED, pong] : [pong]);
  });

  it.each([
    [LIMITS.changesTold, false],
    [LIMITS.changesTold + 1, true],
  ])(
    "is one of so many that are remembered: a client that missed %i of others' tools hears of it: %s",
    (missed, isNews) => {
      const version = 1_000;
      const known = Array.from({ length: LIMITS.changesTold }, (_, i) => ({
        version: version - i,
        atMs: 0,
        tools: ["a"],
      }));
      const place: HubPlace = { epoch: 1, version, changes: known.toReversed() };
      expect(isNewsSince(version - missed, { allow: ["b"] }, place)).toBe(isNews);
    },
  );

  it("is told of all who listened lately where there were more than are remembered", () => {
    const counts = [LIMITS.changesTold - 1, LIMITS.changesTold];
    expect(counts.map((count) => isNewsOfLate({ allow: ["b"] }, placeOf(count), 1_000))).toEqual([false, true]);
  });

  it.each([
    [LIMITS.promptAudience, 0],
    [LIMITS.promptAudience + 1, 1_000 / LIMITS.toldPerSecond],
    [LIMITS.promptAudience + (LIMITS.spreadMaxMs / 1_000) * LIMITS.toldPerSecond, LIMITS.spreadMaxMs],
    [10_000_000, LIMITS.spreadMaxMs],
  ])("is told %i clients within %d ms", (audience, ms) => {
    expect(spreadMsOf(audience)).toBe(ms);
  });
});
