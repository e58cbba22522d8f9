// A bound on running calls, over whatever connection they run.

import { expect, onTestFinished, test, vi } from "vitest";
import { openStream } from "./support/event-stream.ts";
import { openHttpSession, post, request } from "./support/rpc.ts";
import { startFixtureServer } from "./support/server.ts";
import { openSession } from "./support/socket.ts";

/** Longer than an answer stays JSON and another takes, whatever else the machine does. */
const LONG_MS = 6_000;
const SHORT_MS = 2_500;
const FREE_WITHIN_MS = 10_000;

const server = await startFixtureServer();
const endpoint = server.endpoint();

const quiet = (ms: number, id: string) => request("tools/call", { name: "quiet", arguments: { ms } }, id);

test("counts the calls of a socket and those of HTTP together", async () => {
  const { key } = await server.mintKey({ limits: { perMinute: 6_000, concurrent: 2 } });
  const headers = { authorization: `Bearer ${key}` };
  const socket = await openSession(server.socketEndpoint(), { headers });
  onTestFinished(() => socket.close());
  const session = await openHttpSession(endpoint, key);
  // The key's facts are known from here on.
  expect((await post(endpoint, key, quiet(0, "first"), session)).status).toBe(200);
  for (const id of ["a", "b", "c"]) socket.send(quiet(SHORT_MS, id));
  const refused = await socket.until("a refusal", (all) => all.find(({ error }) => error));
  expect(refused.error).toEqual({
    code: 429,
    message: expect.stringContaining("run 2 calls at the same time"),
    data: { retryAfterSeconds: 1, limit: { concurrent: 2 }, scope: "concurrent" },
  });
  const elsewhere = await post(endpoint, key, quiet(0, "d"), session);
  expect([elsewhere.status, elsewhere.headers.get("retry-after")]).toEqual([429, "1"]);
  await socket.until("two results", (all) =>
    all.filter(({ result }) => result?.["content"]).length === 2 ? true : undefined,
  );
  await vi.waitFor(
    async () => expect((await post(endpoint, key, quiet(0, "e"), session)).status).toBe(200),
    FREE_WITHIN_MS,
  );
});

test("counts a call for as long as its stream goes on", async () => {
  const { key } = await server.mintKey({ limits: { perMinute: 6_000, concurrent: 1 } });
  const session = await openHttpSession(endpoint, key);
  const headers = {
    ...session,
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    accept: "text/event-stream, application/json",
  };
  const stream = await openStream(endpoint, { method: "POST", headers, body: JSON.stringify(quiet(LONG_MS, "long")) });
  expect(stream.headers.get("ratelimit")).toMatch(/^"calls";r=\d+;t=1$/);
  expect((await post(endpoint, key, quiet(0, "short"), session)).status).toBe(429);
  await vi.waitFor(async () => expect((await stream.message()).id).toBe("long"), 2 * LONG_MS);
  await vi.waitFor(
    async () => expect((await post(endpoint, key, quiet(0, "short"), session)).status).toBe(200),
    FREE_WITHIN_MS,
  );
});
