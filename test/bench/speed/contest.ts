// Servers next to each other: in each round every one has its turn, and is charged for all CPU time up to its next turn, so
// that what it does in the background counts too. Ratios are taken within a round.

import { setTimeout as delay } from "node:timers/promises";
import { median, quartiles } from "../fan-out/spread.ts";
import type { Running } from "./runtime.ts";

/** One server at one kind of work. */
export interface Contestant {
  name: string;
  /** Whether the others are compared to it: to all such together. The first one, where none is. */
  isFloor?: boolean;
  running: Running;
  /** Does the work so many times. */
  work: (count: number) => Promise<void>;
}

export interface Standing {
  name: string;
  /** CPU time of its process for one piece of work: the median over the rounds. */
  cpuUs: number;
  /** The same as a multiple of the floor's in the same round: the median, and the bounds of the middle half. */
  ratio: number;
  lower: number;
  upper: number;
}

const WARM_UP_MS = 2_000;
const TURN_MS = 150;
/** What goes on in the background gathers for a second. */
const SETTLE_MS = 1_300;

interface Entry extends Contestant {
  count: number;
  atMs: number;
  costsUs: number[];
}

export async function compare(contestants: readonly Contestant[], rounds: number): Promise<Standing[]> {
  const entries: Entry[] = [];
  for (const contestant of contestants) entries.push(await warmUp(contestant));
  await delay(SETTLE_MS);
  for (const entry of entries) entry.atMs = entry.running.cpuMs();
  for (let round = 0; round < rounds; round++) {
    for (const { work, count } of round % 2 === 0 ? entries : entries.toReversed()) await work(count);
    if (round === rounds - 1) await delay(SETTLE_MS);
    for (const entry of entries) charge(entry);
  }
  const marked = entries.filter(({ isFloor }) => isFloor);
  const floors = marked.length > 0 ? marked : entries.slice(0, 1);
  return entries.map(({ name, costsUs }) => {
    const ratios = costsUs.map((cost, round) => cost / mean(floors.map((floor) => floor.costsUs[round] ?? cost)));
    return { name, cpuUs: median(costsUs), ratio: median(ratios), ...quartiles(ratios) };
  });
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Until the compiler is done with it, and it is known how much of it makes a turn. */
async function warmUp(contestant: Contestant): Promise<Entry> {
  const startMs = performance.now();
  let [done, step] = [0, 8];
  while (performance.now() - startMs < WARM_UP_MS) {
    await contestant.work(step);
    done += step;
    step = Math.min(512, step * 2);
  }
  const count = Math.max(8, Math.round((done * TURN_MS) / (performance.now() - startMs)));
  return { ...contestant, count, atMs: 0, costsUs: [] };
}

function charge(entry: Entry): void {
  const nowMs = entry.running.cpuMs();
  entry.costsUs.push(((nowMs - entry.atMs) * 1000) / entry.count);
  entry.atMs = nowMs;
}
