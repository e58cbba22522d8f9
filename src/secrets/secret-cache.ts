// Secrets in clear as one isolate holds them, for calls that need them. Used without a hop for `LIMITS.secretFreshMs`, then
// while it asks again beside the call; past `LIMITS.snapshotStaleMs` it asks first. So a changed secret is in use everywhere
// within that time, unless the registry can't be reached.

import { registryStub, type Env, type WaitUntil } from "../env.ts";
import { withDeadline } from "../lib/deadline.ts";
import { LIMITS } from "../lib/limits.ts";
import { LruMap } from "../lib/lru-map.ts";
import { logFailure } from "../telemetry/log.ts";
import { secretsKeys } from "./secrets-keys.ts";

/** A secret can't be had; the message is for the operator. */
export class SecretUnavailable extends Error {
  override readonly name = "SecretUnavailable";
}

interface Held {
  version: number;
  /** In clear; `undefined` when it is not set or can't be opened. */
  value: string | undefined;
  /** Why there is no value. */
  reason: string;
  askedAtMs: number;
  /** When it was last asked for again beside a call. */
  refreshAtMs?: number;
}

export class SecretCache {
  readonly #held = new LruMap<string, Held>(LIMITS.cachedSecrets);

  /** The value that a secret has now, for who may just have set it. Throws `SecretUnavailable`. */
  async readNow(env: Env, name: string): Promise<string> {
    return valueOf(await this.#askOrReuse(env, name, this.#held.get(name)));
  }

  /** The value of a secret. Throws `SecretUnavailable`. */
  async read(env: Env, waitUntil: WaitUntil, name: string): Promise<string> {
    const held = this.#held.get(name);
    const ageMs = Date.now() - (held?.askedAtMs ?? 0);
    if (!held || ageMs > usableMs(held)) return valueOf(await this.#askOrReuse(env, name, held));
    if (ageMs > LIMITS.secretFreshMs) this.#refreshInBackground(env, waitUntil, name);
    return valueOf(held);
  }

  async #askOrReuse(env: Env, name: string, held: Held | undefined): Promise<Held> {
    try {
      return await this.#ask(env, name);
    } catch (error) {
      if (error instanceof SecretUnavailable) throw error;
      logFailure("registry_unreachable", "secrets", error);
      if (held && Date.now() - held.askedAtMs <= LIMITS.snapshotUsableMs) return held;
      this.#held.delete(name);
      throw new SecretUnavailable("the registry can't be reached", { cause: error });
    }
  }

  async #ask(env: Env, name: string): Promise<Held> {
    const keys = secretsKeys(env);
    if (typeof keys === "string") throw new SecretUnavailable(keys);
    const askedAtMs = Date.now();
    const reply = registryStub(env).readSecrets([name]);
    const { secrets } = await withDeadline(reply, LIMITS.snapshotTimeoutMs, "registry");
    const [row] = secrets;
    const held = this.#held.get(name);
    if (!row) return this.#keep(name, { version: 0, value: undefined, reason: "it is not set", askedAtMs });
    const { version, sealed } = row;
    if (held?.version === version) return this.#keep(name, { ...held, askedAtMs });
    const { openSecret } = await import("./secret-box.ts");
    const value = await openSecret(keys, name, sealed);
    return this.#keep(name, { version, value, reason: "SECRETS_KEY is not the one that it was set under", askedAtMs });
  }

  /** Answers can overtake each other: an older one never replaces a newer one. */
  #keep(name: string, found: Held): Held {
    const held = this.#held.get(name);
    return held && held.askedAtMs > found.askedAtMs ? held : this.#held.set(name, found);
  }

  #refreshInBackground(env: Env, waitUntil: WaitUntil, name: string): void {
    const held = this.#held.get(name);
    // By time, not by a flag: a request that is cut off takes its refresh with it and tells nobody.
    if (!held || (held.refreshAtMs ?? 0) + LIMITS.snapshotTimeoutMs > Date.now()) return;
    held.refreshAtMs = Date.now();
    waitUntil(
      this.#ask(env, name).then(
        () => undefined,
        (error: unknown) => logFailure("registry_unreachable", "secrets", error),
      ),
    );
  }
}

/** One that is not there is asked for again soon, so that setting it mends the tool. */
const usableMs = ({ value }: Held): number =>
  value === undefined ? LIMITS.unknownToolFloorMs : LIMITS.snapshotStaleMs;

function valueOf({ value, reason }: Held): string {
  if (value === undefined) throw new SecretUnavailable(reason);
  return value;
}
