// What is known of a key, what an operator may ask of one, and the answers of its object.

import * as v from "valibot";
import { LIMITS } from "../lib/limits.ts";
import type { KeyPlace } from "./key-format.ts";
import type { Rate } from "./token-bucket.ts";

export const SCOPES = ["mcp", "admin:read", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

const GlobsSchema = v.pipe(
  v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.keyGlobChars))),
  v.maxLength(LIMITS.keyGlobs),
);
export const ToolRulesSchema = v.strictObject({ allow: v.optional(GlobsSchema), deny: v.optional(GlobsSchema) });

/** Globs over tool names, `*` for any run of characters; `deny` wins, no `allow` means all. */
export type ToolRules = v.InferOutput<typeof ToolRulesSchema>;

/** As its object stores it. Times are milliseconds since 1970. */
export interface KeyRecord {
  id: string;
  name: string;
  place: KeyPlace;
  digest: string;
  scopes: Scope[];
  tools: ToolRules;
  /** What `tools/call` may cost. */
  calls: Rate;
  createdAtMs: number;
  expiresAtMs?: number;
  revokedAtMs?: number;
  /** Where its object was made; absent for near to whoever minted it. */
  region?: DurableObjectLocationHint;
  /** Secrets before the present one that still work, the oldest first. */
  priors?: PriorSecret[];
  /** How often something changed that hubs hold a copy of. */
  changes?: number;
}

export interface PriorSecret {
  digest: string;
  endsAtMs: number;
}

export type KeyStatus = "active" | "revoked" | "expired";

/** What became of an operator's wish. */
export type KeyOutcome =
  | { v: 1; outcome: "done"; record: KeyRecord; status: KeyStatus }
  | { v: 1; outcome: "unknown" | "revoked" | "too_many_secrets" };

/** What is paid from: calls of tools, or everything else (handshakes, lists, pings). */
export type BucketName = "calls" | "control";

/** Handshakes, lists and pings: a floor for every key, more for one that may call more. */
const controlRate = ({ perMinute }: Rate): Rate => ({
  perMinute: Math.max(LIMITS.controlPerMinute, perMinute),
  burst: Math.max(LIMITS.controlBurst, Math.floor(perMinute / 5)),
});

export const rateOf = ({ calls }: KeyRecord, bucket: BucketName): Rate =>
  bucket === "calls" ? calls : controlRate(calls);

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

/** A request for prepaid tokens: `need` for callers that wait now, `want` for those expected. */
export interface LeaseRequest {
  v: 1;
  digest: string;
  bucket: BucketName;
  need: number;
  want: number;
  /** Which isolate's pool asks, and what it still holds. */
  holder?: string;
  left?: number;
  /** The newest note that the caller has. */
  notesSeen?: number;
}

/** What the edge may know of a key. */
export interface KeyFacts {
  keyId: string;
  name: string;
  scopes: Scope[];
  tools: ToolRules;
  expiresAtMs?: number;
  /** Tells these facts from those before a change of rules, scopes or expiry. */
  changes?: number;
}

/** `tokens` may fall short of `need`: then `retryAfterMs` says when the next one is there. */
export type LeaseAnswer =
  | { v: 1; status: "active"; facts: KeyFacts; rate: Rate; tokens: number; retryAfterMs: number; notes?: SessionNote[] }
  | { v: 1; status: "unknown" | "revoked" | "expired" };

export const statusOf = (
  { revokedAtMs, expiresAtMs }: Pick<KeyRecord, "revokedAtMs" | "expiresAtMs">,
  nowMs: number,
): KeyStatus => {
  if (revokedAtMs !== undefined) return "revoked";
  return expiresAtMs !== undefined && expiresAtMs <= nowMs ? "expired" : "active";
};

export const factsOf = ({ id, name, scopes, tools, expiresAtMs, changes }: KeyRecord): KeyFacts => ({
  keyId: id,
  name,
  scopes,
  tools,
  ...(expiresAtMs !== undefined && { expiresAtMs }),
  ...(changes !== undefined && { changes }),
});
