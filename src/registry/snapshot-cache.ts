// The catalogue as one isolate holds it. Fresh for some seconds; then used once more while it is revalidated in the
// background; past `LIMITS.snapshotStaleMs` revalidated first. So no call runs on a catalogue that is older than that,
// unless the registry can't be reached.

import { catalogueReplicaStub, registryStub, type Env, type WaitUntil } from "../env.ts";
import { withDeadline } from "../lib/deadline.ts";
import { LIMITS } from "../lib/limits.ts";
import { LruMap } from "../lib/lru-map.ts";
import { askAgain } from "../lib/out-of-reach.ts";
import type { Region } from "../lib/region.ts";
import { logFailure } from "../telemetry/log.ts";
import type { Tool } from "../tools/define-tool.ts";
import { buildCatalogue, type Catalogue, type ToTool } from "./catalogue.ts";
import type { Snapshot } from "./registry-contract.ts";
import { RowTable } from "./row-table.ts";

/** The registry could not be reached, and nothing recent enough is at hand. */
export class CatalogueUnavailable extends Error {
  override readonly name = "CatalogueUnavailable";
}

/** One question to the registry, of which many requests may share the answer. */
interface Check {
  number: number;
  /** Settles when it is over, for good or ill. */
  over: Promise<void>;
}

/** Whether a check that is on its way will do, or only one that begins later. */
type Sharing = "shared" | "later";

export class SnapshotCache {
  /** Where this isolate runs, once a request told. */
  region: Region | undefined;
  readonly #builtins: readonly Tool[];
  readonly #loadToTool: () => ToTool | Promise<ToTool>;
  #toTool: ToTool | undefined;
  readonly #rows = new RowTable();
  #catalogue: Catalogue | undefined;
  #checkedAtMs = 0;
  #published = 0;
  /** Until when nobody can have been told of anything newer. */
  #listableUntilMs = 0;
  #forcedAtMs = 0;
  readonly #forcedFor = new LruMap<string, number>(LIMITS.unknownTools);
  #refreshAtMs = 0;
  #hasReplicas = false;
  #checks = 0;
  #check: Check | undefined;
  /** The latest check that is over, and how it failed if it did. */
  #last: { number: number; failure?: unknown } = { number: 0 };

  /** `loadToTool` is asked once there are tools that came as data. */
  constructor(builtins: readonly Tool[], loadToTool: () => ToTool | Promise<ToTool>) {
    this.#builtins = builtins;
    this.#loadToTool = loadToTool;
  }

  /** Whether a tool of this name is in the code. */
  isBuiltin(name: string): boolean {
    return this.#builtins.some((tool) => tool.name === name);
  }

  /** The catalogue as it is at hand, however old; nobody is asked. */
  get held(): Catalogue | undefined {
    return this.#catalogue;
  }

