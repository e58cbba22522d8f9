// One change at a time: when does each listener hear of it?

import { setTimeout as delay } from "node:timers/promises";
import { fromWallMs, nowMs } from "./clock.ts";
import type { Heard } from "./fleet-contract.ts";
import type { Fleet } from "./fleet.ts";
import { busyMs, coreCount } from "./machine-time.ts";
import type { Runtime } from "./runtime.ts";
import { spreadOf, type Spread } from "./spread.ts";
import { BARE_HUB_PATH, type Publication } from "./worker/observed.ts";

/** A listener that has not heard of a change by then has missed it. */
const HEARD_WITHIN_MS = 20_000;
/** What comes twice comes soon. */
const SETTLE_MS = 500;

export interface Change {
  /** From the admin API's answer; the bare hub has none. */
  fromAnswer?: Spread | undefined;
  /** From the moment when the first hub began to tell its sockets. */
  fromPublication?: Spread | undefined;
  missed: number;
  /** Listeners that heard of it more than once, and publications besides one to each hub, which may account for that. */
  repeated: number;
  redelivered: number;
  closed: number;
  serverCpuMs?: number | undefined;
  clientCpuMs: number;
  /** What everything else on the machine took of its CPU time meanwhile. */
  othersShare?: number | undefined;
}

export interface ChangeFigures {
  scenario: string;
  listeners: number;
  throughDoor: number;
  /** How many of them hang on each hub, as the admin API tells; the bare hub is not asked. */
  hubs: number[];
  targetMs?: number;
  /** How long all of them took to connect, and the server's CPU time for one. */
  connectMs: number;
  connectCpuMs?: number | undefined;
  changes: Change[];
}

/** Changes a tool through the admin API and listens, several times in turn. */
export async function measureChanges(runtime: Runtime, fleet: Fleet, count: number): Promise<Change[]> {
  const tool = await pickTool(runtime);
  const changes: Change[] = [];
  for (let index = 0; index < count; index++)
    changes.push(await measureChange(runtime, fleet, tool, `change ${index}`));
  return changes;
}

/** Has the bare hub broadcast the same message. */
export async function measureBroadcasts(runtime: Runtime, fleet: Fleet, count: number): Promise<Change[]> {
  const changes: Change[] = [];
  for (let index = 0; index < count; index++) {
    const begun = await begin(runtime, fleet);
    const response = await fetch(new URL(BARE_HUB_PATH, runtime.url), { method: "POST" });
    const { atMs } = (await response.json()) as { atMs: number };
    const publishedAtMs = fromWallMs(atMs);
    const { heard, ...counts } = await listen(runtime, fleet, begun);
    changes.push({ ...counts, redelivered: 0, fromPublication: spreadOf(timesOf(heard), publishedAtMs) });
  }
  return changes;
}

/** Some tool, whatever is built in. */
export async function pickTool({ toolNames }: Runtime): Promise<string> {
  const [tool] = await toolNames();
  if (tool === undefined) throw new Error("the server has no tool to change");
  return tool;
}

/** Gives a tool another title; the catalogue's version after that. */
export async function retitle({ admin }: Runtime, tool: string, title: string): Promise<number> {
  const { status, body } = await admin("PATCH", `/tools/${tool}`, { annotations: { title } });
  if (status !== 200) throw new Error(`PATCH /tools/${tool}: expected status 200, received ${status}`);
  return Number(body["version"]);
}

async function measureChange(runtime: Runtime, fleet: Fleet, tool: string, title: string): Promise<Change> {
  const begun = await begin(runtime, fleet);
  const version = await retitle(runtime, tool, title);
  const answeredAtMs = nowMs();
  const { heard, ...counts } = await listen(runtime, fleet, begun);
  const publications = (await runtime.observed()).publications.filter((publication) => publication.version === version);
  const times = timesOf(heard);
  return {
    ...counts,
    fromAnswer: spreadOf(times, answeredAtMs),
    fromPublication: publications.length > 0 ? spreadOf(times, fromWallMs(firstOf(publications))) : undefined,
    redelivered: publications.length - new Set(publications.map(({ hub }) => hub)).size,
  };
}

interface Begun {
  atMs: number;
  serverCpuMs: number | undefined;
  machineMs: number;
}

async function begin(runtime: Runtime, fleet: Fleet): Promise<Begun> {
  await fleet.reset();
  return { atMs: nowMs(), serverCpuMs: runtime.cpuMs(), machineMs: busyMs() };
}

async function listen(runtime: Runtime, fleet: Fleet, before: Begun) {
  await fleet.allHeard(HEARD_WITHIN_MS);
  const now = { serverCpuMs: runtime.cpuMs(), machineMs: busyMs(), atMs: nowMs() };
  const serverCpuMs = now.serverCpuMs === undefined ? undefined : now.serverCpuMs - (before.serverCpuMs ?? 0);
  await delay(SETTLE_MS);
  const { heard, cpuMs: clientCpuMs } = await fleet.read();
  const othersMs = now.machineMs - before.machineMs - (serverCpuMs ?? 0) - clientCpuMs;
  return {
    heard,
    missed: heard.filter(({ count }) => count === 0).length,
    repeated: heard.filter(({ count }) => count > 1).length,
    closed: heard.filter(({ closed }) => closed !== undefined).length,
    clientCpuMs,
    serverCpuMs,
    ...(serverCpuMs !== undefined && {
      othersShare: Math.max(0, othersMs / ((now.atMs - before.atMs) * coreCount())),
    }),
  };
}

const timesOf = (heard: readonly Heard[]): number[] =>
  heard.filter(({ count }) => count > 0).map(({ firstMs }) => firstMs);

const firstOf = (publications: readonly Publication[]): number => Math.min(...publications.map(({ atMs }) => atMs));

/** How many sockets and streams each hub holds. */
export async function readHubs({ admin }: Runtime): Promise<number[]> {
  const { body } = await admin("GET", "/sessions");
  return (body["hubs"] as { sessions: number }[]).map(({ sessions }) => sessions);
}

/** What must not be, in words. */
export function faultsOf({ scenario, listeners, hubs, changes }: ChangeFigures): string[] {
  const held = hubs.reduce((sum, sessions) => sum + sessions, 0);
  const lost = held === listeners || hubs.length === 0 ? [] : [`${scenario}: ${held} of ${listeners} are at a hub`];
  const faults = changes.flatMap(({ missed, repeated, redelivered, closed }, index) => {
    const of = `${scenario}, change ${index + 1}: `;
    return [
      ...(missed > 0 ? [`${of}${missed} of ${listeners} listeners missed it`] : []),
      ...(repeated > 0 && redelivered === 0 ? [`${of}${repeated} listeners heard of it twice, published once`] : []),
      ...(closed > 0 ? [`${of}${closed} connections were closed`] : []),
    ];
  });
  return [...lost, ...faults];
}
