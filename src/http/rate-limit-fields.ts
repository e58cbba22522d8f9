// `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11): what a request was paid from, as of the
// lease that paid for it, and what its isolate has prepaid besides. Other isolates may have spent since: they are hints.

import type { Entrance } from "../keys/key-cache.ts";
import type { AccountState } from "../keys/key-record.ts";
import type { Receipt } from "../keys/lease-pool.ts";

const DAY_SECONDS = 86_400;

/** Both fields by their names. */
export type RateLimitFields = { "ratelimit-policy": string; ratelimit: string };

/** For a request that was paid for, or was not for want of what pays. */
export function rateLimitFields(entrance: Entrance | undefined, nowMs: number): RateLimitFields | undefined {
  if (entrance?.status !== "admitted" && entrance?.status !== "limited") return undefined;
  const { receipt } = entrance;
  const denial = entrance.status === "limited" ? entrance.denial : undefined;
  const paid = receipt?.accounts ?? [];
  const accounts = denial && !paid.some(({ name }) => name === denial.account.name) ? [...paid, denial.account] : paid;
  if (accounts.length === 0) return undefined;
  let fields = "";
  for (const account of accounts) {
    const isDry = denial !== undefined && account.name === denial.account.name;
    // Too little for this call may be enough for a cheaper one. The denial is newer than what the accounts say.
    const left = leftOf(isDry ? denial.account : account, receipt);
    const windowSeconds = windowOf(account, left, nowMs);
    // Retry-After should not come before `t` of what it is for (section 6); others have windows of their own.
    const waitSeconds = isDry ? Math.max(1, Math.ceil(denial.retryAfterMs / 1000)) : Infinity;
    if (fields !== "") fields += ", ";
    fields += `"${account.name}";r=${left};t=${Math.min(waitSeconds, windowSeconds)}`;
  }
  return { "ratelimit-policy": policyOf(accounts), ratelimit: fields };
}

/** The same on headers that are there already. */
export function setRateLimitFields(headers: Headers, entrance: Entrance | undefined, nowMs: number): void {
  const fields = rateLimitFields(entrance, nowMs);
  if (fields) setFields(headers, fields);
}

export function setFields(headers: Headers, fields: RateLimitFields): void {
  headers.set("ratelimit-policy", fields["ratelimit-policy"]);
  headers.set("ratelimit", fields.ratelimit);
}

/** Leases are far fewer than calls, and each has its own list of accounts. */
const policies = new WeakMap<readonly AccountState[], string>();

function policyOf(accounts: readonly AccountState[]): string {
  const known = policies.get(accounts);
  if (known !== undefined) return known;
  const policy = accounts.map(({ name, limit }) => `"${name}";${parametersOf(limit)}`).join(", ");
  policies.set(accounts, policy);
  return policy;
}

function parametersOf(limit: AccountState["limit"]): string {
  if ("perDay" in limit) return `q=${limit.perDay};w=${DAY_SECONDS}`;
  if ("concurrent" in limit) return `q=${limit.concurrent};qu="concurrent-requests"`;
  const { perMinute, burst } = limit;
  return `q=${perMinute};w=60${burst === perMinute ? "" : `;toolgate-burst=${burst}`}`;
}

function leftOf({ limit, left }: AccountState, receipt: Receipt | undefined): number {
  const prepaid = receipt?.prepaid ?? 0;
  const cost = receipt?.cost ?? 1;
  if ("concurrent" in limit) return left;
  const most = "perDay" in limit ? limit.perDay : limit.burst;
  return Math.min(most, left + prepaid * Math.min(cost, most));
}

/** Seconds until the bucket is full again, or the day over. */
function windowOf({ limit }: AccountState, left: number, nowMs: number): number {
  if ("concurrent" in limit) return 1;
  if ("perDay" in limit) return DAY_SECONDS - (Math.floor(nowMs / 1000) % DAY_SECONDS);
  return Math.max(1, Math.ceil(((limit.burst - left) * 60) / limit.perMinute));
}
