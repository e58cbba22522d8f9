// Many changes at once, or one after the other for a while: listeners hear of them seldom, and know of the last one.

import { setTimeout as delay } from "node:timers/promises";
import { LIMITS } from "../../../src/lib/limits.ts";
import { pickTool, retitle } from "./changes.ts";
import { fromWallMs, nowMs } from "./clock.ts";
import type { Heard } from "./fleet-contract.ts";
import type { Fleet } from "./fleet.ts";
import type { Runtime } from "./runtime.ts";
import { BURST, CHANGES_AT_ONCE } from "./sizes.ts";
import type { Publication } from "./worker/observed.ts";

const PUBLISHED_WITHIN_MS = 10_000;
const POLL_MS = 100;
const SETTLE_MS = 1_000;
/** Clocks of two processes, by a whole millisecond each. */
const CLOCK_SLACK_MS = 2;
/** Listeners that list the tools afterwards. */
const SAMPLE = 100;

/** So many changes, or as many as come to pass in a time. */
export interface BurstPlan {
  changes?: number;
  forMs?: number;
}

export interface BurstFigures {
  scenario: string;
  listeners: number;
  changes: number;
  /** From the first request to the last answer. */
  tookMs: number;
  publications: number;
  /** The longest time without a publication, from the first request on. */
  longestWaitMs: number;
  /** How often the listener that heard most heard of it, and how often it may. */
  heardMax: number;
  allowed: number;
  missed: number;
  /** Listeners whose last notification was for an older version than the newest. */
  behind: number;
  /** Of those that listed the tools afterwards, how many saw another state than the last. */
  listed: number;
  listedOld: number;
  /** From the last answer to the last listener's last notification. */
  lastMs: number;
}

export async function measureBurst(
  scenario: string,
  runtime: Runtime,
  fleet: Fleet,
  plan: BurstPlan,
): Promise<BurstFigures> {
  const tool = await pickTool(runtime);
  const before = (await runtime.observed()).publications.length;
  await fleet.reset();
  const beganAtMs = nowMs();
  const { changes, newest } = await makeChanges(runtime, tool, plan);
  const endedAtMs = nowMs();
  const publications = await publishedSince(runtime, before, newest.version);
  await fleet.allHeard(PUBLISHED_WITHIN_MS);
  await delay(SETTLE_MS);
  const { heard } = await fleet.read();
  const titles = await fleet.listTitles(SAMPLE, tool);
  const tookMs = endedAtMs - beganAtMs;
  return {
    scenario,
    listeners: fleet.size,
    changes,
    tookMs,
    publications: publications.length,
    longestWaitMs: longestWait(publications, beganAtMs),
    heardMax: Math.max(...heard.map(({ count }) => count)),
    allowed: BURST.heardMax + Math.floor(tookMs / LIMITS.publishSpacingMs),
    missed: heard.filter(({ count }) => count === 0).length,
    behind: heard.filter((one) => isBehind(one, newest.version, publications)).length,
    listed: titles.length,
    listedOld: titles.filter((title) => title !== newest.title).length,
    lastMs: Math.max(...heard.map(({ lastMs }) => lastMs)) - endedAtMs,
  };
}

interface Made {
  changes: number;
  /** The version that came out newest, and the title that goes with it. */
  newest: { version: number; title: string };
}

async function makeChanges(
  runtime: Runtime,
  tool: string,
  { changes = Infinity, forMs = Infinity }: BurstPlan,
): Promise<Made> {
  const made: Made = { changes: 0, newest: { version: 0, title: "" } };
  const untilMs = nowMs() + forMs;
  const makeSome = async (): Promise<void> => {
    while (made.changes < changes && nowMs() < untilMs) {
      const title = `burst ${++made.changes}`;
      const version = await retitle(runtime, tool, title);
      if (version > made.newest.version) made.newest = { version, title };
    }
  };
  await Promise.all(Array.from({ length: CHANGES_AT_ONCE }, makeSome));
  return made;
}

async function publishedSince(runtime: Runtime, before: number, version: number): Promise<Publication[]> {
  const untilMs = nowMs() + PUBLISHED_WITHIN_MS;
  for (;;) {
    const publications = (await runtime.observed()).publications.slice(before);
    if (publications.some((publication) => publication.version === version) || nowMs() > untilMs) return publications;
    await delay(POLL_MS);
  }
}

function longestWait(publications: readonly Publication[], beganAtMs: number): number {
  const times = [beganAtMs, ...publications.map(({ atMs }) => fromWallMs(atMs))];
  return Math.max(0, ...times.slice(1).map((atMs, index) => atMs - (times[index] ?? atMs)));
}

/** Where the event does not name the version, the last notification must have come after the last publication began. */
function isBehind({ count, version, lastMs }: Heard, newest: number, publications: readonly Publication[]): boolean {
  if (version !== undefined) return version !== newest;
  const newestAtMs = publications.find((publication) => publication.version === newest)?.atMs;
  return count === 0 || newestAtMs === undefined || lastMs < fromWallMs(newestAtMs) - CLOCK_SLACK_MS;
}

/** What must not be, in words. */
export function faultsOfBurst(figures: BurstFigures): string[] {
  const { scenario, listeners, heardMax, allowed, missed, behind, listed, listedOld } = figures;
  const of = `${scenario}: `;
  return [
    ...(missed > 0 ? [`${of}${missed} of ${listeners} listeners missed it`] : []),
    ...(heardMax > allowed ? [`${of}a listener heard of it ${heardMax} times, at most ${allowed} are allowed`] : []),
    ...(behind > 0 ? [`${of}${behind} of ${listeners} listeners did not hear of the newest version`] : []),
    ...(listedOld > 0 ? [`${of}${listedOld} of ${listed} listeners that listed saw an older state`] : []),
  ];
}
