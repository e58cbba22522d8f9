// The catalogue as one isolate holds it. Fresh for some seconds; then used once more while it is revalidated in the
// background; past `LIMITS.snapshotStaleMs` revalidated first. So no call runs on a catalogue that is older than that,
// unless the registry can't be reached.

import { registryStub, type Env, type WaitUntil } from "../env.ts";
import { withDeadline } from "../lib/deadline.ts";
import { LIMITS } from "../lib/limits.ts";
import { LruMap } from "../lib/lru-map.ts";
import { logFailure } from "../telemetry/log.ts";
import type { Tool } from "../tools/define-tool.ts";
import { buildCatalogue, type Catalogue } from "./catalogue.ts";
import type { Snapshot } from "./registry-contract.ts";

/** The registry could not be reached, and nothing recent enough is at hand. */
export class CatalogueUnavailable extends Error {
  override readonly name = "CatalogueUnavailable";
}

export class SnapshotCache {
  readonly #builtins: readonly Tool[];
  #catalogue: Catalogue | undefined;
  #checkedAtMs = 0;
  #forcedAtMs = 0;
  readonly #forcedFor = new LruMap<string, number>(LIMITS.unknownTools);
  #refreshAtMs = 0;

  constructor(builtins: readonly Tool[]) {
    this.#builtins = builtins;
  }

  /** The catalogue as it is at hand, however old; nobody is asked. */
  get held(): Catalogue | undefined {
    return this.#catalogue;
  }

  /** The catalogue for a call: without a hop while it is fresh. Throws `CatalogueUnavailable`. */
  async readForCall(env: Env, waitUntil: WaitUntil): Promise<Catalogue> {
    const ageMs = Date.now() - this.#checkedAtMs;
    if (!this.#catalogue || ageMs > LIMITS.snapshotStaleMs) return this.#revalidateOrReuse(env);
    if (ageMs > LIMITS.snapshotFreshMs) this.#refreshInBackground(env, waitUntil);
    return this.#catalogue;
  }

  /** The catalogue at the version that the registry has now, for a list. Throws `CatalogueUnavailable`. */
  readForList(env: Env): Promise<Catalogue> {
    return this.#revalidateOrReuse(env);
  }

  /** As `readForList`, but seldom: once a second for a name, some fifty times for all that nobody knows. */
  async readForUnknownTool(name: string, env: Env, waitUntil: WaitUntil): Promise<Catalogue> {
    const nowMs = Date.now();
    const lately = nowMs - (this.#forcedFor.get(name) ?? 0) < LIMITS.unknownToolFloorMs;
    if (lately || nowMs - this.#forcedAtMs < LIMITS.unknownToolsFloorMs) return this.readForCall(env, waitUntil);
    this.#forcedAtMs = nowMs;
    this.#forcedFor.set(name, nowMs);
    const catalogue = await this.#revalidateOrReuse(env);
    // A tool that is there now may be gone and back again before the second is over.
    if (catalogue.byName.has(name)) this.#forcedFor.delete(name);
    return catalogue;
  }

  async #revalidateOrReuse(env: Env): Promise<Catalogue> {
    try {
      return await this.#revalidate(env);
    } catch (error) {
      logFailure("registry_unreachable", "catalogue", error);
      if (this.#catalogue && Date.now() - this.#checkedAtMs <= LIMITS.snapshotUsableMs) return this.#catalogue;
      throw new CatalogueUnavailable("the tool registry can't be reached", { cause: error });
    }
  }

  async #revalidate(env: Env): Promise<Catalogue> {
    const askedAtMs = Date.now();
    const reply = registryStub(env).readSnapshot(this.#catalogue?.version ?? -1);
    return this.#store(await withDeadline(reply, LIMITS.snapshotTimeoutMs, "registry"), askedAtMs);
  }

  /** Answers can overtake each other: an older version never replaces a newer one. */
  #store({ version, rows }: Snapshot, askedAtMs: number): Catalogue {
    const held = this.#catalogue;
    this.#checkedAtMs = Math.max(this.#checkedAtMs, askedAtMs);
    if (held && (rows === undefined || version <= held.version)) return held;
    return (this.#catalogue = buildCatalogue(version, this.#builtins, rows ?? []));
  }

  #refreshInBackground(env: Env, waitUntil: WaitUntil): void {
    const nowMs = Date.now();
    // By time, not by a flag: a request that is cut off takes its refresh with it and tells nobody.
    if (nowMs - this.#refreshAtMs < LIMITS.snapshotFreshMs) return;
    this.#refreshAtMs = nowMs;
    waitUntil(this.#revalidate(env).catch((error: unknown) => logFailure("registry_unreachable", "catalogue", error)));
  }
}
