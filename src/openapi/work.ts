// How much work a document may make. It is counted in steps, about one for each member that is looked at, since no clock runs
// while a Worker computes: a small document can hold references that multiply to any size.

import { isJsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { Inexpressible } from "./inexpressible.ts";

/** Thrown when an operation would take more steps than it may; the message is the reason that an operator reads. */
export class TooMuchWork extends Error {
  override readonly name = "TooMuchWork";
}

/** Why an operation becomes no tool. Throws what says nothing of that. */
export function reasonOf(error: unknown): string {
  if (error instanceof Inexpressible || error instanceof TooMuchWork) return error.message;
  throw error;
}

/** The steps of one import. */
export class Work {
  readonly #sizes = new WeakMap<object, number>();
  readonly #widths = new WeakMap<object, number>();
  #spent = 0;
  #begun = 0;
  #rested = 0;

  /** From here on steps are the next operation's. */
  beginOperation(): void {
    this.#begun = this.#spent;
  }

  /** Notes steps before they are taken. Throws `TooMuchWork` when there are none left. */
  spend(steps: number): void {
    if (this.#spent + steps > LIMITS.importSteps) {
      this.#spent = LIMITS.importSteps + 1;
      throw new TooMuchWork(
        `the import has taken its ${LIMITS.importSteps} steps already: import the document in parts, by tags or paths`,
      );
    }
    if (this.#spent + steps - this.#begun > LIMITS.importOperationSteps) {
      this.#spent = this.#begun + LIMITS.importOperationSteps;
      throw new TooMuchWork(`it takes more than ${LIMITS.importOperationSteps} steps to convert`);
    }
    this.#spent += steps;
  }

  /** Notes that something was no good and another is tried: making an error takes longer than looking at a member. */
  spendOnFault(): void {
    this.spend(FAULT_STEPS);
  }

  /** Whether it is time to let others in. */
  isLong(): boolean {
    if (this.#spent - this.#rested < LIMITS.importTurnSteps) return false;
    this.#rested = this.#spent;
    return true;
  }

  /** Steps for all of a value: its members at every level, and its texts. */
  sizeOf(value: unknown): number {
    if (typeof value === "string") return 1 + Math.floor(value.length / CHARS_A_STEP);
    if (typeof value !== "object" || value === null) return 1;
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    let size = 1;
    for (const [key, member] of Object.entries(value)) {
      size += this.sizeOf(member) + Math.floor(key.length / CHARS_A_STEP);
    }
    this.#sizes.set(value, size);
    return size;
  }

  /** Steps for a value's members and their own, and no deeper. */
  widthOf(value: object): number {
    const known = this.#widths.get(value);
    if (known !== undefined) return known;
    let width = 1;
    for (const [key, member] of Object.entries(value)) {
      width += 1 + Math.floor(key.length / CHARS_A_STEP) + countMembers(member);
    }
    this.#widths.set(value, width);
    return width;
  }
}

const CHARS_A_STEP = 256;
const FAULT_STEPS = 20;

function countMembers(value: unknown): number {
  if (typeof value === "string") return Math.floor(value.length / CHARS_A_STEP);
  if (Array.isArray(value)) return value.length;
  if (!isJsonObject(value)) return 0;
  return Object.keys(value).reduce((sum, key) => sum + 1 + Math.floor(key.length / CHARS_A_STEP), 0);
}
