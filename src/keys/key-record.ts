// What is known of a key, what an operator may ask of one, and the answers of its object.

import * as v from "valibot";
import { LIMITS } from "../lib/limits.ts";
import type { KeyPlace } from "./key-format.ts";
import type { Rate } from "./token-bucket.ts";
import { matchesGlob } from "./tool-rules.ts";

export const SCOPES = ["mcp", "admin:read", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

const GlobsSchema = v.pipe(
  v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.keyGlobChars))),
  v.maxLength(LIMITS.keyGlobs),
);
export const ToolRulesSchema = v.strictObject({ allow: v.optional(GlobsSchema), deny: v.optional(GlobsSchema) });

/** Globs over tool names, `*` for any run of characters; `deny` wins, no `allow` means all. */
export type ToolRules = v.InferOutput<typeof ToolRulesSchema>;

/** As it is stored. A burst that was given stays; any other is the whole minute, whatever that becomes. */
export interface StoredRate extends Rate {
  /** The burst was given. Older records have this only where it differs from the rate. */
  ownBurst?: true;
}

/** The rate alone, as it is told. */
export const plainRate = ({ perMinute, burst }: Rate): Rate => ({ perMinute, burst });

/** As its object stores it. Times are milliseconds since 1970. */
export interface KeyRecord {
  id: string;
  name: string;
  place: KeyPlace;
  digest: string;
  scopes: Scope[];
  tools: ToolRules;
  /** What `tools/call` may cost. */
  calls: StoredRate;
  /** More that calls of some tools are paid from, by glob over their names. */
  toolRates?: Record<string, StoredRate>;
  /** What calls may cost in a day (UTC). */
  perDay?: number;
  /** Calls that may run at the same time. */
  concurrent?: number;
  /** Sockets and streams that it may hold open at a hub; `LIMITS.keySockets` without it. */
  streams?: number;
  /** Sees two tools that find and call those of the catalogue, in its place. */
  discovery?: boolean;
  createdAtMs: number;
  expiresAtMs?: number;
  revokedAtMs?: number;
  /** Where its object was made; absent for near to whoever minted it. */
  region?: DurableObjectLocationHint;
  /** Secrets before the present one that still work, the oldest first. */
  priors?: PriorSecret[];
  /** How often something changed that hubs hold a copy of, and when last. */
  changes?: number;
  changedAtMs?: number;
}

export interface PriorSecret {
  digest: string;
  endsAtMs: number;
}

/** Secrets before the present one that still work. */
export const livePriors = ({ priors = [] }: KeyRecord, nowMs: number): PriorSecret[] =>
  priors.filter(({ endsAtMs }) => endsAtMs > nowMs);

export type KeyStatus = "active" | "revoked" | "expired";

/** What became of a new key; `behind` when the registry could not list it, and it was revoked at once. */
export interface KeyCreated {
  v: 1;
  outcome: "created" | "too_many_keys" | "behind";
}

/** What became of an operator's wish. */
export type KeyOutcome =
  | { v: 1; outcome: "done"; record: KeyRecord; status: KeyStatus; usedToday: number }
  | { v: 1; outcome: "unknown" | "revoked" | "too_many_secrets" | "too_many_tool_limits" }
  /** Too much of what was done with the key is still to be recorded. */
  | { v: 1; outcome: "behind" }
  /** Tools that match would have a limit without a rate. */
  | { v: 1; outcome: "no_rate"; glob: string };

/** What is paid from: calls of tools, everything else on the endpoint (handshakes, lists, pings), or changes by the admin API. */
export type BucketName = "calls" | "control" | "writes";

/** Handshakes, lists and pings: a floor for every key, more for one that may call more. */
const controlRate = ({ perMinute }: Rate): Rate => ({
  perMinute: Math.max(LIMITS.controlPerMinute, perMinute),
  burst: Math.max(LIMITS.controlBurst, Math.floor(perMinute / 5)),
});

export const rateOf = ({ calls }: KeyRecord, bucket: BucketName): Rate => {
  if (bucket === "writes") return { perMinute: LIMITS.writesPerMinute, burst: LIMITS.writesBurst };
  return bucket === "calls" ? plainRate(calls) : controlRate(calls);
};

/** The buckets that a request is paid from: all of them, or it is not made. */
export function accountsOf(
  record: KeyRecord,
  { bucket, tool }: Pick<LeaseRequest, "bucket" | "tool">,
): { name: string; rate: Rate }[] {
  const own = { name: bucket, rate: rateOf(record, bucket) };
  if (bucket !== "calls" || tool === undefined) return [own];
  const matching = Object.entries(record.toolRates ?? {}).filter(([glob]) => matchesGlob(glob, tool));
  return [own, ...matching.map(([glob, rate]) => ({ name: toolAccount(glob), rate: plainRate(rate) }))];
}

const TOOL_ACCOUNT = "tool:";
const toolAccount = (glob: string): string => TOOL_ACCOUNT + glob;

/** The glob of a tool's account; `undefined` for other accounts. */
export const globOf = (account: string): string | undefined =>
  account.startsWith(TOOL_ACCOUNT) ? account.slice(TOOL_ACCOUNT.length) : undefined;

