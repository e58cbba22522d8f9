// For each keyword of both dialects, values that keep it and values that break it.

// oxlint-disable unicorn/no-thenable -- it is JSON Schema's word

export interface KeywordCase {
  schema: Record<string, unknown>;
  fits: unknown[];
  breaks: unknown[];
}

export type Cases = Readonly<Record<string, readonly KeywordCase[]>>;

export const given = (schema: Record<string, unknown>, fits: unknown[], breaks: unknown[]): KeywordCase => ({
  schema,
  fits,
  breaks,
});

/** What an object made from JSON text has, and one made by a literal has not. */
const parsed = (text: string): unknown => JSON.parse(text);

const KINDS = [null, true, 1, 1.5, "a", [], {}];
const except = (...left: unknown[]): unknown[] =>
  KINDS.filter((kind) => !left.some((value) => JSON.stringify(value) === JSON.stringify(kind)));

/** The same in both dialects. */
export const BOTH_DIALECTS: Cases = {
  type: [
    given({ type: "null" }, [null], except(null)),
    given({ type: "boolean" }, [true, false], except(true)),
    given({ type: "integer" }, [0, -1, 1, 2 ** 60, 1e300], except(1)),
    given({ type: "number" }, [0, 1.5, -1], except(1, 1.5)),
    given({ type: "string" }, ["", "a"], except("a")),
    given({ type: "array" }, [[], [1]], except([])),
    given({ type: "object" }, [{}, { a: 1 }], except({})),
    given({ type: ["string", "null"] }, ["a", null], except("a", null)),
    given({ type: ["integer", "string"] }, [1, "1"], [1.5, true]),
  ],
  enum: [
    given({ enum: [1, "a", null, false] }, [1, "a", null, false], ["1", "A", 0, true, [], {}]),
    given({ enum: [{ a: 1, b: [2] }] }, [{ b: [2], a: 1 }], [{ a: 1 }, { a: 1, b: [2], c: 3 }, { a: 1, b: [3] }, "x"]),
    given({ enum: [[1, 2]] }, [[1, 2]], [[2, 1], [1, 2, 3], [], "[1,2]"]),
    given({ enum: ["[1]", '{"a":1}', '"b'] }, ["[1]", '{"a":1}', '"b'], [[1], { a: 1 }, "b"]),
  ],
  const: [
    given({ const: 0 }, [0, -0], [false, null, "", "0", 1]),
    given({ const: false }, [false], [0, null, "", []]),
    given({ const: null }, [null], [0, false, ""]),
    given({ const: { a: false } }, [{ a: false }], [{ a: 0 }, {}, { a: [false] }]),
    given({ const: [false] }, [[false]], [[0], [[false]], []]),
    given({ const: { a: [1, { b: "c" }] } }, [{ a: [1, { b: "c" }] }], [{ a: [1, { b: "d" }] }]),
    given({ const: "a\u0000b" }, ["a\u0000b"], ["ab"]),
  ],
  minimum: [given({ minimum: 1.5 }, [1.5, 2, "0", null], [1.4, -3])],
  exclusiveMinimum: [given({ exclusiveMinimum: 1 }, [1.0001, 2, "0"], [1, 0])],
  maximum: [given({ maximum: 3 }, [3, 2.9, -1, "9"], [3.1, 4])],
  exclusiveMaximum: [given({ exclusiveMaximum: 3 }, [2.9, "9"], [3, 4])],
  multipleOf: [
    given({ multipleOf: 2 }, [4, 0, -2, "3"], [3, 1.5]),
    given({ multipleOf: 1.5 }, [0, 4.5, -3], [2, 35]),
    given({ multipleOf: 0.01 }, [4.35, 0.07, 19.99, 1], [4.355, 0.001]),
    given({ multipleOf: 1e-8 }, [12391239123, 1], [1.5e-9]),
  ],
  minLength: [given({ minLength: 2 }, ["ab", "abc", "😀😀", 1, null], ["", "a", "😀"])],
  maxLength: [given({ maxLength: 2 }, ["", "ab", "😀😀", "\ud83dx", 100], ["abc", "😀😀😀", "\ud83d\ud83d\ud83d"])],
  pattern: [
    given({ pattern: "^[a-z]+$" }, ["a", "abc", 1, null], ["", "A", "a1"]),
    given({ pattern: "b" }, ["b", "abc"], ["", "ac"]),
    given({ pattern: String.raw`^\p{Lu}` }, ["Éa", "A"], ["é", "1"]),
    given({ pattern: "^😀*$" }, ["😀😀", ""], ["😀\ud83d"]),
  ],
  required: [
    given({ required: ["a"] }, [{ a: null }, { a: 1, b: 2 }, [], "x", 3], [{}, { b: 1 }]),
    given({ required: [] }, [{}], []),
    given(
      { required: ["__proto__", "toString", "constructor"] },
      [parsed('{"__proto__":1,"toString":2,"constructor":3}'), 1],
      [{}, parsed('{"__proto__":1}')],
    ),
  ],
  properties: [
    given(
      { properties: { a: { type: "integer" }, b: {} } },
      [{}, { a: 1 }, { b: [] }, { c: "x" }, [], 5],
      [{ a: "x" }],
    ),
    given({ properties: { a: false, b: true } }, [{}, { b: 1 }], [{ a: 1 }]),
    given(
      { properties: parsed('{"__proto__":{"type":"number"},"toString":{"properties":{"length":{"type":"string"}}}}') },
      [{}, parsed('{"__proto__":1}'), { toString: { length: "x" } }],
      [parsed('{"__proto__":"x"}'), { toString: { length: 1 } }],
    ),
    given({ properties: { 'a"b\\c/d~e\n': { type: "number" } } }, [{ 'a"b\\c/d~e\n': 1 }], [{ 'a"b\\c/d~e\n': "x" }]),
  ],
  patternProperties: [
    given(
      { patternProperties: { "^x": { type: "integer" } } },
      [{}, { x: 1, y: "a" }, [], "x"],
      [{ x: "a" }, { xy: 1.5 }],
    ),
    given(
      { patternProperties: { a: { minimum: 1 }, "^b|c$": false } },
      [{ a: 1 }, { cb: 1 }],
      [{ za: 0 }, { b: 1 }, { ac: 1 }],
    ),
  ],
  additionalProperties: [
    given({ properties: { a: {} }, additionalProperties: false }, [{}, { a: 1 }, [1], "b"], [{ b: 1 }, { a: 1, b: 2 }]),
    given({ additionalProperties: { type: "boolean" } }, [{}, { a: true }], [{ a: 1 }]),
    given(
      { properties: { a: {} }, patternProperties: { "^v": {} }, additionalProperties: false },
      [{ a: 1, vroom: 2 }],
      [{ quux: "boom" }],
    ),
    given(
      { additionalProperties: false },
      [{}],
      [parsed('{"__proto__":1}'), { constructor: 1 }, { hasOwnProperty: 1 }],
    ),
    given({ allOf: [{ properties: { a: {} } }], additionalProperties: { type: "boolean" } }, [{ a: true }], [{ a: 1 }]),
  ],
  propertyNames: [
    given({ propertyNames: { maxLength: 2 } }, [{}, { ab: 1 }, ["abc"]], [{ abc: 1 }]),
    given({ propertyNames: false }, [{}, 1], [{ a: 1 }]),
    given({ propertyNames: { enum: ["a", "b"] } }, [{ a: 1, b: 2 }], [{ a: 1, c: 2 }]),
  ],
  minProperties: [given({ minProperties: 1 }, [{ a: 1 }, [], ""], [{}])],
  maxProperties: [given({ maxProperties: 1 }, [{}, { a: 1 }, [1, 2]], [{ a: 1, b: 2 }])],
  items: [
    given({ items: { type: "integer" } }, [[], [1, 2], { 0: "a" }, "a"], [["a"], [1, "a"]]),
    given({ items: false }, [[], {}], [[1]]),
    given({ items: { items: { type: "string" } } }, [[["a"], []], ["a"]], [[["a"], [1]]]),
  ],
  minItems: [given({ minItems: 1 }, [[1], {}, ""], [[]])],
  maxItems: [given({ maxItems: 1 }, [[], [1], "ab"], [[1, 2]])],
  uniqueItems: [
    given(
      { uniqueItems: true },
      [[], [1, 2], [1, true], [0, false], ["1", 1], [{ a: 1 }, { a: 2 }], [[1], "[1]"], "aa"],
      [
        [1, 1],
        [1, 2, 1],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        [[[1]], [[1]]],
        ["a", "a"],
        [null, null],
        [{ a: { b: [1] } }, { a: { b: [1] } }],
      ],
    ),
    given({ uniqueItems: false }, [[1, 1]], []),
  ],
  contains: [
    given({ contains: { minimum: 5 } }, [[3, 5], [5], {}, 1], [[], [1, 4]]),
    given({ contains: true }, [["a"]], [[]]),
    given({ contains: false }, [1], [[], ["a"]]),
  ],
  allOf: [
    given({ allOf: [{ type: "integer" }, { minimum: 2 }] }, [2], [1, 2.5, "x"]),
    given({ allOf: [true, false] }, [], [1, null]),
  ],
  anyOf: [
    given({ anyOf: [{ type: "integer" }, { minimum: 2 }] }, [1, 2.5, "x"], [1.5]),
    given({ anyOf: [false, false] }, [], ["x"]),
  ],
  oneOf: [
    given({ oneOf: [{ type: "integer" }, { minimum: 2 }] }, [1, 2.5], [3, 1.5]),
    given({ oneOf: [true, true, false] }, [], ["x"]),
    given(
      { oneOf: [{ required: ["a", "b"] }, { required: ["a", "c"] }] },
      [
        { a: 1, b: 2 },
        { a: 1, c: 3 },
      ],
      [{ a: 1, b: 2, c: 3 }, {}],
    ),
  ],
  not: [
    given({ not: { type: ["integer", "boolean"] } }, ["x"], [1, true]),
    given({ not: {} }, [], [1, null]),
    given({ not: { not: { type: "string" } } }, ["a"], [1]),
    given({ properties: { a: { not: {} } } }, [{ b: 1 }], [{ a: 1 }]),
  ],
  if: [
    given({ if: { exclusiveMaximum: 0 }, then: { minimum: -10 }, else: { multipleOf: 2 } }, [-1, 4], [-100, 3]),
    given({ if: { const: 0 }, then: { const: 1 } }, ["x"], [0]),
    given({ if: { const: 0 }, else: { const: 1 } }, [0, 1], ["x"]),
    given({ then: { const: 0 }, else: { const: 1 } }, ["x"], []),
    given({ if: { const: 0 } }, [0, 1], []),
  ],
  $ref: [
    given(
      { properties: { a: { $ref: "#" } }, additionalProperties: false },
      [{ a: { a: {} } }],
      [{ a: { b: 1 } }, { b: 1 }],
    ),
    given({ $defs: { n: { type: "integer" } }, items: { $ref: "#/$defs/n" } }, [[1]], [["a"]]),
    given(
      { definitions: { "a/b~c%": { type: "integer" } }, items: { $ref: "#/definitions/a~1b~0c%25" } },
      [[1]],
      [["a"]],
    ),
    given({ items: { $ref: "#/x-own/inner" }, "x-own": { inner: { type: "integer" } } }, [[1]], [["a"]]),
    given(
      {
        $defs: { node: { properties: { next: { $ref: "#/$defs/node" }, value: { type: "number" } } } },
        properties: { list: { $ref: "#/$defs/node" } },
      },
      [{ list: { value: 1, next: { value: 2, next: {} } } }],
      [{ list: { next: { next: { value: "x" } } } }],
    ),
    given({ properties: { $ref: { type: "string" } } }, [{ $ref: "a" }], [{ $ref: 2 }]),
  ],
  $id: [
    given(
      {
        $id: "https://a.example/root.json",
        properties: { a: { $ref: "item.json" }, b: { $ref: "https://a.example/root.json#/$defs/x" } },
        $defs: { x: { $id: "item.json", type: "integer" } },
      },
      [{ a: 1, b: 2 }],
      [{ a: "x" }, { b: "x" }],
    ),
    given(
      {
        $id: "urn:uuid:00000000-0000-4000-8000-000000000000",
        items: { $ref: "#/$defs/x" },
        $defs: { x: { type: "null" } },
      },
      [[null]],
      [[1]],
    ),
  ],
  format: [given({ format: "email" }, ["not one", "a@b.example", 1], []), given({ format: "regex" }, ["(", "("], [])],
  annotations: [
    given(
      {
        title: "T",
        description: "D",
        default: 1,
        examples: [1],
        $comment: "c",
        "x-mcp-header": "X",
        contentEncoding: "base64",
      },
      [1, "%"],
      [],
    ),
    given({ const: { $id: "x", $ref: "#/nowhere" } }, [{ $id: "x", $ref: "#/nowhere" }], [{}]),
  ],
};
