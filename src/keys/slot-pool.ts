// The running calls of one key in one isolate, for a key whose running calls are bounded. What runs is told to the key's
// object as a whole, one request at a time, so that a request that is lost is made good by the next.

import type { WaitUntil } from "../env.ts";
import { withDeadline } from "../lib/deadline.ts";
import { LIMITS } from "../lib/limits.ts";
import { jitter, randomText } from "../lib/random.ts";
import type { SlotAnswer, SlotRequest } from "./key-record.ts";

export type HoldSlots = (request: SlotRequest) => Promise<SlotAnswer>;

/** Ends a call's hold on its slot. */
export type Leave = () => void;

interface Telling {
  heard: Promise<boolean>;
  startedAtMs: number;
  /** The one after it, for all who came too late for it. */
  next?: Promise<boolean>;
}

export class SlotPool {
  readonly #holder = randomText(8);
  #seq = 0;
  /** Until when each running call is believed to run. One that was cut off never says that it ended. */
  readonly #running = new Map<symbol, number>();
  /** Until when each caller waits for an answer at the most. */
  readonly #waiting = new Map<symbol, number>();
  /** Slots that an answer gave to callers who have not begun with them yet. */
  #reserved = 0;
  /**
   * What is surely the isolate's: slots for calls that run, and until when for the next ones. From when the object is told
   * until it answers, and if that is never, what it was told is given back may be somebody else's already.
   */
  #granted = { running: 0, idle: 0, idleUntilMs: 0 };
  #fullUntilMs = 0;
  #telling: Telling | undefined;

  /** A slot for a call; `full` when the key runs as many as it may, `unavailable` when its object can't be asked. */
  async enter(hold: HoldSlots, waitUntil: WaitUntil, now: () => number): Promise<Leave | "full" | "unavailable"> {
    const tell = (): Promise<boolean> => this.#tell(hold, waitUntil, now);
    if (this.#countTaken(now()) < this.#countMine(now())) {
      const leave = this.#start(tell, now);
      void tell();
      return leave;
    }
    if (now() < this.#fullUntilMs) return "full";
    const caller = Symbol("caller");
    this.#waiting.set(caller, now() + LIMITS.leaseTimeoutMs);
    const heard = await tell();
    this.#waiting.delete(caller);
    if (heard && this.#reserved > 0) {
      this.#reserved--;
      return this.#start(tell, now);
    }
    this.#reserved = Math.min(this.#reserved, this.#waiting.size);
    if (!heard) return "unavailable";
    this.#fullUntilMs = now() + jitter(LIMITS.denialFloorMs / 2, LIMITS.denialFloorMs);
    return "full";
  }

  /** Calls that may run without asking. */
  #countMine(nowMs: number): number {
    const { running, idle, idleUntilMs } = this.#granted;
    return running + (nowMs < idleUntilMs ? idle : 0);
  }

  #start(tell: () => Promise<boolean>, now: () => number): Leave {
    const call = Symbol("call");
    const live = (): void => void this.#running.set(call, now() + LIMITS.slotLifeMs);
    live();
    // In the call's own context: when that is cut off, this ends with it, and the slot is free again in time.
    const renewal = setInterval(() => {
      live();
      void tell();
    }, LIMITS.slotRenewMs);
    return () => {
      clearInterval(renewal);
      if (!this.#running.delete(call)) return;
      this.#fullUntilMs = 0;
      void tell();
    };
  }

  /** Tells the object what runs and waits here by now; whether it was heard. */
  #tell(hold: HoldSlots, waitUntil: WaitUntil, now: () => number): Promise<boolean> {
    const underWay = this.#underWay(now());
    const heard = underWay
      ? (underWay.next ??= underWay.heard.then(() => this.#underWay(now())?.heard ?? this.#send(hold, waitUntil, now)))
      : this.#send(hold, waitUntil, now);
    return withDeadline(heard, LIMITS.leaseTimeoutMs, "slots").catch(() => false);
  }

  /** A request that is cut off takes what it told with it: nobody waits for it without an end. */
  #underWay(nowMs: number): Telling | undefined {
    const telling = this.#telling;
    return telling && nowMs - telling.startedAtMs < LIMITS.leaseTimeoutMs ? telling : undefined;
  }

  #send(hold: HoldSlots, waitUntil: WaitUntil, now: () => number): Promise<boolean> {
    const startedAtMs = now();
    const taken = this.#countTaken(startedAtMs);
    const waiting = Math.max(0, countLive(this.#waiting, startedAtMs) - this.#reserved);
    const used = Math.max(0, taken - this.#granted.running);
    const unused = Math.max(0, this.#granted.idle - used);
    const idle = waiting > 0 ? 0 : Math.max(1, unused);
    this.#granted = { ...this.#granted, running: taken, idle: Math.min(idle, unused) };
    const seq = ++this.#seq;
    const heard = hold({ v: 1, holder: this.#holder, seq, running: taken + waiting, idle }).then(
      ({ slots }) => {
        // Overtaken while it was thought lost: what it gave may have been given back since.
        if (seq !== this.#seq) return false;
        const running = Math.min(slots, taken + waiting);
        // Half as long as the object keeps it: the news that it is used must be there before it is given away.
        this.#granted = { running, idle: slots - running, idleUntilMs: startedAtMs + LIMITS.leaseLifeMs / 2 };
        this.#reserved += Math.max(0, Math.min(waiting, running - taken));
        return true;
      },
      () => false,
    );
    const telling: Telling = { heard, startedAtMs };
    this.#telling = telling;
    const done = heard.finally(() => {
      if (this.#telling === telling) this.#telling = undefined;
    });
    waitUntil(done);
    return heard;
  }

  /** Calls that run, and slots that are about to be used. */
  #countTaken(nowMs: number): number {
    return countLive(this.#running, nowMs) + this.#reserved;
  }
}

function countLive(untilMs: Map<symbol, number>, nowMs: number): number {
  for (const [one, endMs] of untilMs) if (endMs <= nowMs) untilMs.delete(one);
  return untilMs.size;
}
