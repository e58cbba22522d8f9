// Tells hubs and replicas what changed: the outbox on its way. One alarm of the registry's object drives it, so that a
// killed runtime loses nothing that was committed.

import { catalogueReplicaStub, hubStub, type Env } from "../env.ts";
import { withDeadline } from "../lib/deadline.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Region } from "../lib/region.ts";
import type { Publication } from "../sessions/hub-contract.ts";
import { logFailure } from "../telemetry/log.ts";
import { readVersion } from "./meta-store.ts";
import * as outbox from "./outbox-store.ts";
import { ListLeases } from "./list-leases.ts";
import type { RosterEntry, Snapshot } from "./registry-contract.ts";
import { ReplicaLeases } from "./replica-leases.ts";

export class Publisher {
  readonly #storage: DurableObjectStorage;
  readonly #env: Env;
  readonly #leases: ReplicaLeases;
  readonly #lists: ListLeases;
  readonly #readSnapshot: () => Snapshot;
  #publishedAtMs = 0;

  /** `readSnapshot` is what replicas are told; they, and with `isWoken` isolates, may hold leases from before. */
  constructor(
    storage: DurableObjectStorage,
    env: Env,
    {
      readSnapshot,
      servesReplicas,
      isWoken,
    }: { readSnapshot: () => Snapshot; servesReplicas: boolean; isWoken: boolean },
  ) {
    this.#storage = storage;
    this.#env = env;
    this.#readSnapshot = readSnapshot;
    this.#leases = new ReplicaLeases(Date.now(), servesReplicas);
    this.#lists = new ListLeases(Date.now(), isWoken);
  }

