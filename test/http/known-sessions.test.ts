import { reset } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { openGate, request } from "../support/app.ts";
import { narrow } from "../support/narrow.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await reset();
});

const REVISION = "2025-11-25";

async function openKnown() {
  const gate = openGate();
  const owner = gate.caller(await gate.mint());
  const id = await owner.openSession(REVISION);
  const headers = { "mcp-protocol-version": REVISION, "mcp-session-id": id };
  const ping = async (caller = owner): Promise<number> => (await caller.post(request("ping"), headers)).status;
  return { gate, ping };
}

it("serves a session that the isolate knows again", async () => {
  const { ping } = await openKnown();
  expect([await ping(), await ping()]).toEqual([200, 200]);
});

it("does not serve another key by a session that it knows", async () => {
  const { gate, ping } = await openKnown();
  await ping();
  const other = gate.caller(await gate.mint());
  expect([await ping(other), await ping()]).toEqual([404, 200]);
});

it("does not serve one past its end, known or not", async () => {
  const { ping } = await openKnown();
  await ping();
  vi.setSystemTime(Date.now() + LIMITS.sessionLifeMs - 1);
  const before = await ping();
  vi.setSystemTime(Date.now() + 1);
  expect([before, await ping()]).toEqual([200, 404]);
});

it.each([
  [3, 0],
  [2, 0],
  [1, 2],
])("by an isolate that remembers %i of two, each MAC is checked again %i times", async (most, checks) => {
  narrow({ knownSessions: most });
  const gate = openGate();
  const owner = gate.caller(await gate.mint());
  const ids = [await owner.openSession(REVISION), await owner.openSession(REVISION)];
  const pingAll = async (): Promise<void> => {
    for (const id of ids) {
      const headers = { "mcp-protocol-version": REVISION, "mcp-session-id": id };
      expect((await owner.post(request("ping"), headers)).status).toBe(200);
    }
  };
  await pingAll();
  const signed = vi.spyOn(crypto.subtle, "sign");
  await pingAll();
  expect(signed).toHaveBeenCalledTimes(checks);
});
