// One isolate's rows on their way to a log. The first row of a batch has its request wait in the background for others
// and then write them all; a full batch is written at once. A request that is cut off takes its timer and its write with
// it, so both are taken up by time, not by a flag.

import { auditLogStub, type Env, type WaitUntil } from "../env.ts";
import { withDeadline } from "../lib/deadline.ts";
import { LIMITS } from "../lib/limits.ts";
import { randomText } from "../lib/random.ts";
import { logFailure } from "../telemetry/log.ts";
import { argumentsModeOf } from "./arguments-note.ts";
import type { AuditBatch, LostRows } from "./audit-contract.ts";
import { noteOf, toRow } from "./call-draft.ts";
import { FREE_REFUSALS, type CallDraft, type CallRow } from "./call-row.ts";
import { writeToAnalytics, writeToQueue } from "./audit-sinks.ts";
import { Tallies } from "./tally.ts";

/** A batch that no log has acknowledged. Built anew for each attempt, and always the same. */
interface Unsent {
  seq: number;
  drafts: CallDraft[];
  tallies: Tallies;
  lost: LostRows;
  cutAtMs: number;
  /** Until then another request is sending it. */
  busyUntilMs: number;
  queued: boolean;
}

/**
 * Before each attempt. With what the attempts may take, less than the 30 s that a request may work on after its answer:
 * where no other call comes, nobody else sends what this one holds.
 */
const PAUSES_MS = [0, 500, 2_000, 5_000];

export class AuditRecorder {
  /** The isolate's name and its log: chosen with the first batch, as module scope has no randomness. */
  #isolate = "";
  #shard = 0;
  #seq = 0;
  #drafts: CallDraft[] = [];
  #tallies = new Tallies();
  #refusals = 0;
  #lost: LostRows = noneLost();
  #unsent: Unsent[] = [];
  /** Rows in `#unsent`. */
  #unsentRows = 0;
  #gatherEndsAtMs = 0;

  /** Takes a call that has ended. */
  record(draft: CallDraft, env: Env, waitUntil: WaitUntil): void {
    const take = (): void => this.#take(draft, env, waitUntil);
    if (draft.describing && !draft.described) waitUntil(draft.describing.then(take, take));
    else take();
  }

