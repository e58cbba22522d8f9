// JSON that nobody would write, and JSON that is nearly right.

import * as fc from "fast-check";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

const ODD_TEXTS = [
  "",
  " ",
  "__proto__",
  "constructor",
  "toString",
  "\u0000",
  "\u001b[2J\u001b]8;;http://evil.example\u0007",
  "\u{e0041}\u{e0042}\u{e007f}",
  "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
  "\u{1f469}\u200d\u{1f4bb}",
  "\u202eabc\u202c",
  "a\u200bb",
  "\ud800",
  "\udc00\ud800",
  "\u2028\u2029\u0085",
  "a\r\nX-Admin: 1",
  'x\n\nevent: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n',
  "../../etc/passwd",
  "%2e%2e%2f",
  "..;/",
  "{{secret:FUZZ_TOKEN}}",
  "{a}",
  "-0",
  "1e999",
  "null",
  "<img src=x onerror=alert(1)>",
  "' OR 1=1 --",
];

/** Text of every sort: plain, any code point, known trouble, and long. */
export const oddText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 10 }) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
  { weight: 4, arbitrary: fc.constantFrom(...ODD_TEXTS) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom("a", "é", "\u202e", "%", "(a+)+"), fc.constantFrom(64, 65, 128, 256, 257, 1_025, 5_000))
      .map(([part, times]) => part.repeat(times)),
  },
);

const scalar: fc.Arbitrary<Json> = fc.oneof(
  oddText,
  fc.constantFrom<Json>(null, true, false, 0, -0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, 5e-324),
  fc.integer({ min: -1_000, max: 1_000 }),
);

/** Objects own what they are made of, a member named `__proto__` included. */
export const objectOf = (value: fc.Arbitrary<Json>, most = 4): fc.Arbitrary<JsonObject> =>
  fc.array(fc.tuple(oddText, value), { maxLength: most }).map((members) => Object.fromEntries(members));

export const oddJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 5, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(tie("value"), { maxLength: 4 }) },
    { weight: 2, arbitrary: objectOf(tie("value")) },
  ),
})).value;

export interface Change {
  at: number;
  change: "drop" | "replace" | "rename" | "wrap" | "add";
  value: Json;
  name: string;
}

const changeOf: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(10_000),
  change: fc.constantFrom("drop", "replace", "rename", "wrap", "add"),
  value: oddJson,
  name: oddText,
});

/** A few of them, to be applied to a value that is made apart: values that depend on others are slow to make. */
export const changes = (least: number): fc.Arbitrary<Change[]> =>
  fc.array(changeOf, { minLength: least, maxLength: 2 });

/** A value with parts of it changed. */
export function applyChanges(from: Json, list: readonly Change[]): Json {
  if (list.length === 0) return from;
  const root: [Json] = [structuredClone(from)];
  for (const change of list) applyChange(root, change);
  return root[0];
}

/** A value with up to two of its parts changed. */
export const nearly = (value: fc.Arbitrary<Json>, least = 1): fc.Arbitrary<Json> =>
  fc.tuple(value, changes(least)).map(([from, list]) => applyChanges(from, list));

/** Mostly what is right, now and then what is odd: one in `share`. */
export const seldom = <A, B>(right: fc.Arbitrary<A>, odd: fc.Arbitrary<B>, share = 30): fc.Arbitrary<A | B> =>
  fc.oneof({ weight: share - 1, arbitrary: right }, { weight: 1, arbitrary: odd });

type Holder = Json[] | JsonObject;

function applyChange(root: [Json], { at, change, value, name }: Change): void {
  const places = placesIn(root);
  const [holder, key] = places[at % places.length] ?? [root, 0];
  const holding = holder as Record<string | number, Json>;
  const before = holding[key] ?? null;
  if (change === "replace") set(holding, key, value);
  else if (change === "wrap") set(holding, key, [before]);
  else if (change === "drop" && holder !== root) delete holding[key];
  else if (change === "rename" && !Array.isArray(holder)) {
    delete holding[key];
    set(holding, name, before);
  } else if (before !== null && typeof before === "object" && !Array.isArray(before)) set(before, name, value);
}

/** By definition: an assignment to `__proto__` would make no member. */
function set(holder: object, key: string | number, value: Json): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

function placesIn(holder: Holder): [Holder, string | number][] {
  const keys = Array.isArray(holder) ? holder.keys().toArray() : Object.keys(holder);
  return keys.flatMap((key): [Holder, string | number][] => {
    const value = (holder as Record<string | number, Json>)[key];
    return [[holder, key], ...(typeof value === "object" && value !== null ? placesIn(value) : [])];
  });
}

interface Damage {
  at: number;
  change: "delete" | "insert" | "cut" | "double";
  text: string;
}

export const damages: fc.Arbitrary<Damage[]> = fc.array(
  fc.record({
    at: fc.nat(100_000),
    change: fc.constantFrom("delete", "insert", "cut", "double"),
    text: fc.constantFrom('"', "{", "}", "[", "]", ",", ":", "\\", "\\u12", "\u0000", "\ufeff", "1", "-", "é", "//"),
  }),
  { minLength: 1, maxLength: 3 },
);

/** JSON text that was damaged on its way. */
export const damageText = (from: string, list: readonly Damage[]): string =>
  list.reduce((sofar, change) => damage(sofar, change), from);

function damage(text: string, { at, change, text: what }: Damage): string {
  const place = at % (text.length + 1);
  if (change === "delete") return text.slice(0, place) + text.slice(place + 1);
  if (change === "insert") return text.slice(0, place) + what + text.slice(place);
  if (change === "cut") return text.slice(0, place);
  return text.slice(0, place) + text.slice(Math.max(0, place - 20));
}
