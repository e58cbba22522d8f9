// Everything of a definition that a model or a person may read, without recursion.

import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { pointTo } from "./verdict.ts";

export interface Text {
  text: string;
  path: string;
}

/** What is read of a definition: icons are data by their nature. */
export const READ_PARTS = ["name", "title", "description", "annotations", "inputSchema", "outputSchema"];

/** Strings and names of members, in the order in which they are written; each is cut at `LIMITS.lintTextChars`. */
export function* textsOf(definition: JsonObject): Generator<Text, void> {
  const waiting = READ_PARTS.toReversed().map((key) => ({ value: definition[key], path: `/${key}` }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, path } = next;
    if (typeof value === "string") yield { text: cut(value), path };
    if (typeof value !== "object" || value === null) continue;
    const members = Object.entries(value);
    for (const [key] of isJsonObject(value) ? members : []) {
      yield { text: cut(key), path: pointTo(path, key) };
    }
    waiting.push(...members.map(([key, value]) => ({ value, path: pointTo(path, key) })).toReversed());
  }
}

const cut = (text: string): string => text.slice(0, LIMITS.lintTextChars);
