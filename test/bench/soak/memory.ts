// How much memory a process holds, and whether what is reachable in its isolates grows with what it is asked. What the
// process holds says little of that: V8 and the allocator keep for later what they once needed.

import { execFileSync } from "node:child_process";
import type { Heap } from "./heap.ts";

export interface Sample {
  atMs: number;
  rssMiB: number;
  /** Calls that were answered so far. */
  calls: number;
  /** Sockets and streams that the hubs hold. */
  open: number;
  /** Right after a collection of all garbage, now and then. */
  heaps?: Heap[];
}

/** Resident memory, as the system counts it. */
export function readRssMiB(pid: number): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1_024;
}

/** What is reachable in an isolate: to begin with, and on average in the first and last third after the warm-up. */
export interface HeapGrowth {
  isolate: string;
  firstMiB: number;
  earlyMiB: number;
  lateMiB: number;
  /** Whether it is more late than it may be. */
  isGrowing: boolean;
}

const WARM_UP_SHARE = 0.25;
/** Keys, tools and their versions come and go while clients work: so much more than before is none that stays. */
const GROWTH_SHARE = 1.2;
const GROWTH_MIB = 1;
/** What one that has served a while holds for its next clients. */
const KEPT_MIB = 8;

export function describeHeaps(samples: readonly Sample[]): HeapGrowth[] {
  const told = samples.flatMap(({ heaps }) => (heaps ? [heaps] : []));
  const [first = []] = told;
  return first.map(({ isolate, usedMiB: firstMiB }) => {
    const used = told.map((heaps) => heaps.find((heap) => heap.isolate === isolate)?.usedMiB ?? 0);
    const warm = used.slice(Math.floor(used.length * WARM_UP_SHARE));
    const third = Math.max(1, Math.floor(warm.length / 3));
    const [earlyMiB, lateMiB] = [mean(warm.slice(0, third)), mean(warm.slice(-third))];
    return { isolate, firstMiB, earlyMiB, lateMiB, isGrowing: lateMiB > earlyMiB * GROWTH_SHARE + GROWTH_MIB };
  });
}

/** The isolates that hold more after all clients left than they should, with how much. */
export const findKept = (growth: readonly HeapGrowth[], after: readonly Heap[]): Heap[] =>
  after.filter(({ isolate, usedMiB }) => {
    const { firstMiB } = growth.find((each) => each.isolate === isolate) ?? { firstMiB: 0 };
    return usedMiB > firstMiB + KEPT_MIB;
  });

export interface ProcessMemory {
  firstMiB: number;
  lastMiB: number;
  peakMiB: number;
  /** What V8 took from the system for its heaps, last. */
  heapsMiB: number;
  /** The mean of the last third after the warm-up over that of the third before. */
  lateOverEarlier: number;
}

export function describeProcess(samples: readonly Sample[]): ProcessMemory {
  const rss = samples.map(({ rssMiB }) => rssMiB);
  const warm = rss.slice(Math.floor(rss.length * WARM_UP_SHARE));
  const third = Math.max(1, Math.floor(warm.length / 3));
  const heaps = samples.findLast((sample) => sample.heaps)?.heaps ?? [];
  return {
    firstMiB: rss[0] ?? 0,
    lastMiB: rss.at(-1) ?? 0,
    peakMiB: Math.max(0, ...rss),
    heapsMiB: heaps.reduce((sum, { totalMiB }) => sum + totalMiB, 0),
    lateOverEarlier: mean(warm.slice(-third)) / mean(warm.slice(-2 * third, -third)),
  };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
