// One isolate's spans and measurements on their way to a collector. The first of a batch has its request wait in the
// background for others and then send them all. Whatever goes wrong is counted, told with the next batch, and no caller's.

import type { Env, WaitUntil } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { randomText } from "../lib/random.ts";
import { readStream } from "../lib/read-stream.ts";
import { DurationHistograms } from "./duration-histograms.ts";
import { encodeMetrics, encodeTraces, type TelemetryLosses, type TelemetrySource } from "./encode-otlp.ts";
import { logFailure } from "./log.ts";
import type { Operation } from "./operation.ts";
import { readOtlpSettings } from "./otlp-settings.ts";

export class OtlpExporter {
  readonly #source: Omit<TelemetrySource, "instance">;
  readonly #fetcher: typeof fetch;
  /** Chosen with the first batch, as module scope has no randomness. */
  #instance = "";
  #spans: Operation[] = [];
  #durations = new DurationHistograms();
  #lost: TelemetryLosses = noneLost();
  #sinceMs = 0;
  #gatherEndsAtMs = 0;
  /** Batches on their way: until when, at the latest, and how much is in them. */
  readonly #sending = new Set<{ endsAtMs: number; items: number }>();
  /** Whether something waits for one of them to end. */
  #isDue = false;

  constructor(source: Omit<TelemetrySource, "instance">, fetcher: typeof fetch = (...args) => fetch(...args)) {
    this.#source = source;
    this.#fetcher = fetcher;
  }

  /** Takes a request that was answered; `flushMs` is how long it may wait for others. */
  record(operation: Operation, flushMs: number, env: Env, waitUntil: WaitUntil): void {
    const nowMs = Date.now();
    if (this.#sinceMs === 0) this.#sinceMs = nowMs;
    if (!this.#durations.record(operation)) this.#lost.series++;
    if (operation.span.isSampled) this.#keep(operation);
    const isFull = this.#spans.length >= LIMITS.otlpBatchSpans;
    if (!isFull && nowMs < this.#gatherEndsAtMs) return;
    // By time, not by a flag: a request that is cut off takes its timer with it.
    this.#gatherEndsAtMs = nowMs + 2 * flushMs;
    waitUntil(this.#gather(isFull ? 0 : flushMs, env));
  }

  #keep(operation: Operation): void {
    if (this.#spans.length >= LIMITS.otlpBufferSpans) this.#lost.full++;
    else this.#spans.push(operation);
  }

  async #gather(flushMs: number, env: Env): Promise<void> {
    if (flushMs > 0) await pause(flushMs);
    this.#gatherEndsAtMs = 0;
    this.#isDue = true;
    while (this.#isDue && this.#countSending() < LIMITS.otlpSending) {
      this.#isDue = false;
      await this.#flush(env);
    }
  }

  /** One whose request was cut off never ends, and nobody knows what came of it. */
  #countSending(): number {
    const nowMs = Date.now();
    for (const batch of this.#sending) {
      if (batch.endsAtMs > nowMs) continue;
      this.#sending.delete(batch);
      this.#lost.unsent += batch.items;
    }
    return this.#sending.size;
  }

  async #flush(env: Env): Promise<void> {
    if (this.#spans.length === 0 && this.#durations.isEmpty) return;
    if (this.#instance === "") this.#instance = randomText(16);
    const source = { ...this.#source, instance: this.#instance };
    const [spans, durations, lost, fromMs] = [this.#spans, this.#durations.take(), this.#lost, this.#sinceMs];
    this.#spans = [];
    this.#lost = noneLost();
    this.#sinceMs = 0;
    const batch = { endsAtMs: Date.now() + SENDING_MS, items: spans.length + durations.length };
    this.#sending.add(batch);
    try {
      const { tracesUrl, metricsUrl, headers } = readOtlpSettings(env);
      const metrics = encodeMetrics(source, { fromMs, toMs: Date.now(), durations, lost });
      const [sentSpans, sentMetrics] = await Promise.all([
        spans.length === 0 ? DELIVERED : this.#deliver(tracesUrl, headers, encodeTraces(source, spans)),
        this.#deliver(metricsUrl, headers, metrics),
      ]);
      this.#lost.rejected += sentSpans.rejected + sentMetrics.rejected;
      if (!sentSpans.isSent) this.#lost.unsent += spans.length;
      if (!sentMetrics.isSent) this.#giveBack(lost, durations.length);
    } catch (error) {
      logFailure("telemetry_misconfigured", "otlp", error);
      this.#giveBack(lost, batch.items);
    } finally {
      this.#sending.delete(batch);
    }
  }

  /** What could not be told is told next time: how much was lost before, and this. */
  #giveBack(lost: TelemetryLosses, more: number): void {
    for (const reason of ["full", "series", "unsent", "rejected"] as const) this.#lost[reason] += lost[reason];
    this.#lost.unsent += more;
  }

  /** Tried twice: OTLP/HTTP, "Retryable Response Codes". Never rejects. */
  async #deliver(url: string, headers: Record<string, string>, body: object): Promise<Delivery> {
    const text = JSON.stringify(body);
    let failure: unknown;
    for (const pauseMs of [0, LIMITS.otlpRetryMs]) {
      if (pauseMs > 0) await pause(pauseMs);
      try {
        const response = await this.#fetcher(url, {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          body: text,
          redirect: "manual",
          signal: AbortSignal.timeout(LIMITS.otlpTimeoutMs),
        });
        if (response.ok) return { isSent: true, rejected: await readRejected(response) };
        await response.body?.cancel();
        failure = new Error(`the collector answered with status ${response.status}`);
        if (!RETRYABLE.has(response.status)) break;
      } catch (error) {
        failure = error;
      }
    }
    logFailure("telemetry_unsent", new URL(url).host, failure);
    return { isSent: false, rejected: 0 };
  }
}

interface Delivery {
  isSent: boolean;
  rejected: number;
}

/** Two tries and the pause between them. */
const SENDING_MS = 2 * LIMITS.otlpTimeoutMs + LIMITS.otlpRetryMs + 1_000;
const DELIVERED: Delivery = { isSent: true, rejected: 0 };
const RETRYABLE = new Set([429, 502, 503, 504]);

/** A collector may take a part of a batch and say how much it did not. */
async function readRejected(response: Response): Promise<number> {
  if (!response.body || !response.headers.get("content-type")?.startsWith("application/json")) {
    await response.body?.cancel();
    return 0;
  }
  try {
    const bytes = await readStream(response.body, LIMITS.otlpAnswerBytes);
    const { partialSuccess } = JSON.parse(new TextDecoder().decode(bytes)) as { partialSuccess?: object };
    const { rejectedSpans, rejectedDataPoints } = (partialSuccess ?? {}) as Record<string, unknown>;
    return toCount(rejectedSpans) + toCount(rejectedDataPoints);
  } catch {
    return 0;
  }
}

/** A number, or its digits, as JSON has those of 64 bits in protobuf's words. */
const toCount = (value: unknown): number => {
  const count = typeof value === "string" ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count > 0 ? count : 0;
};

const noneLost = (): TelemetryLosses => ({ full: 0, series: 0, unsent: 0, rejected: 0 });

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
