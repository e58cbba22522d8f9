// How much memory a process holds, and whether that grows with what it is asked.

import { execFileSync } from "node:child_process";

export interface Sample {
  atMs: number;
  rssMiB: number;
  /** Calls that were answered so far. */
  calls: number;
  /** Sockets and streams that the hubs hold. */
  open: number;
}

/** Resident memory, as the system counts it. */
export function readRssMiB(pid: number): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1_024;
}

export interface Growth {
  firstMiB: number;
  lastMiB: number;
  peakMiB: number;
  /** The slope of the line through all samples after the warm-up. */
  perThousandCallsKiB: number;
  /** The mean of the last quarter over the mean of the quarter after the warm-up. */
  lateOverEarly: number;
}

const WARM_UP_SHARE = 0.25;

export function describeGrowth(samples: readonly Sample[]): Growth {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP_SHARE));
  const third = Math.max(1, Math.floor(warm.length / 3));
  return {
    firstMiB: samples[0]?.rssMiB ?? 0,
    lastMiB: samples.at(-1)?.rssMiB ?? 0,
    peakMiB: Math.max(0, ...samples.map(({ rssMiB }) => rssMiB)),
    perThousandCallsKiB: slope(warm) * 1_000 * 1_024,
    lateOverEarly: mean(warm.slice(-third)) / mean(warm.slice(0, third)),
  };
}

const mean = (samples: readonly Sample[]): number =>
  samples.reduce((sum, { rssMiB }) => sum + rssMiB, 0) / samples.length;

/** Least squares, in MiB a call. */
function slope(samples: readonly Sample[]): number {
  const [x, y] = [samples.reduce((sum, { calls }) => sum + calls, 0) / samples.length, mean(samples)];
  const over = samples.reduce((sum, { calls, rssMiB }) => sum + (calls - x) * (rssMiB - y), 0);
  const under = samples.reduce((sum, { calls }) => sum + (calls - x) ** 2, 0);
  return under === 0 ? 0 : over / under;
}
