// The template language of HTTP tools: `{name}` stands for an argument, `{name,}`, `{name|}` and `{name+}` for the items of
// a list with a comma, a bar or a space between them, `{{secret:NAME}}` for a secret, `{{` and `}}` for a brace. What is
// neither is refused, so that a slip of the pen is found when a tool is registered.

import { SECRET_NAME } from "../../secrets/secret-name.ts";

export type Part =
  | { kind: "text"; text: string }
  /** With `joiner`, a list's items with that between them. */
  | { kind: "slot"; name: string; joiner?: string }
  | { kind: "secret"; name: string };

export type Template = readonly Part[];

export interface ParsedTemplate {
  parts: Template;
  /** What is wrong, a sentence each. */
  faults: string[];
  /** Names between doubled braces, which are text: perhaps not what was meant. */
  doubled: string[];
}

const TOKEN = /\{\{\s*secret\b[^{}]*(?:\}\}|$)|\{\{|\}\}|\{[^{}]*\}|[{}]|[^{}]+/g;
const SECRET = /^\{\{secret:([^{}]*)\}\}$/;
const SLOT = /^\{(.*?)([,|+]?)\}$/s;
const ESCAPE_ADVICE = "write {name} for an argument, {{ and }} for braces";

/** Reads a template. Text parts hold braces as they are meant. */
export function parseTemplate(source: string): ParsedTemplate {
  const parts: Part[] = [];
  const faults: string[] = [];
  const tokens = Array.from(source.matchAll(TOKEN), ([token]) => token);
  for (const token of tokens) {
    const part = readToken(token);
    if (typeof part === "string") faults.push(part);
    else pushPart(parts, part);
  }
  const isDoubled = (at: number, by: number): boolean => tokens[at - by] === "{{" && tokens[at + by] === "}}";
  // Braces around those are meant as text: `{{{{name}}}}` sends what many a template language has.
  const doubled = tokens.filter((_, at) => isDoubled(at, 1) && !isDoubled(at, 2));
  return { parts, faults, doubled };
}

/** The argument that is all of a template, as it is. */
export const soleSlot = (parts: Template): string | undefined =>
  parts.length === 1 && parts[0]?.kind === "slot" && parts[0].joiner === undefined ? parts[0].name : undefined;

/** The names of the arguments in a template. */
export const slotsOf = (parts: Template): string[] => namesOf(parts, "slot");

/** The names of the secrets in a template. */
export const secretsOf = (parts: Template): string[] => namesOf(parts, "secret");

const LIKE_A_SECRET = /^(?:[A-Za-z]+[:.])?([A-Z_][A-Z\d_]*)$/;

/** What is wrong with a name between doubled braces that was meant as a secret, by the look of it. */
export function faultOfDoubled(name: string): string | undefined {
  const secret = LIKE_A_SECRET.exec(name)?.[1];
  if (secret === undefined) return undefined;
  return `{{${name}}} is text in braces, sent as {${name}}: did you mean {{secret:${secret}}}? Write {{ ${name} }} if you mean the text`;
}

const namesOf = (parts: Template, kind: "slot" | "secret"): string[] =>
  parts.flatMap((part) => (part.kind === kind ? [part.name] : []));

function readToken(token: string): Part | string {
  if (token === "{{") return { kind: "text", text: "{" };
  if (token === "}}") return { kind: "text", text: "}" };
  if (/^\{\{\s*secret/.test(token)) {
    const name = SECRET.exec(token)?.[1];
    if (name !== undefined && SECRET_NAME.test(name)) return { kind: "secret", name };
    return `expected {{secret:NAME}} with a name of letters, digits and _, found ${JSON.stringify(token)}`;
  }
  if (token === "{" || token === "}") return `a single ${token} has no meaning: ${ESCAPE_ADVICE}`;
  if (token === "{}") return `{} names no argument: ${ESCAPE_ADVICE}`;
  const [, name, joiner] = SLOT.exec(token) ?? [];
  if (name === undefined) return { kind: "text", text: token };
  return { kind: "slot", name, ...(joiner && { joiner: joiner === "+" ? " " : joiner }) };
}

function pushPart(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (part.kind === "text" && last?.kind === "text") last.text += part.text;
  else parts.push(part);
}
