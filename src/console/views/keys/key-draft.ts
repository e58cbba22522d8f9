// What a form of a key holds, and the bodies that come of it: a new key's, and the merge patch (RFC 7396) of an edit.

import type { KeyView, Rate, Scope } from "../../api/keys-api.ts";

export interface ToolLimitDraft {
  glob: string;
  perMinute: string;
  burst: string;
}

/** All as it is typed; "" where nothing is said. */
export interface KeyDraft {
  name: string;
  scopes: readonly Scope[];
  perMinute: string;
  burst: string;
  perDay: string;
  concurrent: string;
  streams: string;
  toolLimits: readonly ToolLimitDraft[];
  /** Globs, a line each. */
  allow: string;
  deny: string;
  /** ISO 8601. */
  expiresAt: string;
  discovery: boolean;
  urlKey: boolean;
  region: string;
}

export const SCOPES: readonly { scope: Scope; means: string }[] = [
  { scope: "mcp", means: "the endpoint: lists and calls tools" },
  { scope: "admin:read", means: "sees all that this console shows" },
  { scope: "admin", means: "changes it, and mints keys" },
];

export const newKeyDraft = (): KeyDraft => ({
  name: "",
  scopes: ["mcp"],
  perMinute: "60",
  burst: "",
  perDay: "",
  concurrent: "",
  streams: "",
  toolLimits: [],
  allow: "",
  deny: "",
  expiresAt: "",
  discovery: false,
  urlKey: false,
  region: "",
});

/** A key as its form has it. A burst of the whole minute is what a key has of which none was said. */
export function toKeyDraft({
  name,
  scopes,
  limits,
  tools,
  expiresAt = "",
  discovery = false,
  ...key
}: KeyView): KeyDraft {
  return {
    name,
    scopes,
    perMinute: textOf(limits?.perMinute),
    burst: burstOf(limits),
    perDay: textOf(limits?.perDay),
    concurrent: textOf(limits?.concurrent),
    streams: textOf(limits?.streams),
    toolLimits: Object.entries(limits?.tools ?? {}).map(([glob, rate]) => ({
      glob,
      perMinute: textOf(rate.perMinute),
      burst: burstOf(rate),
    })),
    allow: (tools.allow ?? []).join("\n"),
    deny: (tools.deny ?? []).join("\n"),
    expiresAt,
    discovery,
    urlKey: key.urlKey,
    region: key.region ?? "",
  };
}

const textOf = (value: number | undefined): string => (value === undefined ? "" : String(value));

const burstOf = (rate: Rate | undefined): string =>
  rate === undefined || rate.burst === rate.perMinute ? "" : String(rate.burst);

/** The body of `POST /admin/v1/keys`. */
export function toNewKey(draft: KeyDraft): object {
  const { name, scopes, expiresAt, discovery, urlKey, region } = draft;
  const [allow, deny] = [globsOf(draft.allow), globsOf(draft.deny)];
  const limits = Object.entries(NUMBERS).flatMap(([field]) => {
    const value = draft[field as keyof typeof NUMBERS];
    return value === "" ? [] : [[field, Number(value)]];
  });
  const toolLimits = draft.toolLimits.map(({ glob, ...rate }) => [glob.trim(), toRate(rate)]);
  return {
    name: name.trim(),
    scopes,
    limits: {
      ...Object.fromEntries(limits),
      ...(toolLimits.length > 0 && { tools: Object.fromEntries(toolLimits) }),
    },
    ...(allow.length + deny.length > 0 && {
      tools: { ...(allow.length > 0 && { allow }), ...(deny.length > 0 && { deny }) },
    }),
    ...(expiresAt !== "" && { expiresAt }),
    ...(discovery && { discovery }),
    ...(urlKey && { urlKey }),
    ...(region !== "" && { region }),
  };
}

const NUMBERS = { perMinute: 0, burst: 0, perDay: 0, concurrent: 0, streams: 0 };

