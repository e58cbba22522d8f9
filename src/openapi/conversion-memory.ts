// What converting a document's schemas has shown already: operations share most of what they refer to.

import type { JsonSchema } from "../tools/define-tool.ts";
import type { Detail, Direction } from "./convert-schema.ts";
import type { Inexpressible } from "./inexpressible.ts";

/** What a reference stands for at some depth, and what it adds to the schema that it becomes part of. */
export interface Copy {
  schema: JsonSchema | boolean;
  /** Infinite when no schema has room for it. */
  subschemas: number;
  losses: number;
  isCut: boolean;
  /** Why it can't be copied, found after so many subschemas. */
  error?: Inexpressible;
}

/** Of one direction and one level of detail. */
export interface Conversions {
  /** By depth and reference; `named` where a copy would hold names of a tool's `$defs`. */
  copies: Map<string, Copy | "named">;
  /** Subschemas that moving a reference to `$defs` takes at least, with all that it refers to. */
  least: Map<string, number>;
}

export class ConversionMemory {
  readonly #conversions = new Map<Detail, Partial<Record<Direction, Conversions>>>();

  of(direction: Direction, detail: Detail): Conversions {
    const both = this.#conversions.get(detail) ?? {};
    this.#conversions.set(detail, both);
    return (both[direction] ??= { copies: new Map(), least: new Map() });
  }
}
