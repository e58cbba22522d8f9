// The ids of a frame that is not worth parsing: one look at each character, whatever stands there.

import { LIMITS } from "../lib/limits.ts";
import { isId, type Id } from "./json-rpc.ts";

const ID_VALUE = /^\s*:\s*("(?:[^"\\]|\\.)*"|-?\d{1,16})\s*[,}]/;
// Each character of an id may be escaped, and there may be blanks around it.
const ID_VALUE_CHARS = LIMITS.idChars * 8;
const STRING_END = /["\\]/g;

/** The ids of a message, or of the messages of a batch: of no more than a batch may hold. */
export function scanIds(frame: string): Id[] {
  const ids: Id[] = [];
  const inMessage = /^\s*\[/.test(frame) ? 2 : 1;
  let depth = 0;
  let last: Id | undefined;
  for (let at = 0; at < frame.length && ids.length < LIMITS.batchItems; at++) {
    const char = frame[at];
    if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") {
      if (depth-- === inMessage && last !== undefined) ids.push(last);
      if (depth < inMessage) last = undefined;
    } else if (char === '"') {
      const end = endOfString(frame, at);
      // Of a name that is there twice the last counts, as for JSON.parse.
      if (depth === inMessage && frame.slice(at, end) === '"id"')
        last = readId(frame.slice(end, end + ID_VALUE_CHARS)) ?? last;
      at = end - 1;
    }
  }
  return ids;
}

/** The index after the string that begins at `at`; that of the text's end where it does not end. */
function endOfString(text: string, at: number): number {
  STRING_END.lastIndex = at + 1;
  for (let found = STRING_END.exec(text); found; found = STRING_END.exec(text)) {
    if (found[0] === '"') return STRING_END.lastIndex;
    STRING_END.lastIndex++;
  }
  return text.length;
}

/** The id that stands behind its name. A string "id" that is no name is followed by something else. */
function readId(text: string): Id | undefined {
  const [, value = "null"] = ID_VALUE.exec(text) ?? [];
  try {
    const id: unknown = JSON.parse(value);
    return isId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
