// A key's life as its client sees it: rotated, changed, revoked, with everything it holds open.

import { expect, onTestFinished, test, vi } from "vitest";
import { openStream } from "./support/event-stream.ts";
import { calculate, openHttpSession, post, request, toolNames } from "./support/rpc.ts";
import { startServer } from "./support/server.ts";
import { openSession, type Socket } from "./support/socket.ts";
import { within } from "./support/within.ts";

const LEASE_LIFE_MS = 2_000;
const CLOSED_WITHIN_MS = 5_000;

const server = await startServer();
const endpoint = server.endpoint();

const open = async (key: string): Promise<Socket> => {
  const socket = await openSession(server.socketEndpoint(), { headers: { authorization: `Bearer ${key}` } });
  onTestFinished(() => socket.close());
  return socket;
};

/** Whatever the machine is busy with, the bound and a moment to notice. */
const WITHIN_LEASE = { timeout: LEASE_LIFE_MS + 2_000, interval: 50 };

/** Calls one after another until told, with what the client was told to use by then. */
function callOn(session: Record<string, string>, key: () => string) {
  const statuses: number[] = [];
  const stopped = new AbortController();
  const ended = (async () => {
    while (!stopped.signal.aborted) statuses.push((await post(endpoint, key(), calculate("1"), session)).status);
  })();
  return {
    statuses,
    more: (count: number) => {
      const goal = statuses.length + count;
      return vi.waitFor(() => expect(statuses.length).toBeGreaterThan(goal), { timeout: 10_000, interval: 20 });
    },
    stop: async (): Promise<Set<number>> => {
      stopped.abort();
      await ended;
      return new Set(statuses);
    },
  };
}

const refused = (key: string, session: Record<string, string> = {}): Promise<void> =>
  vi.waitFor(async () => expect((await post(endpoint, key, calculate("1"), session)).status).toBe(401), WITHIN_LEASE);

test("a rotation drops no call, no session and no socket before the overlap ends", async () => {
  const minted = await server.mintKey({ limits: { perMinute: 60_000 } });
  const session = await openHttpSession(endpoint, minted.key);
  const old = await open(minted.key);
  let present = minted.key;
  const [slow, quick] = [callOn(session, () => minted.key), callOn(session, () => present)];
  await quick.more(10);
  // Enough for twenty calls on a machine that does other things too.
  const overlapSeconds = 10;
  const rotatedAtMs = Date.now();
  const { body } = await server.admin("POST", `/keys/${minted.id}/rotate`, { overlapSeconds });
  present = String(body["key"]);
  const renewed = await open(present);
  await Promise.all([slow.more(10), quick.more(10)]);
  expect((await old.ask("ping")).result).toEqual({});
  expect(await slow.stop()).toEqual(new Set([200]));
  await within(overlapSeconds * 1_000 + CLOSED_WITHIN_MS, "end of the old socket", old.closed);
  expect(Date.now() - rotatedAtMs).toBeGreaterThanOrEqual(overlapSeconds * 1_000);
  await refused(minted.key, session);
  expect((await renewed.ask("ping")).result).toEqual({});
  expect(await quick.stop()).toEqual(new Set([200]));
});

test("a revoked key is refused within the life of a lease, and loses its socket and streams", async () => {
  const { id, key } = await server.mintKey();
  const session = await openHttpSession(endpoint, key);
  const socket = await open(key);
  const headers = { authorization: `Bearer ${key}`, accept: "text/event-stream", ...session };
  const changes = await openStream(endpoint, { headers });
  const legacy = await openStream(server.sseEndpoint(), { headers: { authorization: `Bearer ${key}` } });
  expect((await legacy.next())?.event).toBe("endpoint");
  await server.admin("DELETE", `/keys/${id}`);
  await within(
    CLOSED_WITHIN_MS,
    "end of all that is open",
    Promise.all([socket.closed, changes.next(), legacy.next()]),
  );
  await vi.waitFor(async () => {
    const answers = await Promise.all([
      post(endpoint, key, calculate("1"), session),
      post(endpoint, key, request("tools/list"), session),
      post(endpoint, key, request("ping")),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
  }, WITHIN_LEASE);
});

test("a change of rules reaches a client that comes back, and hides what it may not see", async () => {
  const { id, key } = await server.mintKey();
  const socket = await open(key);
  expect(toolNames(await socket.ask("tools/list"))).toContain("tone");
  await server.admin("PATCH", `/keys/${id}`, { tools: { deny: ["to*"] } });
  expect(await within(CLOSED_WITHIN_MS, "end of the socket", socket.closed)).toMatchObject({ code: 1008 });
  const again = await vi.waitFor(() => open(key), WITHIN_LEASE);
  expect(toolNames(await again.ask("tools/list"))).not.toContain("tone");
  const { error } = await again.ask("tools/call", { name: "tone", arguments: {} });
  expect(error).toEqual({ code: -32602, message: "Unknown tool: tone" });
});
