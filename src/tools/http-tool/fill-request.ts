// Arguments and secrets into the request that a plan describes. Each place has its own way to be safe: path segments are
// percent-encoded and can't climb, queries and forms go through URLSearchParams, headers are checked, JSON is serialized.

import { LIMITS } from "../../lib/limits.ts";
import { isHeaderValue } from "../egress.ts";
import { ToolError } from "../tool-error.ts";
import type { BodyNode, BodyTemplate } from "./body-template.ts";
import type { RequestPlan } from "./request-plan.ts";
import { secretsOf, slotsOf, soleSlot, type Part, type Template } from "./template.ts";
import { climbs, isDots } from "./url-template.ts";

export interface FilledRequest {
  method: string;
  url: string;
  /** The same without the query members that hold secrets: what the model may see. */
  uri: string;
  headers: Record<string, string>;
  body?: string;
}

/** The arguments and secrets of one call. What is absent is `undefined`. */
class Values {
  readonly #args: Record<string, unknown>;
  readonly #secrets: ReadonlyMap<string, string>;
  #leftChars: number = LIMITS.httpFilledChars;

  constructor(args: Record<string, unknown>, secrets: ReadonlyMap<string, string>) {
    this.#args = args;
    this.#secrets = secrets;
  }

  /** An argument's JSON value. */
  read(name: string): unknown {
    const value = Object.hasOwn(this.#args, name) ? this.#args[name] : undefined;
    if (value !== undefined) this.#spend(typeof value === "string" ? value : JSON.stringify(value));
    return value;
  }

  /** An argument as text; `null` counts as absent. */
  readText(name: string): string | undefined {
    return toText(this.read(name));
  }

  /** A template with everything in it; absent when an argument of it is. */
  fill(template: Template, check: (text: string, name: string) => void = () => undefined): string | undefined {
    let whole = "";
    for (const part of template) {
      const text = this.#textOf(part, check);
      if (text === undefined) return undefined;
      whole += text;
    }
    return whole;
  }

  #textOf(part: Part, check: (text: string, name: string) => void): string | undefined {
    if (part.kind === "text") return part.text;
    if (part.kind === "secret") return this.#secrets.get(part.name);
    const text = this.readText(part.name);
    if (text !== undefined) check(text, part.name);
    return text;
  }

  /** Before the text is put together: a template may name the same long argument many times. */
  #spend(text: string): void {
    this.#leftChars -= text.length;
    if (this.#leftChars >= 0) return;
    throw new ToolError(`The arguments are too long: together at most ${LIMITS.httpFilledChars} characters.`);
  }
}

/** The request. Throws `ToolError` that names the argument which can't stand where it is to stand. */
export function fillRequest(
  { method, url, query, headers, body }: RequestPlan,
  args: Record<string, unknown>,
  secrets: ReadonlyMap<string, string>,
): FilledRequest {
  const values = new Values(args, secrets);
  const place = `${url.origin}/${url.segments.map((segment) => fillSegment(segment, values)).join("/")}`;
  const filled = query.map(([name, template]) => ({ template, pairs: toPairs(name, template, values) }));
  const open = filled.filter(({ template }) => secretsOf(template).length === 0);
  const request = {
    method,
    url: place + toSearch(url.search, filled),
    uri: place + toSearch(url.search, open),
    headers: fillHeaders(headers, values),
  };
  if (URL.parse(request.url)?.href !== request.url) throw new ToolError("The arguments make a URL that is not valid.");
  return body ? { ...request, ...fillBody(body, request.headers, values) } : request;
}

function fillSegment(segment: Template, values: Values): string {
  const [slot] = slotsOf(segment);
  let [raw, sent] = ["", ""];
  for (const part of segment) {
    const text = part.kind === "slot" ? readScalar(part.name, values) : part.kind === "text" ? part.text : "";
    raw += text;
    sent += part.kind === "slot" ? encodeSegment(text, part.name) : text;
  }
  if (slot === undefined) return sent;
  if (sent === "") throw new ToolError(`Argument ${slot}: expected text, received an empty text.`);
  if (!isDots(sent) && !climbs(raw)) return sent;
  throw new ToolError(`Argument ${slot}: it must not hold "." or ".." as part of a path.`);
}