  /**
   * A version that clients were told of already, so that no list is older from now on: the newest that is known of. What is at
   * hand here may be newer, and lists elsewhere older still.
   */
  get published(): number {
    return Math.min(this.#published, this.#catalogue?.version ?? 0);
  }

  /** The catalogue for a call while it is fresh: then nobody has to be asked, not even in the background. */
  get fresh(): Catalogue | undefined {
    return Date.now() - this.#checkedAtMs > LIMITS.snapshotFreshMs ? undefined : this.#catalogue;
  }

  /** The catalogue for a call: without a hop while it is fresh. Throws `CatalogueUnavailable`. */
  async readForCall(env: Env, waitUntil: WaitUntil): Promise<Catalogue> {
    const ageMs = Date.now() - this.#checkedAtMs;
    if (!this.#catalogue || ageMs > LIMITS.snapshotStaleMs) return this.#revalidateOrReuse(env, waitUntil, "shared");
    if (ageMs > LIMITS.snapshotFreshMs) this.#refreshInBackground(env, waitUntil);
    return this.#catalogue;
  }

  /**
   * The catalogue for a list: at the version that the registry has now, or had a moment ago when nobody was told of a newer
   * one yet. Throws `CatalogueUnavailable`.
   */
  async readForList(env: Env, waitUntil: WaitUntil): Promise<Catalogue> {
    if (this.#catalogue && Date.now() < this.#listableUntilMs) return this.#catalogue;
    return this.#revalidateOrReuse(env, waitUntil);
  }

  /**
   * As `readForList`, but seldom: once a second for a name, some fifty times for all that nobody knows. With `isHidden` for
   * a key that is not to see the tool, nor by how long it takes that there is one.
   */
  async readForUnknownTool(name: string, env: Env, waitUntil: WaitUntil, isHidden = false): Promise<Catalogue> {
    // No tool has such a name, and names are remembered.
    if (name.length > LIMITS.toolNameChars) return this.readForCall(env, waitUntil);
    const nowMs = Date.now();
    const lately = nowMs - (this.#forcedFor.get(name) ?? 0) < LIMITS.unknownToolFloorMs;
    if (lately || nowMs - this.#forcedAtMs < LIMITS.unknownToolsFloorMs) return this.readForCall(env, waitUntil);
    this.#forcedAtMs = nowMs;
    this.#forcedFor.set(name, nowMs);
    const catalogue = await this.#revalidateOrReuse(env, waitUntil);
    // A tool that is there now may be gone and back again before the second is over.
    if (!isHidden && catalogue.byName.has(name)) this.#forcedFor.delete(name);
    return catalogue;
  }

  async #revalidateOrReuse(env: Env, waitUntil: WaitUntil, how: Sharing = "later"): Promise<Catalogue> {
    try {
      return await this.#revalidate(env, waitUntil, how);
    } catch (error) {
      logFailure("registry_unreachable", "catalogue", error);
      if (this.#catalogue && Date.now() - this.#checkedAtMs <= LIMITS.snapshotUsableMs) return this.#catalogue;
      throw new CatalogueUnavailable("the tool registry can't be reached", { cause: error });
    }
  }

  /**
   * A catalogue that was checked. Who comes while a check is on its way shares it, or for a list the next one, for that
   * one may have been answered before they came: so a herd that lists at once costs the registry two questions.
   */
  async #revalidate(env: Env, waitUntil: WaitUntil, how: Sharing): Promise<Catalogue> {
    const earlier = this.#checks - Number(how === "shared" && this.#check !== undefined);
    for (let check = this.#check; check; check = this.#check) {
      await withDeadline(check.over, LIMITS.snapshotTimeoutMs, "registry").catch(() => this.#abandon(check));
      if (this.#last.number <= earlier) continue;
      if ("failure" in this.#last) throw this.#last.failure;
      if (this.#catalogue) return this.#catalogue;
    }
    return this.#begin(env, waitUntil);
  }

  async #begin(env: Env, waitUntil: WaitUntil): Promise<Catalogue> {
    const number = ++this.#checks;
    const asked = this.#ask(env);
    const check = { number, over: asked.then(ignore, ignore) };
    this.#check = check;
    waitUntil(check.over);
    try {
      const catalogue = await asked;
      this.#finish(check, { number });
      return catalogue;
    } catch (error) {
      this.#finish(check, { number, failure: error });
      throw error;
    }
  }

  #finish(check: Check, outcome: { number: number; failure?: unknown }): void {
    if (outcome.number > this.#last.number) this.#last = outcome;
    this.#abandon(check);
  }

  /** The request that made a check may be cut off, and then it is never over: nobody waits for it twice. */
  #abandon(check: Check): void {
    if (this.#check === check) this.#check = undefined;
  }

  async #ask(env: Env): Promise<Catalogue> {
    const askedAtMs = Date.now();
    const have = this.#rows.version;
    const snapshot = await this.#read(env, have);
    const hasRecords = snapshot.rows?.some(({ row }) => row?.record !== undefined) ?? false;
    if (hasRecords) this.#toTool ??= await this.#loadToTool();
    return this.#store(snapshot, askedAtMs, env);
  }

  /** From the region's replica where there is one; from the registry itself when that can't say. */
  async #read(env: Env, have: number): Promise<Snapshot> {
    const { region } = this;
    if (this.#hasReplicas && region) {
      try {
        const reply = catalogueReplicaStub(env, region).readSnapshot(have, { region, lists: true });
        return await withDeadline(reply, LIMITS.replicaTimeoutMs, "replica");
      } catch (error) {
        logFailure("replica_unreachable", region, error);
      }
    }
    return askAgain(() =>
      withDeadline(registryStub(env).readSnapshot(have, { region, lists: true }), LIMITS.snapshotTimeoutMs, "registry"),
    );
  }

  /** Answers can overtake each other: an older version never replaces a newer one. */
  #store(snapshot: Snapshot, askedAtMs: number, env: Env): Catalogue {
    this.#checkedAtMs = Math.max(this.#checkedAtMs, askedAtMs);
    this.#listableUntilMs = Math.max(this.#listableUntilMs, askedAtMs + (snapshot.listableMs ?? 0));
    this.#hasReplicas = snapshot.replicas ?? false;
    // From a registry of before that it says so: as it was then.
    this.#published = Math.max(this.#published, snapshot.published ?? snapshot.version);
    const isNewer = this.#rows.apply(snapshot);
    if (this.#catalogue && !isNewer) return this.#catalogue;
    const { version } = this.#rows;
    return (this.#catalogue = buildCatalogue(version, this.#builtins, this.#rows.rows(), (row, isKept) =>
      this.#toTool?.(row, env, isKept),
    ));
  }

  #refreshInBackground(env: Env, waitUntil: WaitUntil): void {
    const nowMs = Date.now();
    // By time, not by a flag: a request that is cut off takes its refresh with it and tells nobody.
    if (nowMs - this.#refreshAtMs < LIMITS.snapshotFreshMs) return;
    this.#refreshAtMs = nowMs;
    waitUntil(
      this.#revalidate(env, waitUntil, "shared").catch((error: unknown) =>
        logFailure("registry_unreachable", "catalogue", error),
      ),
    );
  }
}

const ignore = (): void => undefined;
