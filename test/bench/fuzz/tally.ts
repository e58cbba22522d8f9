// What a run has seen so far, and how it is told.

import type { Outcome } from "../../fuzz/connection.ts";
import type { Shot } from "../../fuzz/shot.ts";

interface Extreme {
  value: number;
  kind: string;
}

export class Tally {
  /** Exchanges: HTTP requests and frames. */
  sent = 0;
  /** The same with each message of a batch that was served by itself. */
  requests = 0;
  unanswered = 0;
  serverErrors = 0;
  loopsRefused = 0;
  streams = 0;
  #largest: Extreme = { value: 0, kind: "" };
  #slowest: Extreme = { value: 0, kind: "" };
  readonly #statuses = new Map<string, Map<string, number>>();

  note({ kind }: Shot, outcome: Outcome, messages: number, ms: number): void {
    this.sent++;
    this.requests += messages;
    const status = "response" in outcome ? String(outcome.response.status) : outcome.kind;
    const row = this.#statuses.get(kind) ?? new Map<string, number>();
    this.#statuses.set(kind, row.set(status, (row.get(status) ?? 0) + 1));
    if (outcome.kind === "unanswered") this.unanswered++;
    if (outcome.kind === "streaming") this.streams++;
    if (ms > this.#slowest.value) this.#slowest = { value: ms, kind };
    if (!("response" in outcome)) return;
    const { response } = outcome;
    // The runtime's own word for a method that HTTP does not know, and the answer to who came through two servers.
    if (response.status === 508) this.loopsRefused++;
    else if (response.status >= 500 && kind !== "raw HTTP") this.serverErrors++;
    if (response.body.length > this.#largest.value) this.#largest = { value: response.body.length, kind };
  }

  describe(): string {
    const width = Math.max(...this.#statuses.keys().map((kind) => kind.length));
    const rows = Array.from(this.#statuses, ([kind, counts]) => {
      const cells = Array.from(counts).toSorted(([a], [b]) => (a < b ? -1 : 1));
      return `  ${kind.padEnd(width)}  ${cells.map(([status, count]) => `${status}: ${count}`).join(", ")}`;
    });
    return [
      "by kind and status:",
      ...rows.toSorted(),
      `largest answer: ${this.#largest.value} bytes (${this.#largest.kind})`,
      `slowest: ${Math.round(this.#slowest.value)} ms (${this.#slowest.kind})`,
      `streams begun: ${this.streams}; 508 for a request that came through two servers: ${this.loopsRefused}`,
    ].join("\n");
  }
}
