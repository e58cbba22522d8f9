// What an operator may ask of a key, and the pure steps from that to a record.

import * as v from "valibot";
import { IsoTimeSchema } from "../lib/iso-time.ts";
import { quoteReceived } from "../lib/issue-message.ts";
import { LIMITS } from "../lib/limits.ts";
import { REGIONS } from "../lib/region.ts";
import { strictRecord } from "../lib/strict-record.ts";
import type { KeyPlace } from "./key-format.ts";
import { livePriors, SCOPES, ToolRulesSchema, type KeyRecord, type StoredRate, type ToolRules } from "./key-record.ts";

const whole = (max: number) => v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(max));

// A name is shown on terminals and in logs, where these would be obeyed or turn a line around.
const NO_CONTROLS = /^[^\p{Cc}\p{Bidi_Control}\u2028\u2029]*$/u;
const NameSchema = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1),
  v.maxLength(LIMITS.keyNameChars),
  v.regex(NO_CONTROLS, "expected no control characters"),
);
const ScopesSchema = v.pipe(v.array(v.picklist(SCOPES)), v.minLength(1));
const PerMinuteSchema = whole(LIMITS.perMinuteMax);
const EndSchema = v.pipe(
  IsoTimeSchema,
  v.check(
    (time) => Date.parse(time) > Date.now(),
    ({ input }) => `expected a time in the future, received ${quoteReceived(input)}`,
  ),
);

const RateSchema = v.strictObject({ perMinute: PerMinuteSchema, burst: v.optional(PerMinuteSchema) });
const RateChangeSchema = v.strictObject({
  perMinute: v.optional(PerMinuteSchema),
  burst: v.nullish(PerMinuteSchema),
});
type RateChange = v.InferOutput<typeof RateChangeSchema>;
// What may stand in a tool's name, and `*`: globs are told to clients in a header.
const GlobSchema = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9_.*-]+$/, "expected letters, digits, _, . and -, and * for any of them"),
  v.maxLength(LIMITS.keyGlobChars),
);
const TOO_MANY = `expected at most ${LIMITS.keyToolLimits} tools or globs with limits of their own`;
const isFew = (globs: Record<string, unknown>): boolean => Object.keys(globs).length <= LIMITS.keyToolLimits;

const LimitsSchema = v.strictObject({
  perMinute: PerMinuteSchema,
  burst: v.optional(PerMinuteSchema),
  perDay: v.optional(whole(LIMITS.perDayMax)),
  concurrent: v.optional(whole(LIMITS.concurrentMax)),
  streams: v.optional(whole(LIMITS.hubSockets)),
  tools: v.optional(v.pipe(strictRecord(GlobSchema, RateSchema), v.maxEntries(LIMITS.keyToolLimits, TOO_MANY))),
});

const LimitsChangeSchema = v.strictObject({
  perMinute: v.optional(PerMinuteSchema),
  burst: v.nullish(PerMinuteSchema),
  perDay: v.nullish(whole(LIMITS.perDayMax)),
  concurrent: v.nullish(whole(LIMITS.concurrentMax)),
  streams: v.nullish(whole(LIMITS.hubSockets)),
  tools: v.nullish(
    v.pipe(strictRecord(GlobSchema, v.nullable(RateChangeSchema)), v.maxEntries(LIMITS.keyToolLimits, TOO_MANY)),
  ),
});
type LimitsChange = v.InferOutput<typeof LimitsChangeSchema>;

/** What a key may do when nothing is said of it. */
const DEFAULT_LIMITS = { perMinute: 600 };

/** `POST /admin/v1/keys`. */
export const KeyInputSchema = v.strictObject({
  name: NameSchema,
  tools: v.optional(ToolRulesSchema, {}),
  limits: v.optional(LimitsSchema, DEFAULT_LIMITS),
  expiresAt: v.optional(EndSchema),
  urlKey: v.optional(v.boolean(), false),
  region: v.optional(v.picklist(REGIONS)),
  scopes: v.optional(ScopesSchema, ["mcp"]),
  discovery: v.optional(v.boolean(), false),
});
export type KeyInput = v.InferOutput<typeof KeyInputSchema>;

