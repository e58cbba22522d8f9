// The template language of HTTP tools: `{name}` stands for an argument, `{{secret:NAME}}` for a secret, `{{` and `}}` for
// a brace. What is neither is refused, so that a slip of the pen is found when a tool is registered.

import { SECRET_NAME } from "../../secrets/secret-name.ts";

export type Part = { kind: "text"; text: string } | { kind: "slot"; name: string } | { kind: "secret"; name: string };

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
  const doubled = tokens.filter((_, at) => tokens[at - 1] === "{{" && tokens[at + 1] === "}}");
  return { parts, faults, doubled };
}

/** The argument that is all of a template. */
export const soleSlot = (parts: Template): string | undefined =>
  parts.length === 1 && parts[0]?.kind === "slot" ? parts[0].name : undefined;

/** The names of the arguments in a template. */
export const slotsOf = (parts: Template): string[] => namesOf(parts, "slot");

/** The names of the secrets in a template. */
export const secretsOf = (parts: Template): string[] => namesOf(parts, "secret");

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
  return token.startsWith("{") ? { kind: "slot", name: token.slice(1, -1) } : { kind: "text", text: token };
}

function pushPart(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (part.kind === "text" && last?.kind === "text") last.text += part.text;
  else parts.push(part);
}
