// A parameter of an operation as an argument and the templates that send it (OpenAPI 3.1.1, "Style Values").

import type { JsonSchema } from "../tools/define-tool.ts";
import type { SchemaConverter } from "./convert-schema.ts";
import { cleanText } from "./clean-text.ts";
import { MediaTypeSchema, ParameterSchema, type Parameter } from "./document.ts";
import { Inexpressible } from "./inexpressible.ts";
import { isJsonType } from "./media-type.ts";
import type { References } from "./references.ts";
import { placeholder, type Joiner, type RequestDraft } from "./request-draft.ts";
import { keepKeyword } from "./schema-keywords.ts";
import { findShape, isSayableName, kindsOf } from "./shape.ts";

/** What OpenAPI says is to be ignored, since other parts of a document say it. */
const SAID_ELSEWHERE = /^(accept|content-type|authorization)$/i;
/** What belongs to the connection, or to those who pass a request on. */
const RESERVED =
  /^(host|connection|content-length|cookie|expect|keep-alive|te|trailer|transfer-encoding|upgrade|(proxy|cf|x-forwarded|toolgate)-.*)$/i;

const ORDER = ["path", "query", "header", "cookie"];

/** An operation's parameters in the order in which they get their arguments' names; its own replace its path's. */
export function readParameters(raw: readonly unknown[], references: References): Parameter[] {
  const parsed = raw.map((value) => references.parse(ParameterSchema, "parameter", value));
  const byPlace = new Map(parsed.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]));
  return [...byPlace.values()].toSorted((a, b) => ORDER.indexOf(a.in) - ORDER.indexOf(b.in));
}

/** Adds a parameter. One that can't be said is noted, or throws `Inexpressible` when no call can do without it. */
export function addParameter(
  draft: RequestDraft,
  parameter: Parameter,
  references: References,
  converter: SchemaConverter,
): void {
  try {
    send(draft, parameter, references, converter);
  } catch (error) {
    if (!(error instanceof Inexpressible)) throw error;
    references.work.spendOnFault();
    const reason = `${parameter.in} parameter ${JSON.stringify(parameter.name)}: ${error.message}`;
    if (parameter.required || parameter.in === "path") throw new Inexpressible(reason);
    draft.notes.push(`left out ${reason}`);
  }
}

function send(draft: RequestDraft, parameter: Parameter, references: References, converter: SchemaConverter): void {
  const { name, in: location } = parameter;
  if (location === "cookie") throw new Inexpressible("sent as a cookie");
  if (!isSayableName(name)) throw new Inexpressible("no name that can be sent");
  if (location === "header") {
    if (SAID_ELSEWHERE.test(name)) return void draft.notes.push(`ignored header parameter ${JSON.stringify(name)}`);
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name) || RESERVED.test(name)) {
      throw new Inexpressible("no name for a header of a tool");
    }
  }
  if (location !== "path" && draft.has(location, name)) {
    draft.notes.push(`${location} parameter ${JSON.stringify(name)} is set already`);
    return;
  }
  const encoded = findEncoded(parameter, references);
  const schema = encoded ?? parameter.schema ?? {};
  const kinds = kindsOf(schema, references);
  if (kinds.has("object") && encoded === undefined) return sendObject(draft, parameter, references, converter);
  const template = styleOf(parameter, kinds.has("array"));
  const converted = describe(converter.convert(schema, 2), parameter, converter.detail.textChars);
  const argument = draft.addArgument(name, location, converted, parameter.required === true || location === "path");
  const text = template(argument);
  if (location === "path") draft.path.set(name, text);
  else (location === "query" ? draft.query : draft.headers).push([name, text]);
}

/** What a parameter that is sent as JSON text holds; a template does that for objects alone. */
function findEncoded({ content }: Parameter, references: References): unknown {
  if (content === undefined) return undefined;
  const [type = "", media] = Object.entries(content)[0] ?? [];
  const { schema } = references.parse(MediaTypeSchema, "parameter", media);
  const kinds = kindsOf(schema, references);
  if (isJsonType(type) && kinds.size === 1 && kinds.has("object")) return schema;
  throw new Inexpressible(`sent as ${JSON.stringify(type.slice(0, 50))}, and no object`);
}

/**
 * How an argument is written. Lists in a query repeat its member, those in a header have commas by themselves; elsewhere,
 * or when not exploded, they are joined.
 */
function styleOf({ in: location, name, style, explode }: Parameter, isList: boolean): (argument: string) => string {
  if (location === "query") {
    const joiner = joinerOf(style ?? "form", explode ?? (style ?? "form") === "form");
    return (argument) => placeholder(argument, isList ? joiner : "");
  }
  switch (style ?? "simple") {
    case "simple":
      return (argument) => placeholder(argument, isList && location === "path" ? "," : "");
    case "label":
      if (!isList && location === "path") return (argument) => `.${placeholder(argument)}`;
      break;
    case "matrix":
      if (location === "path" && !(isList && explode))
        return (argument) => `;${encodeURIComponent(name)}=${placeholder(argument, isList ? "," : "")}`;
  }
  throw new Inexpressible(`a ${isList ? "list" : "value"} in style ${JSON.stringify(style)}`);
}

/** What stands between a list's items in a query or a form; nothing when each is a member of its own. */
export function joinerOf(style: string, explode: boolean): Joiner | "" {
  const joiner = JOINERS.get(style);
  if (joiner === undefined) throw new Inexpressible(`style ${JSON.stringify(style.slice(0, 50))}`);
  return explode ? "" : joiner;
}

const JOINERS = new Map<string, Joiner>([
  ["form", ","],
  ["spaceDelimited", "+"],
  ["pipeDelimited", "|"],
]);

/** An object in a query, as an argument for each of its properties. */
function sendObject(
  draft: RequestDraft,
  { name, in: location, style = "form", explode = style === "form", required, schema }: Parameter,
  references: References,
  converter: SchemaConverter,
): void {
  const isDeep = style === "deepObject";
  const shape = findShape(schema, references);
  if (location !== "query" || !(isDeep || (style === "form" && explode))) {
    throw new Inexpressible(`an object in style ${JSON.stringify(style)}`);
  }
  if (!shape?.isPlain) throw new Inexpressible("an object whose properties are not all named");
  for (const [property, value] of shape.properties) {
    const field = isDeep ? `${name}[${property}]` : property;
    const isRequired = required === true && shape.required.has(property);
    const kinds = kindsOf(value, references);
    const isSayable =
      isSayableName(field) && kinds.size === 1 && (kinds.has("scalar") || (kinds.has("array") && !isDeep));
    if (!isSayable || draft.has("query", field)) {
      if (isRequired) throw new Inexpressible(`property ${JSON.stringify(property)} is no plain value`);
      draft.notes.push(`left out query parameter ${JSON.stringify(field)}: no plain value`);
      continue;
    }
    const wanted = isDeep ? `${name}_${property}` : property;
    draft.query.push([field, placeholder(draft.addArgument(wanted, "query", converter.convert(value, 2), isRequired))]);
  }
}

/** The parameter's own words go before its schema's. */
function describe(
  schema: JsonSchema | boolean,
  { description, example }: Parameter,
  textChars: number,
): JsonSchema | boolean {
  const text = cleanText(description, textChars);
  const examples = keepKeyword("examples", [example], textChars);
  const isNew = examples !== undefined && !(typeof schema === "object" && "examples" in schema);
  if (text === "" && !isNew) return schema;
  return {
    ...(typeof schema === "object" ? schema : schema ? {} : { not: {} }),
    ...(text && { description: text }),
    ...(isNew && { examples }),
  };
}
