// JSON Schema as far as a form and a reader need it. What a value must be is for the server to say.

/** A schema's keywords that are looked at; whatever else it has stays. */
export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  title?: string;
  description?: string;
  default?: unknown;
  examples?: readonly unknown[];
  const?: unknown;
  enum?: readonly unknown[];
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: Schema | boolean;
  items?: Schema | boolean;
  prefixItems?: readonly Schema[];
  oneOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  allOf?: readonly Schema[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  contentEncoding?: string;
  [keyword: string]: unknown;
}

/** `true` and what is no schema allow anything. */
export const asSchema = (value: unknown): Schema =>
  typeof value === "object" && value !== null ? (value as Schema) : {};

const MOST_STEPS = 20;

/** A schema without `$ref` at its top, and with what all of `allOf` say laid over one another. */
export function resolve(schema: Schema | boolean, root: Schema, steps = 0): Schema {
  let resolved = asSchema(schema);
  if (steps > MOST_STEPS) return {};
  if (resolved.$ref !== undefined) {
    const { $ref, ...beside } = resolved;
    resolved = { ...resolve(follow($ref, root), root, steps + 1), ...beside };
  }
  if (!resolved.allOf) return resolved;
  const { allOf, ...rest } = resolved;
  return allOf.map((part) => resolve(part, root, steps + 1)).reduce<Schema>(merge, rest);
}

const merge = (a: Schema, b: Schema): Schema => ({
  ...b,
  ...a,
  ...((a.properties || b.properties) && { properties: { ...b.properties, ...a.properties } }),
  ...((a.required || b.required) && { required: [...new Set([...(a.required ?? []), ...(b.required ?? [])])] }),
});

/** `#/$defs/x` and `#`; what leads elsewhere allows anything here. */
function follow(ref: string, root: Schema): Schema {
  if (!ref.startsWith("#")) return {};
  let place: unknown = root;
  for (const step of ref.slice(1).split("/").slice(1)) {
    const name = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    place = typeof place === "object" && place !== null ? (place as Record<string, unknown>)[name] : undefined;
  }
  return asSchema(place);
}

/** The type that values have, `null` aside; the first of several. */
export function typeOf({ type, properties, items, prefixItems }: Schema): string | undefined {
  if (typeof type === "string") return type;
  if (type) return type.find((name) => name !== "null");
  if (properties) return "object";
  return items !== undefined || prefixItems ? "array" : undefined;
}

export const mayBeNull = ({ type }: Schema): boolean => Array.isArray(type) && type.includes("null");

/** A type in words. */
export function describeType(schema: Schema, root: Schema, depth = 0): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants && depth < 3) {
    return variants.map((variant) => describeType(resolve(variant, root), root, depth + 1)).join(" or ");
  }
  const name = typeOf(schema);
  if (depth > 0 && name === "object" && schema.title !== undefined) return schema.title;
  const orNull = mayBeNull(schema) ? " or null" : "";
  if (name === "array" && typeof schema.items === "object" && depth < 3) {
    return `list of ${describeType(resolve(schema.items, root), root, depth + 1)}${orNull}`;
  }
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  return `${name ?? "anything"}${orNull}`;
}

/** What else a value must be, in short. */
export function describeBounds(schema: Schema): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, minItems, maxItems } = schema;
  return [
    minimum !== undefined && `≥ ${minimum}`,
    exclusiveMinimum !== undefined && `> ${exclusiveMinimum}`,
    maximum !== undefined && `≤ ${maximum}`,
    exclusiveMaximum !== undefined && `< ${exclusiveMaximum}`,
    schema.multipleOf !== undefined && `a multiple of ${schema.multipleOf}`,
    span(minLength, maxLength, "characters"),
    span(minItems, maxItems, "items"),
    schema.uniqueItems === true && "no item twice",
    schema.format,
    schema.pattern !== undefined && `matches ${schema.pattern}`,
    schema.default !== undefined && `${JSON.stringify(schema.default)} by default`,
  ].filter((bound) => typeof bound === "string");
}

function span(least: number | undefined, most: number | undefined, what: string): string | undefined {
  if (least === undefined) return most === undefined ? undefined : `at most ${most} ${what}`;
  return most === undefined ? `at least ${least} ${what}` : `${least} to ${most} ${what}`;
}
