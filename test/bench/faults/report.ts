// What a run says of itself, for somebody who reads it for the first time.

import { counted } from "../run-arguments.ts";
import type { Witness } from "./witness.ts";

export const progressText = (witness: Witness, rounds: number, ms: number): string => {
  const { round, findings } = witness;
  const answered = witness.read("calls: answered");
  const broken = findings.length === 0 ? "nothing broken" : counted(findings.length, "broken promise");
  return `round ${round} of ${rounds}: ${(ms / 1000).toFixed(1)} s, ${counted(witness.read("faults: kill"), "kill")}, ${counted(answered, "call")} answered so far, ${broken}`;
};

export interface Ending {
  seed: number;
  /** Rounds that came to their end, checks included. */
  roundsDone: number;
  /** Rows of the chain of admin actions, where it was read to its end. */
  rows: number | undefined;
  openCalls: number;
  ms: number;
  isEarly: boolean;
}

export function summaryText(witness: Witness, ending: Ending): string {
  const { seed, roundsDone, rows, openCalls, ms } = ending;
  const counts = [...witness.counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const lines = [
    "",
    `${counted(roundsDone, "round")} in ${(ms / 60_000).toFixed(1)} minutes, seed ${seed}.`,
    `${counted(witness.read("checks"), "check")}, ${chainText(rows)}, ${counted(openCalls, "idempotent call")} still open.`,
    "",
    ...counts.map(([what, times]) => `${what.padEnd(44)} ${String(times).padStart(9)}`),
    "",
    ...witness.findings.map(({ round, what }) => `Broken in round ${round} (--seed ${seed}): ${what}`),
    verdict(witness.findings.length, ending),
  ];
  return lines.join("\n");
}

const chainText = (rows: number | undefined): string =>
  rows === undefined
    ? "the chain of admin actions not read to its end"
    : `${counted(rows, "admin action")} in an unbroken chain`;

function verdict(broken: number, { isEarly, roundsDone }: Ending): string {
  const told = `${counted(broken, "promise")} ${broken === 1 ? "was" : "were"} broken`;
  if (!isEarly) return broken === 0 ? "Every promise was kept." : `${told}.`;
  return `Ended early, after ${counted(roundsDone, "whole round")}: ${broken === 0 ? "no promise was broken" : told} so far.`;
}
