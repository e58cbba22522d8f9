// Which isolates run how many calls of a key right now, for a key whose running calls are bounded.

import { LIMITS } from "../lib/limits.ts";
import type { LedgerStore } from "./key-ledger.ts";
import type { SlotRequest } from "./key-record.ts";

/** Slots of one isolate. Those that wait for its next call are few, and free again soon. */
export interface SlotHolder {
  seq: number;
  running: number;
  runningUntilMs: number;
  idle: number;
  idleUntilMs: number;
}

export type SlotTable = Record<string, SlotHolder>;

/**
 * Gives a holder the slots that it asks for, as far as others leave them. What it would keep for its next call is bounded
 * over all isolates together by a quarter of the limit, so that below 4 nothing is kept at all.
 */
export function holdSlots(
  table: SlotTable,
  { holder, seq, running, idle }: SlotRequest,
  limit: number,
  nowMs: number,
): { table: SlotTable; slots: number } {
  const live = Object.entries(table).flatMap(([name, slots]) => dropExpired(name, slots, nowMs));
  const known = table[holder];
  const others = live.filter(([name]) => name !== holder).map(([, slots]) => slots);
  if (known && known.seq > seq) return { table: Object.fromEntries(live), slots: known.running + known.idle };
  const taken = others.reduce((sum, slots) => sum + slots.running + slots.idle, 0);
  const kept = others.reduce((sum, slots) => sum + slots.idle, 0);
  const granted = Math.max(0, Math.min(running, limit - taken));
  const room = Math.min(limit - taken - granted, Math.floor(limit / 4) - kept);
  // What a holder had kept and did not use stays: it may be using it before it is told otherwise.
  const before = live.find(([name]) => name === holder)?.[1];
  const unused = before ? before.idle - Math.max(0, granted - before.running) : 0;
  const spare = Math.max(0, Math.min(idle, Math.max(room, unused)));
  const next: SlotHolder = {
    seq,
    running: granted,
    runningUntilMs: nowMs + LIMITS.slotLifeMs,
    idle: spare,
    idleUntilMs: nowMs + LIMITS.leaseLifeMs,
  };
  const rest = live.filter(([name]) => name !== holder);
  return {
    table: Object.fromEntries(granted + spare > 0 ? [...rest, [holder, next] as const] : rest),
    slots: granted + spare,
  };
}

function dropExpired(name: string, slots: SlotHolder, nowMs: number): [string, SlotHolder][] {
  const running = slots.runningUntilMs > nowMs ? slots.running : 0;
  const idle = slots.idleUntilMs > nowMs ? slots.idle : 0;
  return running + idle > 0 ? [[name, { ...slots, running, idle }]] : [];
}

/**
 * The slots of a key in its object. An object that forgot them would let as many in again, so that a bound on them is
 * stored: it is written when it grows or is about to be over, not with every call.
 */
export class SlotLedger {
  readonly #store: LedgerStore;
  #table: SlotTable;
  #stored: SlotTable;

  constructor(store: LedgerStore) {
    this.#store = store;
    this.#stored = store.get<SlotTable>("slots") ?? {};
    this.#table = this.#stored;
  }

  /** As `holdSlots`; answers the holder's slots. */
  hold(request: SlotRequest, limit: number, nowMs: number): number {
    const { table, slots } = holdSlots(this.#table, request, limit, nowMs);
    this.#table = table;
    const stored = this.#stored[request.holder];
    const isCovered = stored && stored.running >= slots && stored.runningUntilMs - nowMs > LIMITS.slotLifeMs / 2;
    if (slots > 0 && !isCovered) {
      this.#stored = Object.fromEntries(Object.entries(table).map(([name, held]) => [name, boundOf(held)]));
      this.#store.put("slots", this.#stored);
    }
    return slots;
  }
}

const boundOf = (held: SlotHolder): SlotHolder => ({ ...held, running: held.running + held.idle, idle: 0 });
