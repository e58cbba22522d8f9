// A request's body as arguments and the template that they fill in. The properties of a plain object become arguments of
// their own, since models fill in flat arguments best; any other body is one argument, `body`.

import { isJsonObject } from "../lib/json-value.ts";
import type { SchemaConverter } from "./convert-schema.ts";
import { joinerOf } from "./add-parameter.ts";
import { MediaTypeSchema, RequestBodySchema, type MediaType } from "./document.ts";
import { Inexpressible } from "./inexpressible.ts";
import { essenceOf, isJsonType } from "./media-type.ts";
import type { Method } from "./operations.ts";
import { readOwn, type References } from "./references.ts";
import { placeholder, type RequestDraft } from "./request-draft.ts";
import { findShape, isSayableName, kindsOf, type ObjectShape } from "./shape.ts";

const FORM = "application/x-www-form-urlencoded";

/** Adds the body of an operation that has one. Throws `Inexpressible` when it can be sent neither as JSON nor as a form. */
export function addBody(
  draft: RequestDraft,
  method: Method,
  raw: unknown,
  references: References,
  converter: SchemaConverter,
): void {
  const { content = {}, required = false } = references.parse(RequestBodySchema, "request body", raw);
  const types = Object.keys(content);
  if (types.length === 0) return;
  if (method === "GET" || method === "HEAD") {
    if (required) throw new Inexpressible(`a body in a ${method} request`);
    draft.notes.push(`left out the body of a ${method} request`);
    return;
  }
  const type = types.find(isJsonType) ?? types.find((name) => essenceOf(name) === FORM) ?? types.find(isAnyType);
  if (type === undefined) throw new Inexpressible(`a request body as ${types.slice(0, 5).join(", ")}`);
  const media = references.parse(MediaTypeSchema, "request body", content[type]);
  if (essenceOf(type) === FORM) {
    addForm(draft, media, references, converter);
    draft.headers.push(["content-type", FORM]);
    return;
  }
  addJson(draft, media.schema ?? {}, required, references, converter);
  if (!isAnyType(type) && essenceOf(type) !== "application/json") draft.headers.push(["content-type", type]);
}

const isAnyType = (type: string): boolean => /^(\*|application)\/\*$/.test(essenceOf(type));

function addJson(
  draft: RequestDraft,
  schema: unknown,
  isRequired: boolean,
  references: References,
  converter: SchemaConverter,
): void {
  const shape = findShape(schema, references);
  const properties = (shape?.properties ?? []).filter(([, property]) => !converter.isHidden(property));
  // Arguments that must be given would make a body that may be absent one that may not.
  const isForced = !isRequired && properties.some(([name]) => shape?.required.has(name));
  if (!shape?.isPlain || properties.length === 0 || isForced) {
    draft.body = placeholder(draft.addArgument("body", "body", converter.convert(schema, 2), isRequired));
    return;
  }
  const members = properties.map(([name, property]): [string, string] => {
    const argument = draft.addArgument(name, "body", converter.convert(property, 2), shape.required.has(name));
    return [name, placeholder(argument)];
  });
  draft.body = Object.fromEntries(members);
}

function addForm(draft: RequestDraft, media: MediaType, references: References, converter: SchemaConverter): void {
  const shape = findShape(media.schema, references);
  if (!shape) throw new Inexpressible("a form whose fields are not named");
  const fields = shape.properties.flatMap(([name, property]) => {
    if (converter.isHidden(property)) return [];
    try {
      return toFields(draft, name, property, shape, media, references, converter);
    } catch (error) {
      if (!(error instanceof Inexpressible)) throw error;
      references.work.spendOnFault();
      const reason = `form field ${JSON.stringify(name)}: ${error.message}`;
      if (shape.required.has(name)) throw new Inexpressible(reason);
      draft.notes.push(`left out ${reason}`);
      return [];
    }
  });
  draft.body = Object.fromEntries(fields);
}

/** A form's field, or those that an object in style `deepObject` becomes. */
function toFields(
  draft: RequestDraft,
  name: string,
  property: unknown,
  { required }: ObjectShape,
  { encoding = {} }: MediaType,
  references: References,
  converter: SchemaConverter,
): [string, string][] {
  if (!isSayableName(name)) throw new Inexpressible("no name that can be sent");
  const { style = "form", explode = style === "form" } = encodingOf(encoding, name);
  const kinds = kindsOf(property, references);
  if (!kinds.has("object")) {
    const joiner = kinds.has("array") && style !== "deepObject" ? joinerOf(style, explode) : "";
    const argument = draft.addArgument(name, "body", converter.convert(property, 2), required.has(name));
    return [[name, placeholder(argument, joiner)]];
  }
  const inner = findShape(property, references);
  if (style !== "deepObject" || !inner?.isPlain) throw new Inexpressible("an object");
  const isScalar = (value: unknown): boolean => [...kindsOf(value, references)].every((kind) => kind === "scalar");
  const isNeeded = (key: string): boolean => required.has(name) && inner.required.has(key);
  if (inner.properties.some(([key, value]) => isNeeded(key) && !isScalar(value))) {
    throw new Inexpressible("an object with more than plain values");
  }
  return inner.properties.flatMap(([key, value]): [string, string][] => {
    const field = `${name}[${key}]`;
    if (!isScalar(value)) draft.notes.push(`left out form field ${JSON.stringify(field)}: no plain value`);
    if (!isScalar(value) || converter.isHidden(value)) return [];
    const argument = draft.addArgument(`${name}_${key}`, "body", converter.convert(value, 2), isNeeded(key));
    return [[field, placeholder(argument)]];
  });
}

function encodingOf(encoding: NonNullable<MediaType["encoding"]>, name: string): { style?: string; explode?: boolean } {
  const own = readOwn(encoding, name);
  return isJsonObject(own) ? own : {};
}
