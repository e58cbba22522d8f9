// JSON from strangers.

import { LIMITS } from "./limits.ts";

export type JsonObject = Record<string, unknown>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * What is too much about a JSON text: its nesting or the number of its members; `undefined` when it is within limits.
 * Looks at characters alone, so that no time goes into building what is refused.
 */
export function findExcess(text: string, membersMax: number = LIMITS.jsonMembers): string | undefined {
  let [depth, members, inString, open] = [0, 0, false, false];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inString = false;
      continue;
    }
    if (code <= SPACE) continue;
    const closes = code === CLOSE_BRACE || code === CLOSE_BRACKET;
    if (code === COMMA || (open && !closes)) members++;
    open = code === OPEN_BRACE || code === OPEN_BRACKET;
    if (open) depth++;
    else if (closes) depth--;
    else if (code === QUOTE) inString = true;
    if (depth > LIMITS.jsonDepth) return `nesting too deep: at most ${LIMITS.jsonDepth} levels`;
    if (members > membersMax) return `too many members: at most ${membersMax}`;
  }
  return undefined;
}

const [SPACE, QUOTE, COMMA, BACKSLASH] = [0x20, 0x22, 0x2c, 0x5c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
