// The audit trail as one: every log and the registry's admin actions, merged by time. One that can't be reached fails the
// whole: a page with a gap must not look like one without.

import { auditLogStub, type Env } from "../env.ts";
import { withDeadline } from "../lib/deadline.ts";
import { LIMITS } from "../lib/limits.ts";
import type { AdminPage } from "./admin-log.ts";
import {
  NO_LOSSES,
  type AuditLogStub,
  type AuditPage,
  type AuditQuery,
  type CallPage,
  type LossCounts,
  type SpanPage,
  type SpanQuery,
  type SpanTally,
  type TallyPage,
} from "./audit-contract.ts";
import { mergePages } from "./audit-page.ts";

export interface AuditTrail extends AuditPage {
  lost: LossCounts;
  /** The ends of the chain of admin actions, where those were asked for. */
  chain?: Pick<AdminPage, "anchor" | "head">;
}

/** A source of admin actions: the registry. */
export interface AdminLogReader {
  readAdminLog(query: AuditQuery): Promise<AdminPage>;
}

/** One page of what is asked for. Throws where a log can't be reached in time. */
export async function readTrail(
  env: Env,
  query: AuditQuery,
  { calls, adminLog }: { calls: boolean; adminLog: AdminLogReader | undefined },
): Promise<AuditTrail> {
  const admin = adminLog && withDeadline(adminLog.readAdminLog(query), LIMITS.objectTimeoutMs, "registry");
  const [callPages, adminPage] = await Promise.all([
    calls ? askLogs<CallPage>(env, (log) => log.read(query)) : [],
    admin,
  ]);
  return {
    ...mergePages([...callPages, ...(adminPage ? [adminPage] : [])], query.limit),
    lost: sumLosses(callPages),
    ...(adminPage && { chain: { anchor: adminPage.anchor, head: adminPage.head } }),
  };
}

/** What every log counted since a slot, and what of it was lost. Throws where a log can't be reached in time. */
export async function readAllTallies(env: Env, sinceSlot: number): Promise<Omit<TallyPage, "v">> {
  const pages = await askLogs<TallyPage>(env, (log) => log.readTallies(sinceSlot));
  return {
    tallies: pages.flatMap(({ tallies }) => tallies),
    cut: pages.some(({ cut }) => cut),
    lost: sumLosses(pages),
  };
}

/** What every log counted, by span. Throws where a log can't be reached in time. */
export async function readAllSpans(env: Env, query: SpanQuery): Promise<SpanTally[]> {
  const pages = await askLogs<SpanPage>(env, (log) => log.readSpans(query));
  return pages.flatMap(({ spans }) => spans);
}

function askLogs<T>(env: Env, ask: (log: AuditLogStub) => Promise<T>): Promise<T[]> {
  const shards = Array.from({ length: LIMITS.auditShards }, (_, shard) => auditLogStub(env, shard));
  return Promise.all(shards.map((log) => withDeadline(ask(log), LIMITS.objectTimeoutMs, "audit log")));
}

function sumLosses(pages: readonly { lost: LossCounts }[]): LossCounts {
  const sum = { ...NO_LOSSES };
  for (const { lost } of pages) {
    for (const reason of Object.keys(sum) as (keyof LossCounts)[]) sum[reason] += lost[reason];
  }
  return sum;
}
