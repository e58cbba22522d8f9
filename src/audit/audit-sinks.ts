// Where rows go besides the log, if an operator bound it: Workers Analytics Engine and a queue. Neither is waited for by
// any answer.

import type { Env } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { logFailure } from "../telemetry/log.ts";
import type { CallDraft } from "./call-row.ts";
import { UNKNOWN_TOOL } from "./tally.ts";

/**
 * One data point a call: index the key; blobs tool, outcome, transport, revision; doubles duration in ms, bytes of
 * arguments, bytes of result, catalogue version. A batch has fewer than the 250 points that one invocation may write.
 */
export function writeToAnalytics({ AUDIT_ANALYTICS: dataset }: Env, drafts: readonly CallDraft[]): void {
  if (!dataset) return;
  try {
    for (const draft of drafts) {
      const {
        keyId,
        known,
        tool,
        outcome = "failed",
        transport,
        revision,
        argumentsBytes,
        resultBytes,
        version,
      } = draft;
      dataset.writeDataPoint({
        indexes: [keyId],
        blobs: [known ? tool : UNKNOWN_TOOL, outcome, transport, revision],
        doubles: [draft.endedAtMs - draft.startedAtMs, argumentsBytes, resultBytes, version],
      });
    }
  } catch (error) {
    logFailure("audit_analytics_failed", "dataset", error);
  }
}

/** One message a row, as JSON; answers how many the queue did not take. */
export async function writeToQueue({ AUDIT_QUEUE: queue }: Env, rows: readonly object[]): Promise<number> {
  if (!queue) return 0;
  const outcomes = await Promise.allSettled(toBatches(rows).map((bodies) => sendBatch(queue, bodies)));
  return outcomes.reduce((lost, outcome) => lost + (outcome.status === "fulfilled" ? outcome.value : 0), 0);
}

async function sendBatch(queue: Queue, bodies: readonly object[]): Promise<number> {
  try {
    await queue.sendBatch(bodies.map((body) => ({ body, contentType: "json" })));
    return 0;
  } catch (error) {
    logFailure("audit_queue_failed", "queue", error, { rows: bodies.length });
    return bodies.length;
  }
}

function toBatches(rows: readonly object[]): object[][] {
  const batches: object[][] = [];
  let room = 0;
  for (const row of rows) {
    const chars = JSON.stringify(row).length;
    room -= chars;
    if (room < 0 || (batches.at(-1)?.length ?? 0) >= LIMITS.queueBatchItems) {
      batches.push([]);
      room = LIMITS.queueBatchChars - chars;
    }
    batches.at(-1)?.push(row);
  }
  return batches;
}
