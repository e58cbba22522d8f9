// Reads what URLs, JSON, JavaScript and HTML write characters as, so that a text can be searched as its readers see it.
// All kinds are read at once: what was escaped by whom is nothing that a text tells.

/** Part of a text, from its first character to the one after its last. */
export interface Span {
  from: number;
  to: number;
}

const HEX = "[0-9A-Fa-f]";
const ESCAPES = [
  // One character of UTF-8.
  `%(?:[0-7]${HEX}|[C-Dc-d]${HEX}%[89ABab]${HEX}|[Ee]${HEX}(?:%[89ABab]${HEX}){2}|[Ff][0-7](?:%[89ABab]${HEX}){3})`,
  `\\\\(?:u${HEX}{4}|u\\{${HEX}{1,10}\\}|x${HEX}{2}|["'\\\\/bfnrt])`,
  `&#(?:[0-9]{1,10}|[Xx]${HEX}{1,10});?`,
  `&(?:amp|lt|gt|quot|apos|AMP|LT|GT|QUOT);`,
];
const ESCAPE = new RegExp(ESCAPES.join("|"), "g");
const MARK = /[%\\&]/;

const LETTERS: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const CODE_POINT_MAX = 0x10ffff;

/** The text with its escapes read, once; the same text when it has none. */
export const readEscapes = (text: string): string => (MARK.test(text) ? text.replace(ESCAPE, readEscape) : text);

/** What pieces of a text are read as. */
export interface Reading {
  pattern: RegExp;
  read: (piece: string) => string;
}

export const ESCAPES_READ: Reading = { pattern: ESCAPE, read: readEscape };

/**
 * Spans of what a reading made of a text as spans of the text itself. Both in order and apart. Walks the text again,
 * which only one in which something was found has to bear.
 */
export function spansBehind(text: string, spans: readonly Span[], { pattern, read }: Reading): Span[] {
  const bounds = spans.flatMap(({ from, to }) => [from, to]);
  let [next, shift] = [0, 0];
  const moveUpTo = (plainAt: number): void => {
    for (; (bounds[next] ?? Infinity) <= plainAt; next++) bounds[next] = (bounds[next] ?? 0) + shift;
  };
  for (const { 0: piece, index } of text.matchAll(pattern)) {
    if (next === bounds.length) break;
    moveUpTo(index - shift);
    shift += piece.length - read(piece).length;
  }
  moveUpTo(text.length);
  return spans.map((_, at) => ({ from: bounds[at * 2] ?? 0, to: bounds[at * 2 + 1] ?? text.length }));
}

/** One escape; itself where it stands for no character. Told apart by its first characters: groups cost ten times more. */
function readEscape(escape: string): string {
  const second = escape[1] ?? "";
  switch (escape[0]) {
    case "%":
      return second < "8" ? String.fromCharCode(Number.parseInt(escape.slice(1), 16)) : readUtf8(escape);
    case "&":
      return second === "#" ? readReference(escape) : (ENTITIES[escape.slice(1, -1).toLowerCase()] ?? escape);
    default:
      if (second === "x") return fromHex(escape, 2);
      return second === "u" ? fromHex(escape, escape[2] === "{" ? 3 : 2) : (LETTERS[second] ?? second);
  }
}

const readReference = (escape: string): string =>
  escape[2] === "x" || escape[2] === "X" ? fromHex(escape, 3) : fromCode(Number.parseInt(escape.slice(2), 10), escape);

const fromHex = (escape: string, at: number): string => fromCode(Number.parseInt(escape.slice(at), 16), escape);

const fromCode = (code: number, escape: string): string =>
  code <= CODE_POINT_MAX ? String.fromCodePoint(code) : escape;

/** Overlong forms and halves of pairs are no characters. */
function readUtf8(escape: string): string {
  try {
    return decodeURIComponent(escape);
  } catch {
    return escape;
  }
}
