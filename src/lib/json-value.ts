// Looks at parsed JSON from strangers without recursion, so that no nesting can exhaust the stack.

import { LIMITS } from "./limits.ts";

export type JsonObject = Record<string, unknown>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What is too much about a value: its nesting or the number of its members; `undefined` when it is within limits. */
export function findExcess(value: unknown): string | undefined {
  let level = [value].filter(isContainer);
  let members = 0;
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > LIMITS.jsonDepth) return `nesting too deep: at most ${LIMITS.jsonDepth} levels`;
    const next: object[] = [];
    for (const container of level) {
      const values: unknown[] = Array.isArray(container) ? container : Object.values(container);
      members += values.length;
      if (members > LIMITS.jsonMembers) return `too many members: at most ${LIMITS.jsonMembers}`;
      for (const member of values) if (isContainer(member)) next.push(member);
    }
    level = next;
  }
  return undefined;
}

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;
