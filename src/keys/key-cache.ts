// The keys that one isolate knows: whose MAC was checked, and what each has prepaid. Bounded; a flood of bad keys
// leaves no trace in it, because only minted keys get in.

import { apiKeyStub, signingSecrets, type Env, type WaitUntil } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { LruMap } from "../lib/lru-map.ts";
import { logFailure } from "../telemetry/log.ts";
import { verifyKey, type VerifiedKey } from "./key-format.ts";
import type { BucketName, LeaseAnswer } from "./key-record.ts";
import { LeasePool, type Admission } from "./lease-pool.ts";

export class KeyCache {
  readonly #verified = new LruMap<string, VerifiedKey>(LIMITS.leasedKeys);
  readonly #pools = new LruMap<string, LeasePool>(2 * LIMITS.leasedKeys);

  /** Checks that this server minted a key; asks nobody. */
  async verify(env: Env, key: string): Promise<VerifiedKey | undefined> {
    const known = this.#verified.get(key);
    if (known) return known;
    const verified = key.length > LIMITS.keyChars ? undefined : await verifyKey(signingSecrets(env), key);
    return verified && this.#verified.set(key, verified);
  }

  /** Pays one token of a key's bucket, with no object call while the isolate holds a lease. */
  admit(
    env: Env,
    key: Pick<VerifiedKey, "keyId" | "digest">,
    bucket: BucketName,
    waitUntil: WaitUntil,
  ): Promise<Admission> {
    const name = `${key.keyId} ${key.digest} ${bucket}`;
    const pool = this.#pools.get(name) ?? this.#pools.set(name, new LeasePool());
    return pool.admit((ask) => requestLease(env, key, bucket, ask), waitUntil, Date.now);
  }
}

async function requestLease(
  env: Env,
  { keyId, digest }: Pick<VerifiedKey, "keyId" | "digest">,
  bucket: BucketName,
  ask: { need: number; want: number },
): Promise<LeaseAnswer> {
  try {
    return await apiKeyStub(env, keyId).lease({ v: 1, digest, bucket, ...ask });
  } catch (error) {
    logFailure("lease_failed", keyId, error);
    throw error;
  }
}
