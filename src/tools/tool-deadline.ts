// The time that a tool has for its own work. It stands still while the client is asked, whose user may take minutes:
// that wait has a limit of its own.

import { ToolError } from "./tool-error.ts";

/** The tool's time is up. */
export class ToolTimeout extends ToolError {}

export class ToolDeadline {
  /** Fires when the time is up. */
  readonly signal: AbortSignal;
  /** Rejects with a `ToolTimeout` when the time is up. */
  readonly expired: Promise<never>;
  readonly #controller = new AbortController();
  #expire: () => void = () => undefined;
  #leftMs: number;
  #startedAtMs = 0;
  #waits = 0;
  #isOver = false;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(toolName: string, timeoutMs: number) {
    this.signal = this.#controller.signal;
    this.#leftMs = timeoutMs;
    this.expired = new Promise((_, reject) => {
      this.#expire = () => {
        const error = new ToolTimeout(`Tool ${toolName} took longer than ${timeoutMs} ms and was stopped`);
        this.#controller.abort(error);
        reject(error);
      };
    });
    this.#resume();
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
    clearTimeout(this.#timer);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  #resume(): void {
    if (this.#isOver || this.signal.aborted) return;
    this.#startedAtMs = Date.now();
    this.#timer = setTimeout(this.#expire, this.#leftMs);
  }

  #pause(): void {
    clearTimeout(this.#timer);
    this.#leftMs = Math.max(0, this.#leftMs - (Date.now() - this.#startedAtMs));
  }
}
