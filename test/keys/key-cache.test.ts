import { expect, it } from "vitest";
import type { Env } from "../../src/env.ts";
import { KeyCache } from "../../src/keys/key-cache.ts";
import type { LeaseAnswer, LeaseRequest, SessionNote } from "../../src/keys/key-record.ts";
import { LIMITS } from "../../src/lib/limits.ts";

const KEY = { keyId: "k1", digest: "d" };

const noteOf = (seq: number, expiresAtMs: number): SessionNote => ({
  seq,
  sessionId: `s${seq}`,
  ended: true,
  expiresAtMs,
});

/** A cache before a key whose object has these notes. */
function setUp(notes: SessionNote[], prepaid = 0) {
  const asked: LeaseRequest[] = [];
  const lease = async (request: LeaseRequest): Promise<LeaseAnswer> => {
    asked.push(request);
    return answer(request);
  };
  const answer = ({ notesSeen = 0, need }: LeaseRequest): LeaseAnswer => ({
    v: 1,
    status: "active",
    facts: { keyId: KEY.keyId, name: "test", scopes: ["mcp"], tools: {} },
    tokens: Math.max(need, prepaid),
    retryAfterMs: 0,
    accounts: [{ name: "calls", limit: { perMinute: 10, burst: 10 }, left: 1 }],
    notes: notes.filter(({ seq }) => seq > notesSeen),
  });
  const env = { API_KEY: { idFromName: (name: string) => name, get: () => ({ lease }) } } as unknown as Env;
  const cache = new KeyCache();
  const admit = (tool?: string) =>
    cache.admit(env, KEY, { bucket: "calls", ...(tool !== undefined && { tool }) }, () => undefined);
  return { cache, asked, admit };
}

it("forgets notes of sessions that are over once there are more than a key can have, and no others", async () => {
  const nowMs = Date.now();
  const notes = [noteOf(1, nowMs + 60_000), noteOf(2, nowMs - 1)];
  for (let seq = 3; seq <= LIMITS.sessionNotes; seq++) notes.push(noteOf(seq, nowMs - 1));
  const { cache, admit } = setUp(notes);
  await admit();
  expect(cache.readNote(KEY, "s2")).toMatchObject({ ended: true });
  notes.push(noteOf(LIMITS.sessionNotes + 1, nowMs + 60_000));
  await admit();
  expect(cache.readNote(KEY, "s2")).toBeUndefined();
  expect(cache.readNote(KEY, "s1")).toMatchObject({ ended: true });
  expect(cache.readNote(KEY, `s${LIMITS.sessionNotes + 1}`)).toMatchObject({ ended: true });
});

it("keeps what it heard last of a session, in whatever order it comes", async () => {
  const expiresAtMs = Date.now() + 60_000;
  const notes: SessionNote[] = [
    { seq: 2, sessionId: "s", ended: true, level: "error", expiresAtMs },
    { seq: 1, sessionId: "s", ended: false, level: "debug", expiresAtMs },
  ];
  const { cache, admit } = setUp(notes);
  await admit();
  expect(cache.readNote(KEY, "s")).toMatchObject({ ended: true, level: "error" });
});

it.each([LIMITS.keyRoutes - 1, LIMITS.keyRoutes, LIMITS.keyRoutes + 1])(
  "pays for calls of %i tools out of one lease once the key is known, and for each again",
  async (tools) => {
    const { asked, admit } = setUp([], 10 * tools);
    const names = Array.from({ length: tools }, (_, index) => `t${index}`);
    const statuses = new Set<string>();
    for (const name of [...names, ...names]) statuses.add((await admit(name)).status);
    expect([statuses, asked.length]).toEqual([new Set(["admitted"]), 2]);
  },
);