const toRate = ({ perMinute, burst }: Omit<ToolLimitDraft, "glob">): object => ({
  perMinute: Number(perMinute),
  ...(burst !== "" && { burst: Number(burst) }),
});

/** The body of `PATCH /admin/v1/keys/{id}`: what is another than before. Empty when nothing is. */
export function toKeyChange(before: KeyDraft, draft: KeyDraft): Record<string, unknown> {
  const limits: Record<string, unknown> = {};
  for (const field of Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]) {
    if (draft[field] !== before[field]) limits[field] = draft[field] === "" ? null : Number(draft[field]);
  }
  const toolLimits = changedToolLimits(before.toolLimits, draft.toolLimits);
  if (Object.keys(toolLimits).length > 0) limits["tools"] = toolLimits;
  const tools: Record<string, unknown> = {};
  for (const field of ["allow", "deny"] as const) {
    const globs = globsOf(draft[field]);
    if (globs.join() !== globsOf(before[field]).join()) tools[field] = globs.length > 0 ? globs : null;
  }
  return {
    ...(draft.name.trim() !== before.name && { name: draft.name.trim() }),
    ...(draft.scopes.toSorted().join() !== before.scopes.toSorted().join() && { scopes: draft.scopes }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(tools).length > 0 && { tools }),
    ...(draft.expiresAt !== before.expiresAt && { expiresAt: draft.expiresAt === "" ? null : draft.expiresAt }),
    ...(draft.discovery !== before.discovery && { discovery: draft.discovery }),
  };
}

function changedToolLimits(
  before: readonly ToolLimitDraft[],
  after: readonly ToolLimitDraft[],
): Record<string, unknown> {
  const change: Record<string, unknown> = {};
  const known = new Map(before.map((limit) => [limit.glob, limit]));
  for (const { glob } of before) if (!after.some((limit) => limit.glob.trim() === glob)) change[glob] = null;
  for (const { glob, perMinute, burst } of after) {
    const old = known.get(glob.trim());
    if (old?.perMinute === perMinute && old.burst === burst) continue;
    const isCleared = old !== undefined && old.burst !== "" && burst === "";
    change[glob.trim()] = { ...toRate({ perMinute, burst }), ...(isCleared && { burst: null }) };
  }
  return change;
}

const globsOf = (lines: string): string[] =>
  lines
    .split(/[\s,]+/)
    .map((glob) => glob.trim())
    .filter(Boolean);

export interface KeyFaults {
  name?: string;
  scopes?: string;
  numbers: Partial<Record<keyof typeof NUMBERS, string>>;
  toolLimits?: string;
}

/** What the server would refuse, as far as a form can tell; the rest it says itself. */
export function faultsOfKey(draft: KeyDraft): KeyFaults {
  const numbers: KeyFaults["numbers"] = {};
  for (const field of Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]) {
    const isMissing = field === "perMinute" && draft[field] === "";
    if (isMissing || (draft[field] !== "" && !isWhole(draft[field]))) numbers[field] = EXPECTED;
  }
  const limits = draft.toolLimits;
  const isWrong = limits.some(
    ({ glob, perMinute, burst }) => glob.trim() === "" || !isWhole(perMinute) || (burst !== "" && !isWhole(burst)),
  );
  const isTwice = new Set(limits.map(({ glob }) => glob.trim())).size < limits.length;
  return {
    ...(draft.name.trim() === "" && { name: "A key needs a name." }),
    ...(draft.scopes.length === 0 && { scopes: "A key needs a scope." }),
    numbers,
    ...((isWrong || isTwice) && {
      toolLimits: isTwice ? "Two limits are for the same glob." : `Each needs a glob and a rate: ${EXPECTED}`,
    }),
  };
}

const EXPECTED = "a whole number of at least 1";

const isWhole = (text: string): boolean => /^[1-9]\d{0,14}$/.test(text);

export const hasFaults = ({ numbers, ...others }: KeyFaults): boolean =>
  Object.keys(numbers).length + Object.keys(others).length > 0;
