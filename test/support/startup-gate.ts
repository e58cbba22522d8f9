// Fails when starting the Worker computes for longer than its budget: the platform refuses one that takes a second. The
// profile is this machine's, of `wrangler check startup`, so that the budget is no measure of speed but of a mistake.

import { readFileSync } from "node:fs";

interface Profile {
  nodes: { id: number; callFrame: { functionName: string } }[];
  samples: number[];
  timeDeltas: number[];
}

const BUDGET_MS = 400;
const NOT_OURS = new Set(["(root)", "(idle)", "(program)"]);

const path = new URL("../../dist/startup.cpuprofile", import.meta.url);
const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(path, "utf8")) as Profile;
const ours = new Set(nodes.flatMap(({ id, callFrame }) => (NOT_OURS.has(callFrame.functionName) ? [] : [id])));
const busyUs = samples.reduce((sum, node, index) => sum + (ours.has(node) ? (timeDeltas[index] ?? 0) : 0), 0);
const busyMs = busyUs / 1000;
console.log(`start-up: ${busyMs.toFixed(0)} ms of computing, budget ${BUDGET_MS} ms`);
if (samples.length === 0 || busyMs > BUDGET_MS) process.exitCode = 1;
