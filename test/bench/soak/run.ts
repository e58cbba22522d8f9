// `npm run soak -- --minutes M`: clients of all kinds for some minutes, and what is left of them after. Ends by itself; exit
// code 1 when something stays open, grows on and on, fails or is not answered.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { Witness } from "../faults/witness.ts";
import { describeGrowth } from "./memory.ts";
import { SoakRun } from "./soak-run.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: "1" },
    json: { type: "string", default: "dist/soak.json" },
  },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
const witness = new Witness();
console.log(`${minutes} minutes with the seed ${seed}. Ctrl-C ends it early.\n`);
console.log("minute   requests   open   workerd holds");

/** No answer to a request may be one of these: nothing fails. */
const FAILURES = /^(calls|idempotent|admin): (closed|unanswered|5\d\d|error 5\d\d|error -32603|-32603)$/;

const run = await SoakRun.start(witness, seed);
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));
const startedAtMs = Date.now();
await run.work(startedAtMs + minutes * 60_000, ({ atMs, rssMiB, requests, open }) => {
  if (run.samples.length % 6 !== 1) return;
  const minute = ((atMs - startedAtMs) / 60_000).toFixed(1);
  console.log(
    `${minute.padStart(6)} ${String(requests).padStart(10)} ${String(open).padStart(6)} ${rssMiB.toFixed(0).padStart(11)} MiB`,
  );
});
const growth = describeGrowth(run.samples);
const emptyAfterMs = await run.leave();
if (emptyAfterMs === undefined) {
  witness.find(`sockets or streams are still open a minute after all clients left: ${await run.describeOpen()}`);
}
for (const [what, times] of witness.counts) if (FAILURES.test(what)) witness.find(`${what}, ${times} times`);
const afterMiB = run.readRssMiB();
const log = run.log;
await run.stop();

const rows: [string, string][] = [
  ["requests", String(witness.read("calls: answered"))],
  ["clients that left in the middle", String(witness.read("clients that left"))],
  ["told of changes", String(witness.read("listeners: told"))],
  ["most sockets and streams open", String(Math.max(...run.samples.map(({ open }) => open)))],
  ["none open after", emptyAfterMs === undefined ? "never" : `${(emptyAfterMs / 1000).toFixed(1)} s`],
  ["workerd's memory: first, last, peak", [growth.firstMiB, growth.lastMiB, growth.peakMiB].map(mib).join(", ")],
  ["after all left", mib(afterMiB)],
  ["growth per 1,000 requests, after warm-up", `${growth.perThousandRequestsKiB.toFixed(0)} KiB`],
  ["last quarter over the one after warm-up", growth.lateOverEarly.toFixed(2)],
];
console.log(`\n${rows.map(([what, value]) => `${what.padEnd(44)} ${value}`).join("\n")}\n`);
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
  samples: run.samples,
};
mkdirSync(dirname(values.json), { recursive: true });
writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
console.log(`All figures: ${values.json}`);
process.exit(witness.findings.length > 0 ? 1 : 0);

function mib(value: number): string {
  return `${value.toFixed(0)} MiB`;
}
