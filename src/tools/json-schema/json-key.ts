// Values of JSON as keys of sets and maps: equal keys, equal values as JSON Schema has it (core, section 4.2.2).

import { isJsonObject } from "../../lib/json-value.ts";
import type { Budget } from "./pattern/pattern.ts";

/** Characters of a text that take about as long as one step. */
const STEP_CHARS = 32;
const MEMBER_STEPS = 3;

/** Pays for what it reads. */
export function keyOf(value: unknown, budget: Budget): unknown {
  // A text's key differs from that of a list or an object by its first character.
  if (typeof value === "string") return pay(value, budget) && `"${value}`;
  return typeof value === "object" && value !== null ? textOf(value, budget) : value;
}

function textOf(value: unknown, budget: Budget): string {
  budget.spend(2);
  if (Array.isArray(value)) return `[${value.map((item) => textOf(item, budget)).join()}]`;
  if (isJsonObject(value)) {
    const names = Object.keys(value).sort();
    // Sorted, written out, joined.
    budget.spend(names.length * MEMBER_STEPS);
    const members = names.map((name) => `${JSON.stringify(name)}:${textOf(value[name], budget)}`);
    return `{${members.join()}}`;
  }
  if (typeof value === "string") pay(value, budget);
  // JSON's text of −0 is that of 0.
  return JSON.stringify(value);
}

function pay(text: string, budget: Budget): true {
  budget.spend(1 + Math.floor(text.length / STEP_CHARS));
  return true;
}