/** An account as it stood when a lease was granted: whole tokens that were left at the key's object. */
export interface AccountState {
  name: string;
  limit: Rate | { perDay: number } | { concurrent: number };
  left: number;
}

/** What a key's object remembers of a legacy session: nothing else of one is stored anywhere. */
export interface SessionNote {
  /** Its place in the order of notes. */
  seq: number;
  sessionId: string;
  ended: boolean;
  /** Set by `logging/setLevel`. */
  level?: string;
  /** When its session ends by itself, in milliseconds since 1970, and the note with it. */
  expiresAtMs: number;
}

/** A request for prepaid calls: `need` for callers that wait now, `want` for those expected. */
export interface LeaseRequest {
  v: 1;
  digest: string;
  bucket: BucketName;
  /** The tool whose calls these are, by which the key's object finds all that they are paid from. */
  tool?: string;
  /** Tokens that one of them takes, 1 without it. */
  cost?: number;
  need: number;
  want: number;
  /** Callers were turned away since the last request. */
  hungry?: boolean;
  /** Which isolate's pool asks, and what it still holds. */
  holder?: string;
  left?: number;
  /** Calls out of earlier leases that were not made and never will be. */
  unused?: { grant: string; calls: number }[];
  /** The newest note that the caller has. */
  notesSeen?: number;
  /** The `edition` of the facts by which the cost was worked out: by any others it may be another, and nothing is paid. */
  pricedFor?: number;
}

/** What the edge may know of a key. */
export interface KeyFacts {
  keyId: string;
  name: string;
  scopes: Scope[];
  tools: ToolRules;
  expiresAtMs?: number;
  /** How many changes of rules, scopes, expiry or discovery are so old that no lease is from before them. */
  changes?: number;
  /** How many there were in all: what tells these facts from those before. */
  edition?: number;
  /** Whether a client may still hold a list from before the last that is so old. */
  changedOfLate?: true;
  /** Globs over the tools that have buckets of their own. */
  toolGlobs?: string[];
  perDay?: number;
  concurrent?: number;
  streams?: number;
  discovery?: boolean;
}

/** `tokens` are calls and may fall short of `need`: then `retryAfterMs` says when the next one is there. */
export type LeaseAnswer =
  | {
      v: 1;
      status: "active";
      facts: KeyFacts;
      tokens: number;
      retryAfterMs: number;
      /** The account that ran dry. */
      dry?: string;
      accounts: AccountState[];
      /** Names what was granted to whoever gives back what it did not use. */
      grant?: string;
      notes?: SessionNote[];
      /** Nothing was paid: the cost was worked out by other facts. */
      outdated?: true;
    }
  | { v: 1; status: "unknown" | "revoked" | "expired" };

/** Calls that an isolate runs, and room that it would keep for the next. */
export interface SlotRequest {
  v: 1;
  holder: string;
  /** Grows with each of a holder's requests: one that was overtaken changes nothing. */
  seq: number;
  running: number;
  idle: number;
}

/** How many calls the isolate may run; any number where the key has no `limit`. */
export interface SlotAnswer {
  v: 1;
  slots: number;
  limit?: number;
}

export const editionOf = ({ edition = 0 }: Pick<KeyFacts, "edition">): number => edition;

export const statusOf = (
  { revokedAtMs, expiresAtMs }: Pick<KeyRecord, "revokedAtMs" | "expiresAtMs">,
  nowMs: number,
): KeyStatus => {
  if (revokedAtMs !== undefined) return "revoked";
  return expiresAtMs !== undefined && expiresAtMs <= nowMs ? "expired" : "active";
};

export const factsOf = ({ id, name, scopes, tools, expiresAtMs, ...limits }: KeyRecord, nowMs: number): KeyFacts => ({
  keyId: id,
  name,
  scopes,
  tools,
  ...(expiresAtMs !== undefined && { expiresAtMs }),
  ...(limits.changes !== undefined && { edition: limits.changes }),
  ...changesOf(limits, nowMs),
  ...(limits.toolRates && { toolGlobs: Object.keys(limits.toolRates) }),
  ...(limits.perDay !== undefined && { perDay: limits.perDay }),
  ...(limits.concurrent !== undefined && { concurrent: limits.concurrent }),
  ...(limits.streams !== undefined && { streams: limits.streams }),
  ...(limits.discovery && { discovery: true }),
});

/**
 * A change counts once every lease from before it is over: only then can a client that is told of it list nowhere what was
 * there before. Until then what is opened goes with the earlier count, and is closed with all that did.
 */
function changesOf(
  { changes = 0, changedAtMs = 0 }: Pick<KeyRecord, "changes" | "changedAtMs">,
  nowMs: number,
): Pick<KeyFacts, "changes" | "changedOfLate"> {
  const countsAtMs = changedAtMs + LIMITS.leaseLifeMs;
  const counted = nowMs < countsAtMs ? changes - 1 : changes;
  const isLate = nowMs >= countsAtMs && nowMs < countsAtMs + LIMITS.listTtlMs * (1 + LIMITS.ttlJitterShare);
  return { ...(counted > 0 && { changes: counted }), ...(isLate && { changedOfLate: true }) };
}
