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
  auditFlushMaxMs: 10_000,
  auditSendTimeoutMs: 5_000,
  /** How long an isolate tries to write a batch: much less than the log remembers batches. */
  auditRetryMs: 300_000,
  auditBatchKeptMs: 3_600_000,
  /** Arguments up to this length are hashed with their batch, longer ones at once: an isolate holds no megabytes. */
  auditHeldChars: 2_048,
  auditArgumentsChars: 4_096,
  auditTraceparentChars: 128,
  /** Rows in one text of a batch: SQLite takes 2 MB, and a character has three bytes at most. */
  auditPartChars: 400_000,
  /** Combinations of key, tool and outcome that one batch counts. */
  auditTallies: 2_000,
  auditShards: 8,
  auditShardBytes: 1_073_741_824,
  /** The oldest rows that go at once where a log is full. */
  auditTrimRows: 1_000,
  auditDays: 30,
  auditDaysMax: 3_650,
  /** The time between two rounds of retention, and how many rows one takes away at a time. */
  auditPruneMs: 21_600_000,
  auditPruneRows: 10_000,
  auditPageItems: 100,
  auditPageMaxItems: 500,
  /** Rows that one log looks at for a page, and characters that it answers with. */
  auditScanRows: 20_000,
  auditPageChars: 500_000,
  auditExportRows: 100_000,
  auditCursorChars: 128,
  /** Calls are counted by spans of this length. */
  auditSlotMs: 300_000,
  auditTalliesKeptMs: 90_000_000,
  /** Tallies that one log answers with, and keys and tools that statistics list. */
  statsTallies: 20_000,
  statsItems: 500,
  /** Admin actions that are kept, and for how long. */
  adminLogRows: 10_000,
  adminLogMs: 34_560_000_000,
  adminDetailChars: 2_000,

  /** Messages in one call of a queue, and their characters: 256 KB, three bytes a character. */
  queueBatchItems: 100,
  queueBatchChars: 80_000,
} as const;
