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
  #waiting = 0;
  /** Slots that the object gave, and until when those hold that no call uses. */
  #granted = { slots: 0, idleUntilMs: 0 };
  #fullUntilMs = 0;
  #telling: Telling | undefined;

  /** A slot for a call; `full` when the key runs as many as it may, `unavailable` when its object can't be asked. */
  async enter(hold: HoldSlots, waitUntil: WaitUntil, now: () => number): Promise<Leave | "full" | "unavailable"> {
    const tell = (): Promise<boolean> => this.#tell(hold, waitUntil, now);
    if (this.#countIdle(now()) > 0 && this.#granted.idleUntilMs > now()) {
      const leave = this.#start(tell, now);
      void tell();
      return leave;
    }
    if (now() < this.#fullUntilMs) return "full";
    this.#waiting++;
    try {
      if (!(await tell())) return "unavailable";
      if (this.#countIdle(now()) > 0) return this.#start(tell, now);
      this.#fullUntilMs = now() + jitter(LIMITS.denialFloorMs / 2, LIMITS.denialFloorMs);
      return "full";
    } finally {
      this.#waiting--;
    }
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
    const running = this.#countRunning(startedAtMs);
    const idle = this.#waiting > 0 ? 0 : Math.max(1, this.#granted.slots - running);
    const seq = ++this.#seq;
    const heard = hold({ v: 1, holder: this.#holder, seq, running: running + this.#waiting, idle }).then(
      ({ slots }) => {
        // Half as long as the object keeps it: the news that it is used must be there before it is given away.
        this.#granted = { slots, idleUntilMs: startedAtMs + LIMITS.leaseLifeMs / 2 };
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

  #countIdle(nowMs: number): number {
    return this.#granted.slots - this.#countRunning(nowMs);
  }

  #countRunning(nowMs: number): number {
    for (const [call, untilMs] of this.#running) if (untilMs <= nowMs) this.#running.delete(call);
    return this.#running.size;
  }
}
