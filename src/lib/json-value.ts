// Looks at parsed JSON from strangers without recursion, so that no nesting can exhaust the stack.

import { LIMITS } from "./limits.ts";

export type JsonObject = Record<string, unknown>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What is too much about a value: its nesting or the number of its members; `undefined` when it is within limits. */
export function findExcess(value: unknown): string | undefined {
  let level = [value];
  let members = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > LIMITS.jsonDepth) return `nesting too deep: at most ${LIMITS.jsonDepth} levels`;
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== "object" || item === null) continue;
      const values = Array.isArray(item) ? item : Object.values(item);
      members += values.length;
      if (members > LIMITS.jsonMembers) return `too many members: at most ${LIMITS.jsonMembers}`;
      for (const member of values) if (typeof member === "object" && member !== null) next.push(member);
    }
    level = next;
  }
  return undefined;
}
