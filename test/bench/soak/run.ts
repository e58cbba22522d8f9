// `npm run soak -- --minutes M`: clients of all kinds for some minutes, and what is left of them after. Ends by itself; exit
// code 1 when something stays open, fails, is not answered or what isolates hold grows, 2 for a wrong command line, 130
// after Ctrl-C. Of the memory of the process it tells and does not judge: the runtime gives little of it back.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { counted, runArguments } from "../run-arguments.ts";
import { Witness } from "../faults/witness.ts";
import type { Heap } from "./heap.ts";
import { describeHeaps, describeProcess, findKept, type Sample } from "./memory.ts";
import { SoakRun } from "./soak-run.ts";

const { minutes, seed, json } = runArguments("soak", {
  minutes: { help: "how long clients work", preset: 10, least: 0.1, most: 10_000, isWhole: false },
  seed: { help: "who does what when", preset: 1, least: 0, most: 2_000_000_000, isWhole: true },
  json: { kind: "text", help: "where all figures go", preset: "dist/soak.json" },
});
/** Heaps are looked at once a minute. */
const TELLING_MINUTES = 8;
const witness = new Witness();
console.log(`${counted(minutes, "minute")} with the seed ${seed}. Ctrl-C ends the run early.\n`);
console.log("minute      calls   open   workerd holds   reachable in its isolates");

/** No answer to a request may be one of these: nothing fails. */
const FAILURES = /^(calls|idempotent|admin): (closed|unanswered|5\d\d|error 5\d\d|error -32603|-32603)$/;

let run: SoakRun | undefined;
let startedAtMs = Date.now();
const endEarly = (exitCode: number): void => {
  console.log(`\n${tableText(rowsOf(run?.samples ?? []))}\n`);
  for (const { what } of witness.findings) console.error(`Broken: ${what}`);
  console.log("Ended early: whether anything stays open was not looked at.");
  process.exit(exitCode);
};
process.once("SIGINT", () => endEarly(130)).once("SIGTERM", () => endEarly(143));
run = await SoakRun.start(witness, seed);
startedAtMs = Date.now();
const { samples } = run;
await run.work(startedAtMs + minutes * 60_000, ({ atMs, rssMiB, calls, open, heaps }) => {
  if (!heaps) return;
  const minute = ((atMs - startedAtMs) / 60_000).toFixed(1).padStart(6);
  const held = `${rssMiB.toFixed(0).padStart(11)} MiB   ${heapsText(heaps)}`;
  console.log(`${minute} ${String(calls).padStart(10)} ${String(open).padStart(6)} ${held}`);
});
const growth = describeHeaps(samples);
for (const { isolate, earlyMiB, lateMiB, isGrowing } of growth) {
  if (!isGrowing || !isTelling(samples)) continue;
  witness.find(`what is reachable in ${isolate} grows: ${earlyMiB.toFixed(1)} MiB, later ${lateMiB.toFixed(1)} MiB`);
}
const emptyAfterMs = await run.leave();
if (emptyAfterMs === undefined) {
  witness.find(`sockets or streams are still open a minute after all clients left: ${await run.describeOpen()}`);
}
for (const [what, times] of witness.counts) if (FAILURES.test(what)) witness.find(`${what}, ${times} times`);
const heapsAfter = await run.readHeaps();
for (const { isolate, usedMiB } of findKept(growth, heapsAfter)) {
  witness.find(`${isolate} holds ${usedMiB.toFixed(1)} MiB after all clients left`);
}
const afterMiB = run.readRssMiB();
const log = run.log;
await run.stop();

const rows: [string, string][] = [
  ...rowsOf(samples),
  ["none open after", emptyAfterMs === undefined ? "never" : `${(emptyAfterMs / 1000).toFixed(1)} s`],
  ["reachable after all left", heapsText(heapsAfter)],
  ["the process after all left", mib(afterMiB)],
];
console.log(`\n${tableText(rows)}\n`);
for (const { what } of witness.findings) console.error(`Broken: ${what}`);
if (witness.findings.length > 0) console.error(log.slice(-4_000));
console.log(witness.findings.length === 0 ? "Nothing failed, nothing was left behind." : "Some promises were broken.");
const counts = Object.fromEntries(witness.counts);
const report = {
  minutes,
  seed,
  growth,
  process: describeProcess(samples),
  heapsAfter,
  afterMiB,
  emptyAfterMs,
  counts,
  findings: witness.findings,
  samples,
};
mkdirSync(dirname(json), { recursive: true });
writeFileSync(json, `${JSON.stringify(report, undefined, 2)}\n`);
console.log(`All figures: ${json}`);
process.exit(witness.findings.length > 0 ? 1 : 0);

/** What is known at any time of a run. */
function rowsOf(samples: readonly Sample[]): [string, string][] {
  const { firstMiB, lastMiB, peakMiB, heapsMiB, lateOverEarlier } = describeProcess(samples);
  const told = (text: string): string =>
    isTelling(samples) ? text : `too short to tell: ${TELLING_MINUTES} minutes at least`;
  return [
    ["calls", String(witness.read("calls: answered"))],
    ["clients that left in the middle", String(witness.read("clients that left"))],
    ["told of changes", String(witness.read("listeners: told"))],
    ["most sockets and streams open", String(Math.max(0, ...samples.map(({ open }) => open)))],
    ...describeHeaps(samples).map(({ isolate, firstMiB, earlyMiB, lateMiB }): [string, string] => [
      `reachable in ${isolate}: first, early, late`,
      told([firstMiB, earlyMiB, lateMiB].map((value) => `${value.toFixed(1)} MiB`).join(", ")),
    ]),
    ["the process: first, last, peak", [firstMiB, lastMiB, peakMiB].map(mib).join(", ")],
    ["of that V8's heaps, used or not", mib(heapsMiB)],
    ["last third of the run over the one before", told(lateOverEarlier.toFixed(2))],
  ];
}

function isTelling(samples: readonly Sample[]): boolean {
  return (samples.at(-1)?.atMs ?? 0) - startedAtMs >= (TELLING_MINUTES - 0.5) * 60_000;
}

function heapsText(heaps: readonly Heap[]): string {
  return heaps.map(({ isolate, usedMiB }) => `${isolate} ${usedMiB.toFixed(1)} MiB`).join(", ");
}

function tableText(rows: [string, string][]): string {
  return rows.map(([what, value]) => `${what.padEnd(44)} ${value}`).join("\n");
}

function mib(value: number): string {
  return `${value.toFixed(0)} MiB`;
}
