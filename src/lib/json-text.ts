// JSON as text: what must stay as it came, numbers and the order of members included, is cut out and never printed anew.
// All of it takes text that `JSON.parse` took.

/** The text without white space between its tokens. */
export function compactJson(text: string): string {
  let compact = "";
  for (let at = 0; at < text.length;) {
    const end = text[at] === '"' ? endOfString(text, at) : at + 1;
    if (!isSpace(text[at])) compact += text.slice(at, end);
    at = end;
  }
  return compact;
}

/** The texts of an object's members by name; of a name that is there twice the last, as `JSON.parse` has it. */
export function memberTexts(object: string): Map<string, string> {
  const members = new Map<string, string>();
  for (const [name, value] of splitInside(object, "{")) {
    if (name !== undefined) members.set(JSON.parse(name) as string, value);
  }
  return members;
}

/** The texts of an array's items. */
export const itemTexts = (array: string): string[] => splitInside(array, "[").map(([, value]) => value);

/** Parts between commas of an object or array, each with what stands before its colon. */
function splitInside(text: string, open: "{" | "["): [string | undefined, string][] {
  const parts: [string | undefined, string][] = [];
  let at = text.indexOf(open) + 1;
  let name: string | undefined;
  let [start, depth] = [at, 0];
  for (; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at) - 1;
    else if (char === "{" || char === "[") depth++;
    else if (depth > 0) depth -= Number(char === "}" || char === "]");
    else if (char === ":" && open === "{") [name, start] = [text.slice(start, at).trim(), at + 1];
    else if (char === "," || char === "}" || char === "]") {
      const value = text.slice(start, at).trim();
      if (value !== "") parts.push([name, value]);
      if (char !== ",") break;
      [name, start] = [undefined, at + 1];
    }
  }
  return parts;
}

/** The index after the string that begins at `at`. */
function endOfString(text: string, at: number): number {
  let end = at + 1;
  while (text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return end + 1;
}

const isSpace = (char: string | undefined): boolean => char === " " || char === "\n" || char === "\r" || char === "\t";
