// Bounds of what the edge and a hub do for sockets, at and beyond each.

import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../src/env.ts";
import { socketSessionOf, type Exchange } from "../../src/http/exchange.ts";
import type { KeyFacts } from "../../src/keys/key-record.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { writeAttachment } from "../../src/sessions/attachment.ts";
import { SocketCalls } from "../../src/sessions/frame-channel-object.ts";
import { noteSignOfLife } from "../../src/sessions/hub-sockets.ts";
import { openSocket } from "../../src/sessions/open-socket.ts";

const NOW_MS = 1_000_000;

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("a hub that takes", () => {
  it.each([
    [LIMITS.openingMs, 429],
    [LIMITS.openingMs + 1, 504],
  ])("%i ms to open a socket: %i", async (ms, status) => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS });
    const fetch = (): Promise<Response> => {
      vi.setSystemTime(NOW_MS + ms);
      return Promise.resolve(new Response(null, { status: 429 }));
    };
    const hub = { idFromName: (name: string) => name, get: () => ({ fetch }) };
    const env = { SESSION_HUB: hub } as unknown as Env;
    const session = { v: 1, keyId: "k", digest: "d", host: "h" } as const;
    const { response } = await openSocket(env, undefined, { kind: "websocket", session, tags: [] }, false);
    expect(response.status).toBe(status);
  });
});

/** Rules that are so long as JSON. */
const rulesOf = (chars: number): KeyFacts["tools"] => {
  const rest = JSON.stringify({ deny: [""] }).length;
  return { deny: ["x".repeat(chars - rest)] };
};

describe("a key's rules", () => {
  it.each([
    [LIMITS.socketRulesChars - 1, true],
    [LIMITS.socketRulesChars, true],
    [LIMITS.socketRulesChars + 1, false],
  ])("of %i characters are kept with its socket: %s", (chars, isKept) => {
    const tools = rulesOf(chars);
    const exchange = {
      key: { keyId: "k", digest: "d" },
      request: new Request("https://h/"),
      isolate: { snapshot: {} },
    } as unknown as Exchange;
    const session = socketSessionOf(exchange, { keyId: "k", name: "n", scopes: ["mcp"], tools });
    expect([JSON.stringify(tools).length, session]).toEqual([
      chars,
      { v: 1, keyId: "k", digest: "d", host: "h", ...(isKept && { tools }) },
    ]);
  });
});

const countUntil = (isOver: () => boolean): number => {
  let count = 0;
  while (!isOver()) count++;
  return count;
};

describe("a socket's frames", () => {
  it("come all at once up to a burst, and then as fast as a minute's number of them", () => {
    const calls = new SocketCalls();
    // Not before them: their allowances begin when they do.
    const nowMs = Date.now();
    const admitted = (atMs: number): number => countUntil(() => !calls.admit(atMs));
    expect([admitted(nowMs), admitted(nowMs), admitted(nowMs + 1_000)]).toEqual([
      LIMITS.socketFramesBurst,
      0,
      Math.min(LIMITS.socketFramesBurst, LIMITS.socketFramesPerMinute / 60),
    ]);
  });

  it("are refused up to a number, and then as often as a minute's number of refusals", () => {
    const calls = new SocketCalls();
    const nowMs = Date.now();
    const refused = (atMs: number): number => countUntil(() => !calls.admitRefusal(atMs));
    // Each that is not told costs the same.
    expect([refused(nowMs), refused(nowMs + 120_000)]).toEqual([
      LIMITS.socketRefusals,
      2 * LIMITS.socketRefusalsPerMinute - 1,
    ]);
  });
});

describe("a sign of life", () => {
  const least = LIMITS.socketIdleMs * (1 - LIMITS.socketIdleJitterShare);
  const most = LIMITS.socketIdleMs * (1 + LIMITS.socketIdleJitterShare);

  it.each([
    [least, true],
    [least + 1, false],
  ])("of a socket that ends in %i ms puts that off: %s", (leftMs, isPutOff) => {
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    const { 0: socket } = new WebSocketPair();
    const attachment = {
      kind: "websocket",
      session: { v: 1, keyId: "k", digest: "d", host: "h" },
      openedAtMs: 0,
      idleAtMs: NOW_MS + leftMs,
      heard: 1,
      subscriptions: [],
      greeted: true,
      pinged: false,
    } as const;
    writeAttachment(socket, { ...attachment, subscriptions: [] });
    noteSignOfLife(socket, { ...attachment, subscriptions: [] }, NOW_MS);
    const { idleAtMs } = socket.deserializeAttachment() as { idleAtMs: number };
    const lifeMs = idleAtMs - NOW_MS;
    expect([idleAtMs !== attachment.idleAtMs, lifeMs >= least && lifeMs < most]).toEqual([isPutOff, true]);
  });
});
