// Arbitrary JSON from a seed: what nobody would write, and what looks like a definition but is none.

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const KEYS = (
  "name title description inputSchema outputSchema annotations readOnlyHint destructiveHint allowDots type properties items " +
  "prefixItems required enum const $ref $defs definitions $schema anyOf oneOf allOf not if then else format pattern " +
  "exclusiveMinimum minimum maximum additionalProperties patternProperties default x-mcp-header __proto__ constructor toString"
).split(" ");
const STRINGS = [
  "",
  "object",
  "array",
  "string",
  "integer",
  "null",
  "constructor",
  "#",
  "#/$defs/a",
  "#/properties/%",
  "a.b",
];
const SCALARS = [null, true, false, 0, -1, 1.5, 2 ** 53, 1e308];

/** A JSON value, as `JSON.parse` gives it; objects have many of the keys that lint reads. */
export function anyJson(random: () => number, depth = 5): unknown {
  return JSON.parse(textOf(random, depth));
}

function textOf(random: () => number, depth: number): string {
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];
  const kind = random();
  if (depth === 0 || kind < 0.15) return JSON.stringify(pick(SCALARS));
  if (kind < 0.35) return JSON.stringify(random() < 0.7 ? pick(STRINGS) : anyText(random));
  const members = Array.from({ length: Math.floor(random() * 6) }, () => textOf(random, depth - 1));
  if (kind < 0.5) return `[${members.join(",")}]`;
  return `{${members.map((member) => `${JSON.stringify(pick(KEYS))}:${member}`).join(",")}}`;
}

const anyText = (random: () => number): string =>
  String.fromCharCode(...Array.from({ length: Math.floor(random() * 20) }, () => Math.floor(random() * 65_536)));
