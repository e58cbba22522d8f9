// A flood of bad keys over real sockets, and what it does to those who have good ones.

import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { calculate, post } from "./support/rpc.ts";
import { startServer } from "./support/server.ts";
import { openSocket, refusedUpgrade } from "./support/socket.ts";

const CEILING = 100;
const GUESSES = 400;
/** More when the times are to be known better: `GUESS_ROUNDS=300`. */
const ROUNDS = Number(process.env["GUESS_ROUNDS"] ?? 100);

const server = await startServer();
const endpoint = server.endpoint();

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const letters = (count: number): string => Array.from(randomBytes(count), (byte) => ALPHABET[byte & 31]).join("");
const far = (): string => `tg_k${letters(15)}_${letters(48)}`;

/** An address for each use, so that no ceiling is in the way. */
let addresses = 0;
const elsewhere = () => ({ "cf-connecting-ip": `198.51.${100 + (addresses >> 8)}.${addresses++ & 255}` });

async function knock(key: string, headers: Record<string, string>) {
  const { status, headers: fields, body } = await post(endpoint, key, calculate("1"), headers);
  return { status, retryAfter: fields.get("retry-after"), body };
}

test("a flood of bad keys meets a ceiling, and moves nobody's bucket", async () => {
  const flood = { "cf-connecting-ip": "203.0.113.7" };
  const { key } = await server.mintKey({ limits: { perMinute: 1, burst: 5 } });
  expect((await post(endpoint, key, calculate("1"), flood)).status).toBe(200);
  const id = key.slice(0, 20);
  const answers = await Promise.all(
    Array.from({ length: GUESSES }, (_, i) => knock(i % 2 === 0 ? far() : id + letters(48), flood)),
  );
  const refused = answers.filter(({ status }) => status === 401);
  const waiting = answers.filter(({ status }) => status === 429);
  expect(refused.length + waiting.length).toBe(GUESSES);
  // The counter starts anew with the minute, which may begin meanwhile.
  expect(refused.length).toBeLessThanOrEqual(2 * CEILING);
  expect(waiting.length).toBeGreaterThan(0);
  expect(new Set(refused.map((answer) => JSON.stringify(answer))).size).toBe(1);
  for (const { retryAfter, body } of waiting) {
    expect(retryAfter).toMatch(/^(10|[1-9])$/);
    expect(body.error).toMatchObject({ code: 429, data: { retryAfterSeconds: Number(retryAfter), scope: "address" } });
  }
  // The key that was guessed at, from the very address: what is left of its burst, and not one call less.
  const calls = await Promise.all(Array.from({ length: 6 }, () => post(endpoint, key, calculate("1"), flood)));
  expect(calls.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 429, 429]);
  expect((await fetch(new URL("/healthz", server.url))).status).toBe(200);
});

test("a socket is refused with the same answers", async () => {
  const headers = { "cf-connecting-ip": "203.0.113.9" };
  const offer = { headers, protocols: ["mcp", `mcp.auth.${far()}`] };
  const statuses: number[] = [];
  // The counter starts anew with the minute, which may begin meanwhile.
  while (statuses.length < 2 && statuses.at(-1) !== 429) {
    for (let i = 0; i <= CEILING; i++) await knock(far(), headers);
    statuses.push((await refusedUpgrade(server.socketEndpoint(), offer)).status ?? 0);
  }
  expect(statuses.at(-1)).toBe(429);
  const { key } = await server.mintKey();
  const socket = await openSocket(server.socketEndpoint(), {
    headers: { ...elsewhere(), authorization: `Bearer ${key}` },
  });
  socket.close();
});

test("a guess that is near takes as long as one that is far", async () => {
  const { key } = await server.mintKey();
  // Right but for the last character, for the secret, and for everything.
  const guesses: Record<string, () => string> = {
    last: () => key.slice(0, -1) + (key.endsWith("a") ? "b" : "a"),
    secret: () => key.slice(0, 20) + letters(48),
    far,
  };
  const times: Record<string, number[]> = { last: [], secret: [], far: [] };
  const statuses = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, guess] of Object.entries(guesses)) {
      const [candidate, headers] = [guess(), elsewhere()];
      const startedAtMs = performance.now();
      const { status } = await knock(candidate, headers);
      times[name]?.push(performance.now() - startedAtMs);
      statuses.add(status);
    }
  }
  const quartiles = Object.entries(times).map(([name, all]) => {
    const sorted = all.toSorted((a, b) => a - b);
    const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(3);
    return `${name}: ${at(0.25)} / ${at(0.5)} / ${at(0.75)} ms`;
  });
  console.log(`Guesses, quartiles of ${ROUNDS} each: ${quartiles.join(", ")}`);
  expect(statuses).toEqual(new Set([401]));
});
