// What is known of a key, what an operator may ask of one, and the answers of its object.

import * as v from "valibot";
import { LIMITS } from "../lib/limits.ts";
import type { KeyPlace } from "./key-format.ts";
import type { Rate } from "./token-bucket.ts";

export const SCOPES = ["mcp", "admin:read", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

const whole = (max: number) => v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(max));

const LimitsSchema = v.strictObject({
  perMinute: whole(LIMITS.perMinuteMax),
  burst: v.optional(whole(LIMITS.perMinuteMax)),
});

const GlobsSchema = v.pipe(
  v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.keyGlobChars))),
  v.maxLength(LIMITS.keyGlobs),
);
export const ToolRulesSchema = v.strictObject({ allow: v.optional(GlobsSchema), deny: v.optional(GlobsSchema) });

/** Globs over tool names, `*` for any run of characters; `deny` wins, no `allow` means all. */
export type ToolRules = v.InferOutput<typeof ToolRulesSchema>;

/** `POST /admin/v1/keys`. */
export const KeyInputSchema = v.strictObject({
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(LIMITS.keyNameChars)),
  tools: v.optional(ToolRulesSchema, {}),
  limits: v.optional(LimitsSchema, { perMinute: 600 }),
  expiresAt: v.optional(
    v.pipe(
      v.string(),
      v.isoTimestamp("expected an ISO 8601 time such as 2030-01-31T12:00:00Z"),
      v.check((time) => Date.parse(time) > Date.now(), "expected a time in the future"),
    ),
  ),
  urlKey: v.optional(v.boolean(), false),
  scopes: v.optional(v.pipe(v.array(v.picklist(SCOPES)), v.minLength(1)), ["mcp"]),
});
export type KeyInput = v.InferOutput<typeof KeyInputSchema>;

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
}

export type KeyStatus = "active" | "revoked" | "expired";

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

export const factsOf = ({ id, name, scopes, tools, expiresAtMs }: KeyRecord): KeyFacts => ({
  keyId: id,
  name,
  scopes,
  tools,
  ...(expiresAtMs !== undefined && { expiresAtMs }),
});
