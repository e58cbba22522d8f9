// `npm run soak -- --minutes M`: clients of all kinds for some minutes, and what is left of them after. Ends by itself; exit
// code 1 when something stays open, fails or is not answered, 2 for a wrong command line, 130 after Ctrl-C. How memory grows
// it tells and does not judge: how much is too much depends on what the runtime may have.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { counted, runArguments } from "../run-arguments.ts";
import { Witness } from "../faults/witness.ts";
import { describeGrowth, type Sample } from "./memory.ts";
import { SoakRun } from "./soak-run.ts";

const { minutes, seed, json } = runArguments("soak", {
  minutes: { help: "how long clients work", preset: 10, least: 0.1, most: 10_000, isWhole: false },
  seed: { help: "who does what when", preset: 1, least: 0, most: 2_000_000_000, isWhole: true },
  json: { kind: "text", help: "where all figures go", preset: "dist/soak.json" },
});
/** Memory rises for some two minutes until it is warm. */
const TELLING_MINUTES = 5;
const witness = new Witness();
console.log(`${counted(minutes, "minute")} with the seed ${seed}. Ctrl-C ends the run early.\n`);
console.log("minute      calls   open   workerd holds");

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
await run.work(startedAtMs + minutes * 60_000, ({ atMs, rssMiB, calls, open }) => {
  if (samples.length % 6 !== 1) return;
  const minute = ((atMs - startedAtMs) / 60_000).toFixed(1);
  console.log(
    `${minute.padStart(6)} ${String(calls).padStart(10)} ${String(open).padStart(6)} ${rssMiB.toFixed(0).padStart(11)} MiB`,
  );
});
const growth = describeGrowth(samples);
const emptyAfterMs = await run.leave();
if (emptyAfterMs === undefined) {
  witness.find(`sockets or streams are still open a minute after all clients left: ${await run.describeOpen()}`);
}
for (const [what, times] of witness.counts) if (FAILURES.test(what)) witness.find(`${what}, ${times} times`);
const afterMiB = run.readRssMiB();
const log = run.log;
await run.stop();

const rows: [string, string][] = [
  ...rowsOf(samples),
  ["none open after", emptyAfterMs === undefined ? "never" : `${(emptyAfterMs / 1000).toFixed(1)} s`],
  ["after all left", mib(afterMiB)],
];
console.log(`\n${tableText(rows)}\n`);
for (const { what } of witness.findings) console.error(`Broken: ${what}`);
if (witness.findings.length > 0) console.error(log.slice(-4_000));
console.log(witness.findings.length === 0 ? "Nothing failed, nothing stayed open." : "Some promises were broken.");
const counts = Object.fromEntries(witness.counts);
const report = {
  minutes,
  seed,
  growth,
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
  const { firstMiB, lastMiB, peakMiB, perThousandCallsKiB, lateOverEarly } = describeGrowth(samples);
  const isTelling = (samples.at(-1)?.atMs ?? 0) - startedAtMs >= (TELLING_MINUTES - 0.5) * 60_000;
  const told = (text: string): string => (isTelling ? text : `too short to tell: ${TELLING_MINUTES} minutes at least`);
  return [
    ["calls", String(witness.read("calls: answered"))],
    ["clients that left in the middle", String(witness.read("clients that left"))],
    ["told of changes", String(witness.read("listeners: told"))],
    ["most sockets and streams open", String(Math.max(0, ...samples.map(({ open }) => open)))],
    ["workerd's memory: first, last, peak", [firstMiB, lastMiB, peakMiB].map(mib).join(", ")],
    ["growth per 1,000 calls, after warm-up", told(`${perThousandCallsKiB.toFixed(0)} KiB`)],
    ["last quarter over the one after warm-up", told(lateOverEarly.toFixed(2))],
  ];
}

function tableText(rows: [string, string][]): string {
  return rows.map(([what, value]) => `${what.padEnd(44)} ${value}`).join("\n");
}

function mib(value: number): string {
  return `${value.toFixed(0)} MiB`;
}
