// Schemas and values made up from a seed, small enough that values often fit.

// oxlint-disable unicorn/no-thenable -- it is JSON Schema's word

type Random = () => number;
type Json = Record<string, unknown>;

/** Numbers from 0 to 1, the same for the same seed (xorshift32). */
export function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const pick = <T>(random: Random, list: readonly T[]): T => {
  const item = list[Math.floor(random() * list.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
};

const many = <T>(random: Random, most: number, make: () => T): T[] =>
  Array.from({ length: 1 + Math.floor(random() * most) }, make);

const NAMES = ["a", "b", "c"] as const;
const SCALARS = [false, true, 0, 1, 2, 3.5, -1, "", "a", "ab", "abc", "B"];
const TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"];
const PATTERNS = ["a", "^a", "b$", "^[ab]+$", "^.{2}$", "^(a|ab)*c?$"];

export function randomValue(random: Random, depth = 3): unknown {
  const kind = random();
  if (depth === 0 || kind < 0.35) return random() < 0.1 ? null : pick(random, SCALARS);
  if (kind < 0.6) return Array.from({ length: Math.floor(random() * 4) }, () => randomValue(random, depth - 1));
  return Object.fromEntries(NAMES.filter(() => random() < 0.5).map((name) => [name, randomValue(random, depth - 1)]));
}

/** With two definitions to refer to, which look into the value before they refer to anything. */
export function randomSchema(random: Random): Json {
  const step = (): Json => ({ properties: { a: randomSubschema(random, 2) }, items: randomSubschema(random, 1) });
  return { ...asObject(randomSubschema(random, 4)), $defs: { x: step(), y: randomKeywords(random, 0) } };
}

const asObject = (schema: Json | boolean): Json => (typeof schema === "boolean" ? { not: !schema } : schema);

function randomSubschema(random: Random, depth: number): Json | boolean {
  const kind = random();
  if (kind < 0.08) return kind < 0.06;
  if (kind < 0.15) return { $ref: pick(random, ["#/$defs/x", "#/$defs/y"]) };
  return randomKeywords(random, depth);
}

function randomKeywords(random: Random, depth: number): Json {
  const makers = depth === 0 ? SIMPLE : [...SIMPLE, ...HOLDING];
  return Object.assign({}, ...many(random, 3, () => pick(random, makers)(random, depth - 1))) as Json;
}

type Maker = (random: Random, depth: number) => Json;

const count = (random: Random): number => Math.floor(random() * 3);

const SIMPLE: readonly Maker[] = [
  (random) => ({ type: pick(random, TYPES) }),
  (random) => ({ type: [...new Set(many(random, 3, () => pick(random, TYPES)))] }),
  (random) => ({ enum: ["b", randomValue(random, 1), { b: random() }] }),
  (random) => ({ const: randomValue(random, 1) }),
  (random) => ({ [pick(random, ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"])]: count(random) }),
  (random) => ({ multipleOf: pick(random, [1, 2, 0.5]) }),
  (random) => ({ [pick(random, ["minLength", "maxLength", "minItems", "maxItems"])]: count(random) }),
  (random) => ({ [pick(random, ["minProperties", "maxProperties"])]: count(random) }),
  (random) => ({ pattern: pick(random, PATTERNS) }),
  (random) => ({ required: [...new Set(many(random, 2, () => pick(random, NAMES)))] }),
  () => ({ uniqueItems: true }),
  (random) => ({ dependentRequired: { [pick(random, NAMES)]: [pick(random, NAMES)] } }),
];

const members = (random: Random, depth: number): Json =>
  Object.fromEntries(many(random, 3, () => [pick(random, NAMES), randomSubschema(random, depth)]));

const HOLDING: readonly Maker[] = [
  (random, depth) => ({ properties: members(random, depth) }),
  (random, depth) => ({ properties: members(random, depth), additionalProperties: randomSubschema(random, depth) }),
  (random, depth) => ({ patternProperties: { [pick(random, PATTERNS)]: randomSubschema(random, depth) } }),
  (random, depth) => ({ propertyNames: randomSubschema(random, depth) }),
  (random, depth) => ({ items: randomSubschema(random, depth) }),
  (random, depth) => ({ prefixItems: many(random, 2, () => randomSubschema(random, depth)) }),
  (random, depth) => ({ contains: randomSubschema(random, depth), minContains: count(random), maxContains: 2 }),
  (random, depth) => ({
    [pick(random, ["allOf", "anyOf", "oneOf"])]: many(random, 3, () => randomSubschema(random, depth)),
  }),
  (random, depth) => ({ not: randomSubschema(random, depth) }),
  (random, depth) => ({
    if: randomSubschema(random, depth),
    then: randomSubschema(random, depth),
    else: randomSubschema(random, depth),
  }),
  (random, depth) => ({ dependentSchemas: { [pick(random, NAMES)]: randomSubschema(random, depth) } }),
  (random) => ({ unevaluatedProperties: random() < 0.3 }),
  (random) => ({ unevaluatedItems: random() < 0.3 }),
];
