// `npm run bench:fan-out`: a change of the catalogue, on its way to everybody who listens.

import { writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { endRequested } from "../../../src/cli/end-request.ts";
import { LIMITS } from "../../../src/lib/limits.ts";
import { bundleWorker, type Bundle } from "./bundle.ts";
import { faultsOfBurst, measureBurst } from "./burst.ts";
import { faultsOf, measureBroadcasts, measureChanges, readHubs, type Change, type ChangeFigures } from "./changes.ts";
import { faultsOfDropped, measureDropped } from "./dropped.ts";
import { Fleet, type Plan } from "./fleet.ts";
import { faultsOfIdle, measureIdle } from "./idle.ts";
import { readFileLimit } from "./open-files.ts";
import { reportText, type Figures } from "./report.ts";
import { startRuntime, workerdVersion, type Runtime } from "./runtime.ts";
import { BURST, FULL, QUICK, TARGETS, type Sizes } from "./sizes.ts";
import { Workplace } from "./workplace.ts";

interface Run {
  workplace: Workplace;
  bundle: Bundle;
  sizes: Sizes;
  figures: Figures;
}

/** In this order. */
const SCENARIOS: Record<string, (run: Run) => Promise<void>> = {
  bare: measureBareHub,
  sockets: measureOneHub,
  hubs: measureManyHubs,
  streams: measureStreams,
  idle: measureIdlers,
};

async function measureBareHub(run: Run): Promise<void> {
  const { sockets: listeners, changes } = run.sizes;
  await withFleet(run, {}, { kinds: ["bare"], listeners }, async (runtime, fleet) => {
    note(run, figuresOf(fleet, "WebSocket, bare hub", [], await measureBroadcasts(runtime, fleet, changes)));
  });
}

async function measureOneHub(run: Run): Promise<void> {
  const { sockets: listeners, oneHub } = run.sizes;
  await withFleet(run, oneHub, { kinds: ["websocket"], listeners }, async (runtime, fleet) => {
    await noteChanges(run, "WebSocket, one hub", runtime, fleet, TARGETS.socketsMs);
    await noteBursts(run, "WebSocket", runtime, fleet);
  });
}

async function measureManyHubs(run: Run): Promise<void> {
  const { sockets: listeners, manyHubs } = run.sizes;
  await withFleet(run, manyHubs, { kinds: ["websocket"], listeners }, async (runtime, fleet) => {
    const hubs = await noteChanges(run, "WebSocket, full hubs", runtime, fleet, TARGETS.socketsMs);
    const cap = manyHubs.hubSockets ?? LIMITS.hubSockets;
    const crowded = hubs.filter((sessions) => sessions > cap);
    if (crowded.length > 0) run.figures.faults.push(`hubs that take ${cap} hold ${crowded.join(", ")}`);
  });
}

async function measureStreams(run: Run): Promise<void> {
  const { streams: listeners } = run.sizes;
  await withFleet(run, {}, { kinds: ["get", "listen"], listeners }, async (runtime, fleet) => {
    await noteChanges(run, "SSE, GET and listen", runtime, fleet, TARGETS.streamsMs);
    await noteBursts(run, "SSE", runtime, fleet);
  });
}

async function measureIdlers(run: Run): Promise<void> {
  const { idlers, idleMs, keepAlive } = run.sizes;
  const plan: Plan = { kinds: ["websocket", "get", "websocket", "listen"], listeners: 2 * idlers, oneByOne: true };
  await withFleet(run, keepAlive, plan, async (runtime, fleet) => {
    const idle = await measureIdle(runtime, fleet, idleMs);
    run.figures.idle = idle;
    run.figures.faults.push(...faultsOfIdle(idle), ...faultsOf(figuresOf(fleet, "idle", [], [idle.change])));
    const keepAliveMs = keepAlive.keepAliveMs ?? LIMITS.keepAliveMs;
    const dropped = await measureDropped(runtime, fleet, keepAliveMs);
    run.figures.dropped = dropped;
    run.figures.faults.push(...faultsOfDropped(dropped));
  });
}

async function withFleet(
  { workplace, bundle }: Run,
  limits: object,
  plan: Plan,
  measure: (runtime: Runtime, fleet: Fleet) => Promise<void>,
): Promise<void> {
  // More changes than an admin key may make in a minute are what is measured here.
  const runtime = await startRuntime(workplace, bundle, { writesBurst: 10_000, ...limits });
  let fleet: Fleet | undefined;
  try {
    fleet = new Fleet(workplace, runtime, plan);
    await fleet.connect();
    await measure(runtime, fleet);
  } catch (error) {
    console.error(runtime.log().join("\n"));
    throw error;
  } finally {
    await fleet?.end();
    await runtime.stop();
  }
}

/** How many sockets and streams each hub holds. */
async function noteChanges(
  run: Run,
  scenario: string,
  runtime: Runtime,
  fleet: Fleet,
  targetMs: number,
): Promise<number[]> {
  const changes = await measureChanges(runtime, fleet, run.sizes.changes);
  const hubs = await readHubs(runtime);
  note(run, { ...figuresOf(fleet, scenario, hubs, changes), targetMs });
  return hubs;
}

function note({ figures }: Run, row: ChangeFigures): void {
  figures.changes.push(row);
  figures.faults.push(...faultsOf(row));
}

const figuresOf = (fleet: Fleet, scenario: string, hubs: number[], changes: Change[]): ChangeFigures => ({
  scenario,
  listeners: fleet.size,
  throughDoor: fleet.throughDoor,
  hubs,
  connectMs: fleet.connectMs,
  connectCpuMs: fleet.connectCpuMs,
  changes,
});

async function noteBursts({ figures, sizes }: Run, scenario: string, runtime: Runtime, fleet: Fleet): Promise<void> {
  for (const [name, plan] of [
    ["at once", { changes: BURST.changes }],
    ["on and on", { forMs: sizes.steadyMs }],
  ] as const) {
    const burst = await measureBurst(`${scenario}, ${name}`, runtime, fleet, plan);
    figures.bursts.push(burst);
    figures.faults.push(...faultsOfBurst(burst));
  }
}

async function run(sizes: Sizes, only: string[], figures: Figures): Promise<void> {
  const workplace = new Workplace();
  const bundle = await bundleWorker(workplace);
  for (const [name, measure] of Object.entries(SCENARIOS)) {
    if (!only.includes(name)) continue;
    const startedAtMs = performance.now();
    console.log(`Measuring: ${name}`);
    await measure({ workplace, bundle, sizes, figures }).catch((error: unknown) => {
      figures.faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    });
    console.log(`           ${name} took ${((performance.now() - startedAtMs) / 1_000).toFixed(1)} s`);
  }
}

/** Tells what there is and ends the process. */
function finish(figures: Figures, json: string | undefined): never {
  console.log(reportText(figures));
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(figures, undefined, 2)}\n`);
  process.exit(figures.faults.length > 0 ? 1 : 0);
}

const describeMachine = (): Figures["machine"] => ({
  cores: availableParallelism(),
  "load before": loadavg()
    .map((load) => load.toFixed(1))
    .join(" "),
  node: process.version,
  workerd: workerdVersion(),
  "open files a process": readFileLimit(),
});

const { values } = parseArgs({
  options: { quick: { type: "boolean" }, json: { type: "string" }, only: { type: "string" } },
});
const sizes = values.quick ? QUICK : FULL;
const figures: Figures = { machine: describeMachine(), changes: [], bursts: [], faults: [] };
const only = values.only?.split(",") ?? Object.keys(SCENARIOS);
for (const name of only.filter((name) => !Object.hasOwn(SCENARIOS, name))) {
  figures.faults.push(`--only ${name}: expected some of ${Object.keys(SCENARIOS).join(",")}`);
}

void endRequested().then((reason) => {
  console.error(`Ended: ${reason}`);
  process.exit(130);
});
setTimeout(() => {
  figures.faults.push(`not done within ${sizes.deadlineMs / 1_000} s`);
  finish(figures, values.json);
}, sizes.deadlineMs).unref();

try {
  await run(sizes, only, figures);
} catch (error) {
  figures.faults.push(error instanceof Error ? error.message : String(error));
}
finish(figures, values.json);
