// What a run says of itself, for somebody who reads it for the first time.

import type { Witness } from "./witness.ts";

export const progressText = (witness: Witness, rounds: number, ms: number): string => {
  const { round, findings } = witness;
  const answered = witness.read("calls: answered");
  const broken = findings.length === 0 ? "nothing broken" : `${findings.length} broken promises`;
  return `round ${round} of ${rounds}: ${(ms / 1000).toFixed(1)} s, ${witness.read("faults: kill")} kills, ${answered} calls answered so far, ${broken}`;
};

export interface Ending {
  seed: number;
  rows: number | undefined;
  openCalls: number;
  ms: number;
}

export function summaryText(witness: Witness, { seed, rows, openCalls, ms }: Ending): string {
  const counts = [...witness.counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const lines = [
    "",
    `${witness.round} rounds in ${(ms / 60_000).toFixed(1)} minutes, seed ${seed}.`,
    `${witness.read("checks")} checks, ${rows ?? "no"} admin actions in an unbroken chain, ${openCalls} idempotent calls still open.`,
    "",
    ...counts.map(([what, times]) => `${what.padEnd(44)} ${String(times).padStart(9)}`),
    "",
    ...witness.findings.map(({ round, what }) => `Broken in round ${round} (--seed ${seed}): ${what}`),
    witness.findings.length === 0 ? "Every promise was kept." : `${witness.findings.length} promises were broken.`,
  ];
  return lines.join("\n");
}
