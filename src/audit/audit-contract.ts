// What passes between isolates, the audit logs and the registry. Payloads change only by addition.

/** Rows that an isolate had to let go, by reason, since it last told. */
export interface LostRows {
  /** The isolate held as many rows as it may. */
  full: number;
  /** Refused calls beyond those that get a row; they are counted in the statistics all the same. */
  refused: number;
  /** No log took them in time. Some of them may have been written after all. */
  unsent: number;
  /** Not taken by the queue that an operator bound; the log has them. */
  queue: number;
}

/** What a log answers for: what isolates told, and what it dropped to stay within its size. */
export interface LossCounts extends LostRows {
  trimmed: number;
}

export const NO_LOSSES: LossCounts = { full: 0, refused: 0, unsent: 0, queue: 0, trimmed: 0 };

/** `[slot, key, tool, outcome, bucket, calls]`: calls of a span, the tool named only if the catalogue has it. */
export type Tally = [slot: number, key: string, tool: string, outcome: string, bucket: number, calls: number];

/** One write of an isolate. `isolate` and `seq` name it: written twice, it counts once. */
export interface AuditBatch {
  v: 1;
  isolate: string;
  seq: number;
  /** JSON lists of `[id, atMs, row]`, each short enough for one statement. */
  parts: string[];
  /** A JSON list of `Tally`. */
  tallies: string;
  lost: LostRows;
}

/** A place in the order of rows: by time, then by id. */
export interface AuditPosition {
  atMs: number;
  id: string;
}

/** Rows older than `before`, newest first; each filter that is there must hold. Times are milliseconds since 1970. */
export interface AuditQuery {
  v: 1;
  limit: number;
  before?: AuditPosition;
  sinceMs?: number;
  untilMs?: number;
  key?: string;
  tool?: string;
  outcome?: string;
}

/** `row` is JSON. */
export interface StoredRow extends AuditPosition {
  row: string;
}

/** Everything that matches down to `next`, itself included; without it, down to the last. */
export interface AuditPage {
  v: 1;
  rows: StoredRow[];
  next?: AuditPosition;
}

export interface CallPage extends AuditPage {
  lost: LossCounts;
}

export interface TallyPage {
  v: 1;
  /** The slot of each is that of the oldest that it sums up. */
  tallies: Tally[];
  /** Whether there were more than one answer holds. */
  cut: boolean;
  lost: LossCounts;
}

/** `[slot, outcome, bucket, calls]`: all calls of a span with that outcome and latency. */
export type SpanTally = [slot: number, outcome: string, bucket: number, calls: number];

/** Which calls to count by span: since the beginning of a slot, of one key or tool where one is named. */
export interface SpanQuery {
  v: 1;
  sinceSlot: number;
  key?: string;
  tool?: string;
}

export interface SpanPage {
  v: 1;
  spans: SpanTally[];
}

/** How a log is. */
export interface AuditLogState {
  v: 1;
  databaseBytes: number;
  lost: LossCounts;
}

export interface AuditLogStub {
  /** `known` where the batch was written before. */
  write(batch: AuditBatch): Promise<{ v: 1; outcome: "written" | "known" }>;
  read(query: AuditQuery): Promise<CallPage>;
  /** Calls since the beginning of a slot, summed up by key, tool, outcome and bucket. */
  readTallies(sinceSlot: number): Promise<TallyPage>;
  /** The same calls by span: at most as many as there are slots, outcomes and buckets. */
  readSpans(query: SpanQuery): Promise<SpanPage>;
  readState(): Promise<AuditLogState>;
}
