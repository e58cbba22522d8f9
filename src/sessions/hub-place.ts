// What a hub knows of the catalogue: the version that its sockets may be told of, and what the latest changes were about.

import { isToolAllowed } from "../keys/tool-rules.ts";
import type { ToolRules } from "../keys/key-record.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Change } from "./hub-contract.ts";

interface KnownChange {
  version: number;
  atMs: number;
  /** Absent when it may be any tool. */
  tools?: string[];
}

/** A hub's stay on the registry's roster. */
export interface HubPlace {
  epoch: number;
  version: number;
  /** The latest up to `version`, without a gap, oldest first. */
  changes: KnownChange[];
}

export const placeOf = (
  { epoch, version, changes }: { epoch: number; version: number; changes: readonly Change[] },
  nowMs: number,
): HubPlace => ({
  epoch,
  version,
  changes: changes.map(({ agoMs, ...change }) => ({ ...change, atMs: nowMs - agoMs })),
});

/** Whether anything changed after a version that a key with these rules (without: any key) may see. */
export function isNewsSince(heard: number, tools: ToolRules | undefined, { version, changes }: HubPlace): boolean {
  if (heard >= version) return false;
  const knownAfter = (changes[0]?.version ?? version + 1) - 1;
  return heard < knownAfter || changes.some((change) => change.version > heard && concerns(change, tools));
}

/**
 * Whether anything changed lately that the key may see: since a client that has no session, and so no version, may have
 * listed what it now wants to follow (2026-07-28, server/utilities/caching: it may hold a list for its `ttlMs`).
 */
export function isNewsOfLate(tools: ToolRules | undefined, { changes }: HubPlace, nowMs: number): boolean {
  const sinceMs = nowMs - LIMITS.listTtlMs * (1 + LIMITS.ttlJitterShare) - LIMITS.listLeaseMs;
  const late = changes.filter(({ atMs }) => atMs > sinceMs);
  return late.length >= LIMITS.changesTold || late.some((change) => concerns(change, tools));
}

const concerns = (change: KnownChange, tools: ToolRules | undefined): boolean =>
  tools === undefined || change.tools === undefined || change.tools.some((name) => isToolAllowed(tools, name));

/** Over how long so many clients are told, so that they don't all list at once. */
export const spreadMsOf = (audience: number): number =>
  Math.min(LIMITS.spreadMaxMs, (Math.max(0, audience - LIMITS.promptAudience) / LIMITS.toldPerSecond) * 1_000);