const GlobListSchema = v.nullish(ToolRulesSchema.entries.allow);

/**
 * `PATCH /admin/v1/keys/{id}`, a JSON merge patch (RFC 7396): what is absent stays, `null` clears, back to what a key has
 * of which nothing was said. A name, scopes and a rate there must be.
 */
export const KeyChangeSchema = v.pipe(
  v.strictObject({
    name: v.optional(NameSchema),
    tools: v.nullish(v.strictObject({ allow: GlobListSchema, deny: GlobListSchema })),
    limits: v.nullish(LimitsChangeSchema),
    expiresAt: v.nullish(EndSchema),
    scopes: v.optional(ScopesSchema),
    discovery: v.nullish(v.boolean()),
  }),
  v.check(
    (change) => Object.keys(change).length > 0,
    "expected at least one of name, tools, limits, expiresAt, scopes and discovery",
  ),
);
export type KeyChange = v.InferOutput<typeof KeyChangeSchema>;

/** `POST /admin/v1/keys/{id}/rotate`. */
export const RotationSchema = v.strictObject({
  overlapSeconds: v.optional(
    v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(LIMITS.keyOverlapSeconds)),
    LIMITS.keyOverlapDefaultSeconds,
  ),
});

/** The record of a key that was just minted. */
export function createRecord(
  { name, scopes, tools, limits, expiresAt, region, discovery }: KeyInput,
  { keyId, place, digest }: { keyId: string; place: KeyPlace; digest: string },
  nowMs: number,
): KeyRecord {
  return {
    id: keyId,
    name,
    place,
    digest,
    scopes,
    tools,
    calls: toRate(limits),
    ...(limits.tools && Object.keys(limits.tools).length > 0 && { toolRates: toRates(limits.tools) }),
    ...(limits.perDay !== undefined && { perDay: limits.perDay }),
    ...(limits.concurrent !== undefined && { concurrent: limits.concurrent }),
    ...(limits.streams !== undefined && { streams: limits.streams }),
    createdAtMs: nowMs,
    ...(expiresAt !== undefined && { expiresAtMs: Date.parse(expiresAt) }),
    ...(region !== undefined && { region }),
    ...(discovery && { discovery }),
  };
}

/** Why a change can't be made: more tools would have limits of their own than may, or one would have no rate. */
export type ChangeRefusal = { outcome: "too_many_tool_limits" } | { outcome: "no_rate"; glob: string };

/** The record after a change; `changes` counts those of what clients or hubs hold copies of. */
export function changeRecord(
  record: KeyRecord,
  { name, scopes, tools, limits: asked = {}, expiresAt, discovery: wanted }: KeyChange,
  nowMs: number,
): { record: KeyRecord } | ChangeRefusal {
  const limits: LimitsChange = asked ?? { ...NO_LIMITS, ...DEFAULT_LIMITS };
  const { expiresAtMs: before, perDay: _, concurrent: __, streams: ___, ...others } = record;
  const { toolRates: ____, discovery: discoveryBefore = false, ...rest } = others;
  const discovery = wanted === undefined ? discoveryBefore : (wanted ?? false);
  const toolRates = changeRates(record.toolRates ?? {}, limits.tools);
  if (typeof toolRates === "string") return { outcome: "no_rate", glob: toolRates };
  if (!isFew(toolRates)) return { outcome: "too_many_tool_limits" };
  const expiresAtMs = expiresAt === undefined ? before : expiresAt === null ? undefined : Date.parse(expiresAt);
  const next: KeyRecord = {
    ...rest,
    name: name ?? record.name,
    scopes: scopes ?? record.scopes,
    tools: tools === undefined ? record.tools : changeRules(record.tools, tools ?? { allow: null, deny: null }),
    calls: changeRate(record.calls, limits),
    ...(Object.keys(toolRates).length > 0 && { toolRates }),
    ...changeBounds(record, limits),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
    ...(discovery && { discovery }),
  };
  if (isSameForHubs(record, next)) return { record: next };
  return { record: { ...next, changes: (record.changes ?? 0) + 1, changedAtMs: nowMs } };
}

