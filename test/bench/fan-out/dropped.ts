// Clients that vanish without a word: how long do they count as connected?

import { setTimeout as delay } from "node:timers/promises";
import { nowMs } from "./clock.ts";
import type { Fleet } from "./fleet.ts";
import type { Runtime } from "./runtime.ts";
import { TARGETS } from "./sizes.ts";

const POLL_MS = 250;
/** Past the two writes of a keep-alive. */
const AFTER_KEEP_ALIVE_MS = 1_000;

export interface DroppedFigures {
  /** By kind, as the admin API names them. */
  kinds: Record<string, { listeners: number; goneMs?: number; left: number }>;
  targetMs: number;
}

/**
 * Drops all clients at the worst moment, right after a keep-alive, and asks the admin API who is still there, until nobody
 * is or two more keep-alives are over.
 */
export async function measureDropped(runtime: Runtime, fleet: Fleet, keepAliveMs: number): Promise<DroppedFigures> {
  const kinds: DroppedFigures["kinds"] = {};
  for (const [kind, listeners] of await countByKind(runtime)) kinds[kind] = { listeners, left: listeners };
  const patienceMs = 2 * keepAliveMs + TARGETS.dropSlackMs;
  const sinceKeepAliveMs = (nowMs() - fleet.connectedAtMs) % keepAliveMs;
  await delay(keepAliveMs - sinceKeepAliveMs + AFTER_KEEP_ALIVE_MS);
  const droppedAtMs = await fleet.drop();
  do {
    await delay(POLL_MS);
    const counts = await countByKind(runtime);
    const sinceMs = nowMs() - droppedAtMs;
    for (const [kind, figures] of Object.entries(kinds)) {
      figures.left = counts.get(kind) ?? 0;
      if (figures.left === 0) figures.goneMs ??= sinceMs;
    }
  } while (Object.values(kinds).some(({ left }) => left > 0) && nowMs() - droppedAtMs < patienceMs);
  return { kinds, targetMs: keepAliveMs + TARGETS.dropSlackMs };
}

async function countByKind({ admin }: Runtime): Promise<Map<string, number>> {
  const { status, body } = await admin("GET", "/sessions");
  if (status !== 200) throw new Error(`GET /sessions: expected status 200, received ${status}`);
  const counts = new Map<string, number>();
  for (const { kind } of body["sessions"] as { kind: string }[]) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** What must not be, in words. */
export const faultsOfDropped = ({ kinds }: DroppedFigures): string[] =>
  Object.entries(kinds)
    .filter(([, { left }]) => left > 0)
    .map(([kind, { left, listeners }]) => `dropped: ${left} of ${listeners} ${kind} still count as connected`);
