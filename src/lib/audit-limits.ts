// Bounds of the audit trail. A part of `LIMITS`.

export const AUDIT_LIMITS = {
  /** Rows of calls that one isolate holds until they are written; what comes on top is counted and dropped. */
  auditBufferRows: 2_000,
  /** As many waiting rows are written at once. */
  auditBatchRows: 200,
  /** Rows of refused calls in a batch: a flood of them must not push out the calls that ran. */
  auditRefusalRows: 100,
  /** How long a row waits for others, unless `AUDIT_FLUSH_MS` says something else. */
  auditFlushMs: 1_000,
  /** What `AUDIT_FLUSH_MS` may say. */
  auditFlushMaxMs: 10_000,
  /** How long a log may take to store a batch. */
  auditSendTimeoutMs: 5_000,
  /** How long an isolate tries to write a batch: much less than the log remembers batches. */
  auditRetryMs: 300_000,
  /** How long a log remembers batches, so that one that is sent again is stored once. */
  auditBatchKeptMs: 3_600_000,
  /** Arguments up to this length are hashed with their batch, longer ones at once: an isolate holds no megabytes. */
  auditHeldChars: 2_048,
  /** The arguments in a row, with `AUDIT_ARGUMENTS`. */
  auditArgumentsChars: 4_096,
  /** A `traceparent` that a row takes its trace id from. */
  auditTraceparentChars: 128,
  /** Rows in one text of a batch: SQLite takes 2 MB, and a character has three bytes at most. */
  auditPartChars: 400_000,
  /** From the oldest row of a block to its newest: a page reads all blocks that reach over its edge. */
  auditBlockSpanMs: 5_000,
  /** Combinations of key, tool and outcome that one batch counts. */
  auditTallies: 2_000,
  /** Logs of a deployment. */
  auditShards: 8,
  /** What one log may hold; then its oldest rows go. */
  auditShardBytes: 1_073_741_824,
  /** The oldest rows that go at once where a log is full: such as were stored each by itself, by an earlier release. */
  auditTrimRows: 1_000,
  /** The oldest blocks that go at once where a log is full. */
  auditTrimBlocks: 10,
  /** How long rows are kept, unless `AUDIT_DAYS` says something else. */
  auditDays: 30,
  /** What `AUDIT_DAYS` may say. */
  auditDaysMax: 3_650,
  /** The time between two rounds of retention. */
  auditPruneMs: 21_600_000,
  /** Rows that one round takes away at a time, such as were stored each by itself. */
  auditPruneRows: 10_000,
  /** Blocks that one round takes away at a time. */
  auditPruneBlocks: 500,
  /** Rows of a page when nothing is said. */
  auditPageItems: 100,
  /** Rows of a page at most. */
  auditPageMaxItems: 500,
  /** Rows that one log looks at for a page, besides those of blocks that reach over its edge. */
  auditScanRows: 20_000,
  /** Characters of rows that one log answers with for a page. */
  auditPageChars: 500_000,
  /** Rows in one answer of an export; a cursor leads on. */
  auditExportRows: 100_000,
  /** A cursor of the trail. */
  auditCursorChars: 128,
  /** Calls are counted by spans of this length. */
  auditSlotMs: 300_000,
  /** How long those counts are kept. */
  auditTalliesKeptMs: 90_000_000,
  /** Tallies that one log answers with, and keys and tools that statistics list. */
  statsTallies: 20_000,
  /** Keys, and tools, that statistics list. */
  statsItems: 500,
  /** Admin actions that are kept, and for how long. */
  adminLogRows: 10_000,
  /** How long they are kept. */
  adminLogMs: 34_560_000_000,
  /** What one says of its detail. */
  adminDetailChars: 2_000,

  /** Messages in one call of a queue, and their characters: 256 KB, three bytes a character. */
  queueBatchItems: 100,
  /** Characters of them together. */
  queueBatchChars: 80_000,
} as const;