const NO_LIMITS = { burst: null, perDay: null, concurrent: null, streams: null, tools: null };

/** Bounds that a key may have or not: `null` takes one away. */
function changeBounds(record: KeyRecord, limits: LimitsChange): Pick<KeyRecord, "perDay" | "concurrent" | "streams"> {
  const { perDay = record.perDay, concurrent = record.concurrent, streams = record.streams } = limits;
  return {
    ...(typeof perDay === "number" && { perDay }),
    ...(typeof concurrent === "number" && { concurrent }),
    ...(typeof streams === "number" && { streams }),
  };
}

const isSameForHubs = (a: KeyRecord, b: KeyRecord): boolean => forHubs(a) === forHubs(b);

/** What a client sees as another catalogue counts as well: it comes back, and lists again. */
const forHubs = ({ tools, scopes, expiresAtMs, discovery }: KeyRecord): string =>
  JSON.stringify([tools, scopes, expiresAtMs, discovery]);

function changeRules(rules: ToolRules, change: NonNullable<KeyChange["tools"]>): ToolRules {
  const allow = change.allow === undefined ? rules.allow : change.allow;
  const deny = change.deny === undefined ? rules.deny : change.deny;
  return { ...(allow && { allow }), ...(deny && { deny }) };
}

/** A burst that is the whole minute because none was given goes on being that. */
function changeRate(rate: StoredRate, change: Pick<RateChange, "perMinute" | "burst">): StoredRate {
  const perMinute = change.perMinute ?? rate.perMinute;
  const isOwn = rate.ownBurst === true || rate.burst !== rate.perMinute;
  const burst = change.burst === undefined && isOwn ? rate.burst : change.burst;
  return toRate({ perMinute, burst });
}

/** The limits of tools after a change; or the glob of one that would have none, for want of a rate. */
function changeRates(
  rates: Record<string, StoredRate>,
  change: LimitsChange["tools"],
): Record<string, StoredRate> | string {
  if (change === undefined || change === null) return change === null ? {} : rates;
  const next = new Map(Object.entries(rates));
  for (const [glob, asked] of Object.entries(change)) {
    const before = next.get(glob);
    const perMinute = asked?.perMinute ?? before?.perMinute;
    if (asked && perMinute === undefined) return glob;
    if (!asked || perMinute === undefined) next.delete(glob);
    else next.set(glob, before ? changeRate(before, asked) : toRate({ perMinute, burst: asked.burst }));
  }
  return Object.fromEntries(next);
}

const toRate = ({ perMinute, burst }: { perMinute: number; burst?: number | null | undefined }): StoredRate => ({
  perMinute,
  burst: burst ?? perMinute,
  ...(typeof burst === "number" && { ownBurst: true }),
});

const toRates = (
  rates: Record<string, { perMinute: number; burst?: number | undefined }>,
): Record<string, StoredRate> => Object.fromEntries(Object.entries(rates).map(([glob, rate]) => [glob, toRate(rate)]));

/**
 * The record with another secret. The present one works until `overlapMs` are over; with 0 it ends now, and with it all
 * that were before it. `undefined` when as many work already as may.
 */
export function rotateRecord(
  record: KeyRecord,
  digest: string,
  overlapMs: number,
  nowMs: number,
): KeyRecord | undefined {
  const working = livePriors(record, nowMs);
  const priors = overlapMs > 0 ? [...working, { digest: record.digest, endsAtMs: nowMs + overlapMs }] : [];
  return priors.length > LIMITS.keyPriorSecrets ? undefined : { ...record, digest, priors };
}