  get #sql(): SqlStorage {
    return this.#storage.sql;
  }

  /** A replica is about to be told of the current version. */
  grantLease(region: Region): void {
    const before = this.#leases.grant(region, readVersion(this.#sql), Date.now());
    if (before !== undefined) this.#lists.grant(before, Date.now());
  }

  /** An isolate is about to be told of a version, and may list from it for so many milliseconds. */
  grantLists(version: number): number {
    this.#lists.grant(version, Date.now());
    return LIMITS.listLeaseMs;
  }

  /** How long lists of isolates that asked here may still be older than a version. */
  waitForLists(version: number): number {
    return this.#lists.waitMs(version, Date.now());
  }

  joinRoster(hub: string): RosterEntry {
    const nowMs = Date.now();
    this.#settle(readVersion(this.#sql), nowMs);
    const version = outbox.readPublished(this.#sql);
    const epoch = outbox.joinRoster(this.#sql, hub, version);
    this.resume();
    const [closures, changes] = [
      outbox.readLateClosures(this.#sql, nowMs),
      outbox.readChanges(this.#sql, version, nowMs),
    ];
    return { v: 1, version, epoch, closures, changes };
  }

  /** Closes all sockets and streams with a tag, wherever they hang; delivered like a change. */
  closeSockets(tag: string): void {
    outbox.writeClosure(this.#sql, tag, Date.now());
    this.#schedule(LIMITS.publishDelayMs);
  }

  /** What stands before a change must be known to be readable, or not, before there is the next version. */
  beforeChange(): void {
    this.#settle(readVersion(this.#sql), Date.now());
  }

  /** A version was committed just now: with no await in between, neither is durable without its alarm. */
  afterChange(): void {
    const nowMs = Date.now();
    // Replicas are told first, and lists from them take as long to be over.
    const delayMs = LIMITS.publishDelayMs - (this.#leases.isAnyHeld(nowMs) ? LIMITS.listLeaseMs : 0);
    this.#schedule(Math.max(delayMs, this.#publishedAtMs + LIMITS.publishSpacingMs - nowMs));
  }

  /** Delivers the newest version to every replica and hub that is behind; those out of reach are tried again. */
  async publish(): Promise<void> {
    outbox.writePublicationDue(this.#sql, 0);
    const heldUpMs = await this.#informReplicas();
    this.#publishedAtMs = Date.now();
    const outcomes = await Promise.all(outbox.readLateHubs(this.#sql).map((place) => this.#tell(place)));
    const failures = outcomes.includes(false) ? outbox.countFailure(this.#sql) : outbox.clearFailures(this.#sql);
    const late = outbox.readLateHubs(this.#sql);
    if (failures === 0 && heldUpMs === 0 && late.length === 0) return;
    const spacingMs = late.length > 0 || outcomes.length > 0 ? this.#spacingMs(late) : 0;
    this.#schedule(Math.max(heldUpMs, failures > 0 ? pauseMs(failures) : spacingMs));
  }

  /** More closures than one publication holds go out at once; a change in the meantime waits its turn. */
  #spacingMs(late: readonly outbox.RosterPlace[]): number {
    const hasClosures = late.some((place) => outbox.readClosures(this.#sql, place).length > 0);
    return hasClosures ? 0 : LIMITS.publishSpacingMs;
  }

  /**
   * Tells replicas of the newest version first: clients hear of it when none can answer with less. How long that may take
   * still, in milliseconds: as long as the lease of a replica that could not be told.
   */
  async #informReplicas(): Promise<number> {
    const version = readVersion(this.#sql);
    const behind = this.#leases.findBehind(version, Date.now());
    if (behind.length === 0) return this.#settle(version, Date.now());
    const snapshot = this.#readSnapshot();
    await Promise.all(
      behind.map(async (region) => {
        try {
          const refreshed = catalogueReplicaStub(this.#env, region).refresh(snapshot);
          await withDeadline(refreshed, LIMITS.replicaTimeoutMs, "refresh");
          // Isolates that it told before may list from that for as long as any.
          this.#lists.grant(this.#leases.acknowledge(region, version), Date.now());
        } catch (error) {
          logFailure("refresh_failed", region, error, { version });
        }
      }),
    );
    return this.#settle(version, Date.now());
  }

  /**
   * Lets hubs tell of a version if no replica and no list can answer with less; else answers for how long one still may.
   * Under changes without a pause there are always lists of the last one: an earlier one is told of meanwhile.
   */
  #settle(version: number, nowMs: number): number {
    const byReplicas = this.#leases.readSettled(version, nowMs);
    const settled = byReplicas === undefined ? undefined : this.#lists.readSettled(byReplicas, nowMs);
    if (settled !== undefined && outbox.readPublished(this.#sql) < settled) outbox.writePublished(this.#sql, settled);
    return Math.max(this.#leases.waitMs(version, nowMs), this.#lists.waitMs(version, nowMs));
  }

  async #tell(place: outbox.RosterPlace): Promise<boolean> {
    const { hub, epoch } = place;
    const version = outbox.readPublished(this.#sql);
    const news: Publication = {
      v: 1,
      version,
      epoch,
      closures: outbox.readClosures(this.#sql, place),
      changes: outbox.readChanges(this.#sql, version, Date.now()),
      audience: outbox.countAudience(this.#sql),
    };
    try {
      const published = hubStub(this.#env, hub).publish(news);
      const { sockets } = await withDeadline(published, LIMITS.publishTimeoutMs, "publish");
      if (sockets === 0) outbox.leaveRoster(this.#sql, place, Date.now());
      else outbox.acknowledge(this.#sql, place, { ...news, sockets }, Date.now());
      return true;
    } catch (error) {
      logFailure("publish_failed", hub, error, { version });
      return false;
    }
  }

  /** A publication that a killed runtime left undone goes on as soon as anything wakes the object. */
  resume(): void {
    const isLate =
      outbox.readPublished(this.#sql) < readVersion(this.#sql) || outbox.readLateHubs(this.#sql).length > 0;
    if (isLate) this.#schedule(LIMITS.publishDelayMs);
  }

  /**
   * The first change of a burst sets the time, and no later one can put it off: not even when the alarm is late, as it is
   * while changes come one upon the other. One that is much too late was lost.
   */
  #schedule(delayMs: number): void {
    const nowMs = Date.now();
    const dueMs = outbox.readPublicationDue(this.#sql);
    if (dueMs > nowMs - LIMITS.publishOverdueMs && dueMs <= nowMs + delayMs) return;
    outbox.writePublicationDue(this.#sql, nowMs + delayMs);
    void this.#storage.setAlarm(nowMs + delayMs);
  }
}

/** How long a hub that could not be reached is left alone. */
const pauseMs = (failures: number): number =>
  Math.min(LIMITS.publishRetryMaxMs, LIMITS.publishRetryMs * 2 ** (failures - 1));
