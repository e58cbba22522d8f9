// Listeners that say nothing: their hub sleeps, no object is asked anything, and a change still reaches them all.

import { setTimeout as delay } from "node:timers/promises";
import { measureChanges, type Change } from "./changes.ts";
import { nowMs } from "./clock.ts";
import type { Fleet } from "./fleet.ts";
import type { Runtime } from "./runtime.ts";

/** What connecting still had going on. */
const CALM_MS = 3_000;

export interface IdleFigures {
  listeners: number;
  idleMs: number;
  /** Events delivered to objects meanwhile, by class and method. */
  events: Record<string, number>;
  serverCpuMs?: number | undefined;
  /** Times that the hub's constructor ran: meanwhile, and for the change that followed. */
  awokeIdle: number;
  awokeForChange: number;
  /** What `GET /admin/v1/sessions` says after the change: how long the hub has been awake. */
  awakeMs?: number | undefined;
  change: Change;
}

export async function measureIdle(runtime: Runtime, fleet: Fleet, idleMs: number): Promise<IdleFigures> {
  await delay(CALM_MS);
  const [before, cpuBefore, beganAtMs] = [await runtime.observed(), runtime.cpuMs(), nowMs()];
  await delay(idleMs);
  const [after, cpuAfter, tookMs] = [await runtime.observed(), runtime.cpuMs(), nowMs() - beganAtMs];
  const [change] = await measureChanges(runtime, fleet, 1);
  if (!change) throw new Error("no change was made");
  const awoke = await runtime.observed();
  return {
    listeners: fleet.size,
    idleMs: tookMs,
    events: newEvents(before.events, after.events),
    serverCpuMs: cpuAfter === undefined ? undefined : cpuAfter - (cpuBefore ?? 0),
    awokeIdle: after.hubsAwokeAtMs.length - before.hubsAwokeAtMs.length,
    awokeForChange: awoke.hubsAwokeAtMs.length - after.hubsAwokeAtMs.length,
    awakeMs: await readAwakeMs(runtime),
    change,
  };
}

function newEvents(before: Record<string, number>, after: Record<string, number>): Record<string, number> {
  const counts = Object.entries(after).map(([event, count]) => [event, count - (before[event] ?? 0)] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

async function readAwakeMs({ admin }: Runtime): Promise<number | undefined> {
  const { body } = await admin("GET", "/sessions");
  const [hub] = body["hubs"] as { awakeSince?: string }[];
  return hub?.awakeSince === undefined ? undefined : Date.now() - Date.parse(hub.awakeSince);
}

/** What must not be, in words. */
export function faultsOfIdle({ events, awokeForChange, awakeMs, idleMs }: IdleFigures): string[] {
  const asked = Object.entries(events).map(([event, count]) => `${count} ${event}`);
  return [
    ...(asked.length > 0 ? [`idle: objects were asked something: ${asked.join(", ")}`] : []),
    ...(awokeForChange === 0 ? ["idle: the hub did not hibernate"] : []),
    ...(awakeMs !== undefined && awakeMs >= idleMs ? ["idle: by its own word the hub was awake all the time"] : []),
  ];
}
