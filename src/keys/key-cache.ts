// The keys that one isolate knows: whose MAC was checked, what each has prepaid, and what is noted of its sessions.
// Bounded; a flood of bad keys leaves no trace in it, because only minted keys get in.

import { apiKeyStub, signingSecrets, type Env, type WaitUntil } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { LruMap } from "../lib/lru-map.ts";
import { logFailure } from "../telemetry/log.ts";
import { verifyKey, type VerifiedKey } from "./key-format.ts";
import type { BucketName, LeaseAnswer, SessionNote } from "./key-record.ts";
import { LeasePool, type Admission, type LeaseAsk } from "./lease-pool.ts";

export type KeyHandle = Pick<VerifiedKey, "keyId" | "digest">;

interface Entry {
  pools: Record<BucketName, LeasePool>;
  notes: Map<string, SessionNote>;
  notesSeen: number;
}

export class KeyCache {
  readonly #verified = new LruMap<string, VerifiedKey>(LIMITS.leasedKeys);
  readonly #entries = new LruMap<string, Entry>(LIMITS.leasedKeys);

  /** Checks that this server minted a key; asks nobody. */
  async verify(env: Env, key: string): Promise<VerifiedKey | undefined> {
    const known = this.#verified.get(key);
    if (known) return known;
    const verified = key.length > LIMITS.keyChars ? undefined : await verifyKey(signingSecrets(env), key);
    return verified && this.#verified.set(key, verified);
  }

  /** Pays one token of a key's bucket, with no object call while the isolate holds a lease. */
  admit(env: Env, key: KeyHandle, bucket: BucketName, waitUntil: WaitUntil): Promise<Admission> {
    const entry = this.#entryOf(key);
    const lease = async (ask: LeaseAsk): Promise<LeaseAnswer> => {
      const answer = await requestLease(env, key, { bucket, ...ask, notesSeen: entry.notesSeen });
      for (const note of "notes" in answer ? (answer.notes ?? []) : []) keepNote(entry, note);
      return answer;
    };
    return entry.pools[bucket].admit(lease, waitUntil, Date.now);
  }

  /** What is noted of a session, as of the key's last lease. */
  readNote(key: KeyHandle, sessionId: string): SessionNote | undefined {
    return this.#entryOf(key).notes.get(sessionId);
  }

  /** Notes something of a session for all isolates; whether there was room for it. */
  async writeNote(env: Env, key: KeyHandle, note: Omit<SessionNote, "seq">): Promise<boolean> {
    const written = await apiKeyStub(env, key.keyId).noteSession(note);
    // Known here at once, elsewhere with the next lease. Notes between the last one seen and this are still to come.
    if (written) addNote(this.#entryOf(key), written);
    return written !== undefined;
  }

  #entryOf({ keyId, digest }: KeyHandle): Entry {
    const name = `${keyId} ${digest}`;
    return (
      this.#entries.get(name) ??
      this.#entries.set(name, {
        pools: { calls: new LeasePool(), control: new LeasePool() },
        notes: new Map(),
        notesSeen: 0,
      })
    );
  }
}

/** A key has no more notes than the limit at a time: when there are more here, some are over. */
function addNote({ notes }: Entry, note: SessionNote): void {
  if (note.seq < (notes.get(note.sessionId)?.seq ?? 0)) return;
  notes.set(note.sessionId, note);
  if (notes.size <= LIMITS.sessionNotes) return;
  const nowMs = Date.now();
  for (const { sessionId, expiresAtMs } of notes.values()) if (expiresAtMs <= nowMs) notes.delete(sessionId);
}

function keepNote(entry: Entry, note: SessionNote): void {
  addNote(entry, note);
  entry.notesSeen = Math.max(entry.notesSeen, note.seq);
}

async function requestLease(
  env: Env,
  { keyId, digest }: KeyHandle,
  ask: LeaseAsk & { bucket: BucketName; notesSeen: number },
): Promise<LeaseAnswer> {
  try {
    return await apiKeyStub(env, keyId).lease({ v: 1, digest, ...ask });
  } catch (error) {
    logFailure("lease_failed", keyId, error);
    throw error;
  }
}