  #take(draft: CallDraft, env: Env, waitUntil: WaitUntil): void {
    const nowMs = Date.now();
    this.#keep(draft);
    if (this.#drafts.length >= LIMITS.auditBatchRows) return waitUntil(this.#flush(env));
    if (nowMs < this.#gatherEndsAtMs) return;
    const flushMs = flushMsOf(env);
    this.#gatherEndsAtMs = nowMs + 2 * flushMs;
    waitUntil(this.#gather(env, flushMs));
  }

  #keep(draft: CallDraft): void {
    const isFree = draft.outcome !== undefined && FREE_REFUSALS.has(draft.outcome);
    if (this.#drafts.length + this.#unsentRows >= LIMITS.auditBufferRows) this.#lost.full++;
    else {
      this.#tallies.count(draft);
      if (isFree && ++this.#refusals > LIMITS.auditRefusalRows) this.#lost.refused++;
      else this.#drafts.push(draft);
    }
  }

  async #gather(env: Env, flushMs: number): Promise<void> {
    if (flushMs > 0) await pause(flushMs);
    this.#gatherEndsAtMs = 0;
    await this.#flush(env);
  }

  /** Writes what has gathered and what earlier attempts left, oldest first, until the log can't be reached. */
  async #flush(env: Env): Promise<void> {
    this.#cut(env);
    for (const batch of this.#unsent) {
      if (batch.busyUntilMs > Date.now()) continue;
      if (!(await this.#deliver(batch, env))) return;
    }
  }

  #cut(env: Env): void {
    if (this.#drafts.length === 0 && !Object.values(this.#lost).some((rows) => rows > 0)) return;
    if (this.#isolate === "") {
      this.#isolate = randomText(16);
      this.#shard = Math.floor(Math.random() * LIMITS.auditShards);
    }
    const [drafts, tallies, lost] = [this.#drafts, this.#tallies, this.#lost];
    this.#drafts = [];
    this.#tallies = new Tallies();
    this.#lost = noneLost();
    this.#refusals = 0;
    this.#unsent.push({ seq: ++this.#seq, drafts, tallies, lost, cutAtMs: Date.now(), busyUntilMs: 0, queued: false });
    this.#unsentRows += drafts.length;
    writeToAnalytics(env, drafts);
  }

  async #deliver(batch: Unsent, env: Env): Promise<boolean> {
    let failure: unknown;
    for (const pauseMs of PAUSES_MS) {
      batch.busyUntilMs = Date.now() + pauseMs + LIMITS.auditSendTimeoutMs;
      if (pauseMs > 0) await pause(pauseMs);
      try {
        await this.#send(batch, env);
        return true;
      } catch (error) {
        failure = error;
      }
    }
    batch.busyUntilMs = 0;
    logFailure("audit_write_failed", `${this.#isolate}.${batch.seq}`, failure, { rows: batch.drafts.length });
    if (Date.now() - batch.cutAtMs > LIMITS.auditRetryMs) this.#giveUp(batch);
    return false;
  }

  async #send(batch: Unsent, env: Env): Promise<void> {
    const { payload, items } = await this.#build(batch, env);
    const written = auditLogStub(env, this.#shard).write(payload);
    await withDeadline(written, LIMITS.auditSendTimeoutMs, "audit log");
    this.#drop(batch);
    if (batch.queued) return;
    batch.queued = true;
    if (env.AUDIT_QUEUE) this.#lost.queue += await writeToQueue(env, items.map(toMessage));
  }

  async #build({ seq, drafts, tallies, lost }: Unsent, env: Env): Promise<{ payload: AuditBatch; items: Item[] }> {
    const mode = argumentsModeOf(env);
    const notes = await Promise.all(drafts.map((draft) => noteOf(draft, mode)));
    const items = drafts.map((draft, index): Item => {
      return [rowId(this.#isolate, seq, index), draft.startedAtMs, toRow(draft, notes[index] ?? {})];
    });
    const payload = {
      v: 1 as const,
      isolate: this.#isolate,
      seq,
      parts: toParts(items),
      tallies: tallies.toJson(),
      lost,
    };
    return { payload, items };
  }

  #giveUp(batch: Unsent): void {
    this.#drop(batch);
    this.#lost.unsent += batch.drafts.length;
    for (const reason of ["full", "refused", "unsent", "queue"] as const) this.#lost[reason] += batch.lost[reason];
  }

  #drop(batch: Unsent): void {
    if (!this.#unsent.includes(batch)) return;
    this.#unsent = this.#unsent.filter((other) => other !== batch);
    this.#unsentRows -= batch.drafts.length;
  }
}

const noneLost = (): LostRows => ({ full: 0, refused: 0, unsent: 0, queue: 0 });

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** `AUDIT_FLUSH_MS`, how long what is told of calls waits for others: a whole number up to the limit, else the default. */
export function flushMsOf({ AUDIT_FLUSH_MS = "" }: Env): number {
  const flushMs = /^\d{1,5}$/.test(AUDIT_FLUSH_MS) ? Number(AUDIT_FLUSH_MS) : LIMITS.auditFlushMs;
  return Math.min(flushMs, LIMITS.auditFlushMaxMs);
}

/** In the order in which an isolate's calls ended, as text too. */
const rowId = (isolate: string, seq: number, index: number): string =>
  `${isolate}.${seq.toString(36).padStart(7, "0")}.${index.toString(36).padStart(3, "0")}`;

/** A row under its id and time. */
type Item = [id: string, atMs: number, row: CallRow];

const toMessage = ([id, atMs, row]: Item): object => ({ id, atMs, ...row });

/** JSON lists of the items, none longer than one statement takes. */
function toParts(items: readonly Item[]): string[] {
  const whole = JSON.stringify(items);
  if (whole.length <= LIMITS.auditPartChars) return items.length > 0 ? [whole] : [];
  const parts: string[][] = [];
  let room = 0;
  for (const text of items.map((item) => JSON.stringify(item))) {
    room -= text.length + 1;
    if (room < 0) {
      parts.push([]);
      room = LIMITS.auditPartChars - text.length - 1;
    }
    parts.at(-1)?.push(text);
  }
  return parts.map((part) => `[${part.join(",")}]`);
}
