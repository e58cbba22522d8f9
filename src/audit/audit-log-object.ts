// One of the audit logs: a ring of rows, bounded by age and size. Which isolate writes where is the isolate's choice.

import { DurableObject } from "cloudflare:workers";
import type { Env } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { auditDaysOf } from "./audit-days.ts";
import type {
  AuditBatch,
  AuditLogState,
  AuditQuery,
  CallPage,
  SpanPage,
  SpanQuery,
  TallyPage,
} from "./audit-contract.ts";
import * as queries from "./audit-queries.ts";
import * as store from "./audit-store.ts";
import { slotOf } from "./tally.ts";

const DAY_MS = 86_400_000;

export class AuditLog extends DurableObject<Env> {
  readonly #sql: SqlStorage;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    ctx.storage.transactionSync(() => store.migrate(this.#sql));
  }

  async write(batch: AuditBatch): Promise<{ v: 1; outcome: "written" | "known" }> {
    const written = this.ctx.storage.transactionSync(() => {
      const isNew = store.writeBatch(this.#sql, batch, Date.now());
      const atOnce = { rows: LIMITS.auditTrimRows, blocks: LIMITS.auditTrimBlocks };
      if (isNew) store.trim(this.#sql, LIMITS.auditShardBytes, atOnce);
      return isNew;
    });
    if ((await this.ctx.storage.getAlarm()) === null) await this.#schedulePrune(LIMITS.auditPruneMs);
    return { v: 1, outcome: written ? "written" : "known" };
  }

  read(query: AuditQuery): CallPage {
    return { ...queries.readCalls(this.#sql, query), lost: queries.readLosses(this.#sql) };
  }

  readTallies(sinceSlot: number): TallyPage {
    const tallies = queries.readTallies(this.#sql, sinceSlot);
    const cut = tallies.length > LIMITS.statsTallies;
    return { v: 1, tallies: tallies.slice(0, LIMITS.statsTallies), cut, lost: queries.readLosses(this.#sql) };
  }

  readSpans(query: SpanQuery): SpanPage {
    return { v: 1, spans: queries.readSpans(this.#sql, query) };
  }

  readState(): AuditLogState {
    return { v: 1, databaseBytes: this.#sql.databaseSize, lost: queries.readLosses(this.#sql) };
  }

  /** Retention; a log that holds nothing more sleeps. */
  override async alarm(): Promise<void> {
    const nowMs = Date.now();
    const bounds = {
      rowsBeforeMs: nowMs - auditDaysOf(this.env) * DAY_MS,
      batchesBeforeMs: nowMs - LIMITS.auditBatchKeptMs,
      slotsBefore: slotOf(nowMs - LIMITS.auditTalliesKeptMs),
    };
    const atOnce = { rows: LIMITS.auditPruneRows, blocks: LIMITS.auditPruneBlocks };
    const more = this.ctx.storage.transactionSync(() => store.prune(this.#sql, bounds, atOnce));
    if (more) await this.#schedulePrune(0);
    else if (store.holdsRows(this.#sql)) await this.#schedulePrune(LIMITS.auditPruneMs);
  }

  #schedulePrune(delayMs: number): Promise<void> {
    return this.ctx.storage.setAlarm(Date.now() + delayMs);
  }
}
