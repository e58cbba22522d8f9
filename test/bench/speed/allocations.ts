// `npm run allocations`: how many bytes a warm call leaves to the garbage collector, by V8's sampling of what is allocated, with
// everything on. Code that the compiler is not done with allocates more, so the least of some samples counts: that is the same on
// any machine, within some hundredths. Fails over its budget; ends by itself.

import { join } from "node:path";
import { WebSocket } from "ws";
import { within } from "../../journeys/support/within.ts";
import { Workplace } from "../fan-out/workplace.ts";
import { keyHeaders } from "./keys.ts";
import { makeHome, startServer } from "./runtime.ts";
import { buildServer, TOOLGATE } from "./servers.ts";
import { prepareQuestion, prepareSession } from "./work.ts";

const BUDGET_BYTES = 19_000;
const WARM_UP_CALLS = 6_000;
const SAMPLES = 8;
const CALLS = 3_000;
const STUCK_MS = 60_000;
const EVERY_BYTES = 1_024;

interface Node {
  selfSize: number;
  children: Node[];
}

/** A conversation with V8's inspector. */
async function openInspector(url: URL): Promise<(method: string, params?: object) => Promise<unknown>> {
  const [target] = (await (await fetch(new URL("/json/list", url))).json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? "");
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  const waiting = new Map<number, (result: unknown) => void>();
  socket.on("message", (data) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
    if (id !== undefined) waiting.get(id)?.(result);
  });
  let last = 0;
  return (method, params = {}) => {
    const id = ++last;
    const answered = new Promise<unknown>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    return within(STUCK_MS, method, answered);
  };
}

const sumOf = ({ selfSize, children }: Node): number =>
  selfSize + children.reduce((sum, child) => sum + sumOf(child), 0);

const workplace = new Workplace({ inMemory: true });
const built = await buildServer(TOOLGATE, 3, join(workplace.dir, "toolgate"));
const home = makeHome(workplace, "toolgate", built);
const running = await startServer(workplace, home, built, { inspected: true });
const headers = await keyHeaders(TOOLGATE, running, home);
const bench = { server: TOOLGATE, running, headers, tools: 3 };
if (!running.inspector) throw new Error("there is no inspector");
const ask = await openInspector(running.inspector);
await ask("HeapProfiler.enable");
const contests = {
  "tools/call": await prepareQuestion("call", bench),
  "in a legacy session": await prepareSession(bench),
};
for (const [what, { work }] of Object.entries(contests)) {
  await work(WARM_UP_CALLS);
  let least = Infinity;
  for (let sample = 0; sample < SAMPLES; sample++) least = Math.min(least, await measure(work));
  console.log(`${what}: ${least} bytes a call, budget ${BUDGET_BYTES}`);
  if (least > BUDGET_BYTES) process.exitCode = 1;
}
await running.stop();
process.exit();

async function measure(work: (count: number) => Promise<void>): Promise<number> {
  const collected = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
  await ask("HeapProfiler.startSampling", { samplingInterval: EVERY_BYTES, ...collected });
  await work(CALLS);
  const { profile } = (await ask("HeapProfiler.stopSampling")) as { profile: { head: Node } };
  return Math.round(sumOf(profile.head) / CALLS);
}
