// Isolates in front of one key's object, in a time of their own: every message takes as long as the schedule says, or is
// lost, and every isolate has a clock of its own.

import type { KeyRecord, LeaseAnswer, SlotAnswer, SlotRequest } from "../../src/keys/key-record.ts";
import { KeyStanding } from "../../src/keys/key-standing.ts";
import { LeasePool, type LeaseAsk } from "../../src/keys/lease-pool.ts";
import { SlotPool } from "../../src/keys/slot-pool.ts";
import { SlotLedger } from "../../src/keys/slot-table.ts";
import { ledgerObject, recordOf } from "./ledger-object.ts";

/** How a message travels: milliseconds there and back, and whether it or its answer is lost. */
export interface Travel {
  thereMs: number;
  backMs: number;
  lost?: "request" | "answer";
}

export interface WorldOptions {
  record: Partial<KeyRecord>;
  /** Milliseconds by which each isolate's clock is off. */
  clockOffsetsMs: readonly number[];
  /** How the next message travels. */
  travel: () => Travel;
  cost?: number;
}

export interface World {
  /** A call at a time, in an isolate. */
  callAt: (atMs: number, isolate: number) => void;
  restartAt: (atMs: number) => void;
  /** Runs until nothing more happens. */
  run: () => Promise<void>;
  /** When calls were let in, in order; and how many were not. */
  admittedAtMs: number[];
  refused: () => number;
  /** When requests for a lease left their isolates. */
  askedAtMs: number[];
  usedToday: () => number;
}

/** Enough for every promise that hangs on an event. */
const TICKS = 40;

/** Events in the order of their times, and a clock that stands at the one that happens. */
function createTimeline() {
  const clock = { nowMs: 1_000_000 };
  const startMs = clock.nowMs;
  const events: { atMs: number; order: number; run: () => void }[] = [];
  let order = 0;
  const at = (atMs: number, run: () => void): void => void events.push({ atMs, order: order++, run });
  const run = async (): Promise<void> => {
    while (events.length > 0) {
      events.sort((a, b) => b.atMs - a.atMs || b.order - a.order);
      const next = events.pop();
      if (!next) break;
      clock.nowMs = Math.max(clock.nowMs, next.atMs);
      next.run();
      for (let tick = 0; tick < TICKS; tick++) await Promise.resolve();
    }
  };
  return { clock, startMs, at, run };
}

export function createWorld({ record, clockOffsetsMs, travel, cost = 1 }: WorldOptions): World {
  const { clock, startMs, at, run } = createTimeline();
  const object = ledgerObject(recordOf(record), clock);
  const pools = clockOffsetsMs.map(() => new LeasePool(new KeyStanding(), cost));
  const admittedAtMs: number[] = [];
  const askedAtMs: number[] = [];
  let refused = 0;

  const requestLease = (ask: LeaseAsk): Promise<LeaseAnswer> =>
    new Promise((resolve, reject) => {
      const { thereMs, backMs, lost } = travel();
      askedAtMs.push(clock.nowMs - startMs);
      const fail = (): void => reject(new Error("lost"));
      at(clock.nowMs + thereMs, () => {
        if (lost === "request") return fail();
        const answer = object.lease({ ...ask, cost });
        at(clock.nowMs + backMs, () => (lost === "answer" ? fail() : resolve(answer)));
      });
    });

  const call = async (isolate: number): Promise<void> => {
    const now = (): number => clock.nowMs + (clockOffsetsMs[isolate] ?? 0);
    const admission = await pools[isolate]?.admit(requestLease, () => undefined, now);
    if (admission?.status === "admitted") admittedAtMs.push(clock.nowMs - startMs);
    else refused++;
  };

  return {
    callAt: (atMs, isolate) => at(startMs + atMs, () => void call(isolate)),
    restartAt: (atMs) => at(startMs + atMs, object.restart),
    run,
    admittedAtMs,
    refused: () => refused,
    askedAtMs,
    usedToday: object.usedToday,
  };
}

/** Isolates that let calls run for a while, in front of a key whose running calls are bounded. */
export function createSlotWorld(limit: number, delaysMs: readonly number[]) {
  const { clock, startMs, at, run } = createTimeline();
  const pools = new Map<number, SlotPool>();
  const stored = new Map<string, unknown>();
  const ledger = new SlotLedger({
    get: <T>(name: string) => stored.get(name) as T | undefined,
    put: (name, value) => void stored.set(name, value),
  });
  let [message, running, most] = [0, 0, 0];
  const delay = (): number => delaysMs[message++ % delaysMs.length] ?? 0;
  const hold = (request: SlotRequest): Promise<SlotAnswer> =>
    new Promise((resolve) => {
      at(clock.nowMs + delay(), () => {
        const slots = ledger.hold(request, limit, clock.nowMs);
        at(clock.nowMs + delay(), () => resolve({ v: 1, slots, limit }));
      });
    });
  const call = async (isolate: number, lastsMs: number): Promise<void> => {
    const pool = pools.get(isolate) ?? new SlotPool();
    pools.set(isolate, pool);
    const leave = await pool.enter(
      hold,
      () => undefined,
      () => clock.nowMs,
    );
    if (typeof leave !== "function") return;
    most = Math.max(most, ++running);
    at(clock.nowMs + lastsMs, () => {
      running--;
      leave();
    });
  };
  return {
    callAt: (atMs: number, isolate: number, lastsMs: number) => at(startMs + atMs, () => void call(isolate, lastsMs)),
    run,
    running: () => running,
    mostRunning: () => most,
  };
}