function readScalar(name: string, values: Values): string {
  const value = values.read(name);
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value);
  throw new ToolError(`Argument ${name}: expected text, a number or a boolean.`);
}

// RFC 3986, `unreserved`; `encodeURIComponent` leaves five more.
function encodeSegment(text: string, name: string): string {
  if (/[\u0000-\u001f\u007f]/.test(text)) throw new ToolError(`Argument ${name}: it must not hold control characters.`);
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A list that is all of a member makes one member an item. */
function toPairs(name: string, template: Template, values: Values): [string, string][] {
  const slot = soleSlot(template);
  if (slot === undefined) return toPair(name, values.fill(template));
  const value = values.read(slot);
  return (Array.isArray(value) ? value : [value]).flatMap((item: unknown) => toPair(name, toText(item)));
}

const toPair = (name: string, text: string | undefined): [string, string][] =>
  text === undefined ? [] : [[name, text]];

function toSearch(fixed: string, members: { pairs: [string, string][] }[]): string {
  const filled = new URLSearchParams(members.flatMap(({ pairs }) => pairs)).toString();
  if (filled === "") return fixed;
  return fixed === "" ? `?${filled}` : `${fixed}&${filled}`;
}

function fillHeaders(headers: RequestPlan["headers"], values: Values): Record<string, string> {
  const filled = headers.flatMap(([name, template]) => toPair(name, values.fill(template, checkHeaderText)));
  return Object.fromEntries(filled);
}

function checkHeaderText(text: string, name: string): void {
  if (!isHeaderValue(text)) throw new ToolError(`Argument ${name}: expected printable ASCII on one line.`);
}

/** The body with the type that it is sent as; nothing when the argument that is all of it is absent. */
function fillBody(
  body: BodyTemplate,
  headers: Record<string, string>,
  values: Values,
): Pick<FilledRequest, "body" | "headers"> {
  const text = fillBodyText(body, values);
  if (text === undefined) return { headers };
  const type = body.encoding === "form" ? "application/x-www-form-urlencoded" : body.type;
  return { headers: { "content-type": type, ...headers }, body: text };
}

function fillBodyText(body: BodyTemplate, values: Values): string | undefined {
  switch (body.encoding) {
    case "text":
      return values.fill(body.parts);
    case "form":
      return new URLSearchParams(body.members.flatMap(([name, node]) => toFormPairs(name, node, values))).toString();
    case "json": {
      const value = fillNode(body.root, values);
      return value === undefined ? undefined : JSON.stringify(value);
    }
  }
}

function toFormPairs(name: string, node: BodyNode, values: Values): [string, string][] {
  if (node.kind === "template") return toPairs(name, node.parts, values);
  const value = fillNode(node, values);
  return (Array.isArray(value) ? value : [value]).flatMap((item: unknown) => toPair(name, toText(item)));
}

/** The node's JSON value; absent members and items are left out. */
function fillNode(node: BodyNode, values: Values): unknown {
  switch (node.kind) {
    case "literal":
      return node.value;
    case "template": {
      const slot = soleSlot(node.parts);
      return slot === undefined ? values.fill(node.parts) : values.read(slot);
    }
    case "items":
      return node.items.map((item) => fillNode(item, values)).filter((item) => item !== undefined);
    case "members": {
      const members = node.members.map(([name, member]) => [name, fillNode(member, values)] as const);
      return Object.fromEntries(members.filter(([, value]) => value !== undefined));
    }
  }
}

/** A JSON value where only text can stand: scalars as they are, lists of them with commas, the rest as JSON. */
function toText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value.toWellFormed();
  const isList = Array.isArray(value) && value.every((item) => item === null || typeof item !== "object");
  return isList ? value.join(",") : JSON.stringify(value);
}
