// The time that a tool has for its own work. It stands still while the client is asked, whose user may take minutes:
// that wait has a limit of its own. Signals and timers cost more than a short call does: each is made when it is needed.

import { ToolError } from "./tool-error.ts";

/** The tool's time is up. */
export class ToolTimeout extends ToolError {}

export class ToolDeadline {
  readonly #toolName: string;
  readonly #timeoutMs: number;
  #controller: AbortController | undefined;
  #expired: { promise: Promise<never>; reject: (error: ToolTimeout) => void } | undefined;
  #leftMs: number;
  #startedAtMs = 0;
  #waits = 0;
  #isOver = false;
  #timeout: ToolTimeout | undefined;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(toolName: string, timeoutMs: number) {
    this.#toolName = toolName;
    this.#timeoutMs = timeoutMs;
    this.#leftMs = timeoutMs;
  }

  /** Fires when the time is up. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#timeout) this.#controller.abort(this.#timeout);
    }
    return this.#controller.signal;
  }

  /** Whether the tool looks at the signal, and may end for its sake. */
  get isWatched(): boolean {
    return this.#controller !== undefined;
  }

  get isExpired(): boolean {
    return this.#timeout !== undefined;
  }

  /** Starts the clock, for a tool that takes time: rejects with a `ToolTimeout` when that is up. */
  start(): Promise<never> {
    if (!this.#expired) {
      const { promise, reject } = Promise.withResolvers<never>();
      this.#expired = { promise, reject };
      if (this.#waits === 0) this.#resume();
    }
    return this.#expired.promise;
  }

  /** Waits for what is not the tool's to hurry. */
  async exempt<T>(wait: Promise<T>): Promise<T> {
    if (this.#waits++ === 0) this.#pause();
    try {
      return await wait;
    } finally {
      if (--this.#waits === 0) this.#resume();
    }
  }

  /** The call is over; the clock stops for good. */
  end(): void {
    this.#isOver = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  #expire(): void {
    const error = new ToolTimeout(`Tool ${this.#toolName} took longer than ${this.#timeoutMs} ms and was stopped`);
    this.#timeout = error;
    this.#controller?.abort(error);
    this.#expired?.reject(error);
  }

  #resume(): void {
    if (this.#isOver || !this.#expired) return;
    this.#startedAtMs = Date.now();
    this.#timer = setTimeout(() => this.#expire(), this.#leftMs);
  }

  #pause(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#leftMs = Math.max(0, this.#leftMs - (Date.now() - this.#startedAtMs));
  }
}
