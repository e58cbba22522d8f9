// For each keyword of each dialect, values that keep it and values that break it.

// oxlint-disable unicorn/no-thenable -- it is JSON Schema's word

import { BOTH_DIALECTS, given, type Cases, type KeywordCase } from "./keyword-cases.ts";

const ONLY_2020_12: Cases = {
  prefixItems: [
    given(
      { prefixItems: [{ type: "integer" }, { type: "string" }] },
      [[], [1], [1, "a"], [1, "a", null], {}],
      [["a"], [1, 2]],
    ),
    given({ prefixItems: [true], items: { type: "integer" } }, [["a", 1]], [["a", "b"]]),
    given({ prefixItems: [{}, {}], items: false }, [[1], [1, 2]], [[1, 2, 3]]),
  ],
  contains: [
    given(
      { contains: { const: 1 }, minContains: 2 },
      [
        [1, 1],
        [1, 2, 1],
      ],
      [[], [1], [2, 2]],
    ),
    given({ contains: { const: 1 }, maxContains: 1 }, [[1], [1, 2]], [[1, 1], [2], []]),
    given({ contains: { const: 1 }, minContains: 0 }, [[], [2]], []),
    given({ contains: { const: 1 }, minContains: 0, maxContains: 1 }, [[], [1]], [[1, 1]]),
    given({ minContains: 3, maxContains: 0 }, [[], [1]], []),
  ],
  dependentRequired: [
    given(
      { dependentRequired: { a: ["b", "c"], d: [] } },
      [{}, { b: 1 }, { a: 1, b: 2, c: 3 }, { d: 1 }, ["a"]],
      [{ a: 1 }, { a: 1, b: 2 }],
    ),
  ],
  dependentSchemas: [
    given(
      { dependentSchemas: { a: { properties: { b: { type: "integer" } } }, c: false } },
      [{}, { b: "x" }, { a: 1, b: 2 }],
      [{ a: 1, b: "x" }, { c: 1 }],
    ),
  ],
  $anchor: [
    given({ $defs: { x: { $anchor: "here", type: "integer" } }, items: { $ref: "#here" } }, [[1]], [["a"]]),
    given({ $defs: { x: { $dynamicAnchor: "here", type: "integer" } }, items: { $ref: "#here" } }, [[1]], [["a"]]),
    given(
      {
        $id: "https://a.example/",
        $defs: { x: { $id: "b", $defs: { y: { $anchor: "c", type: "integer" } } }, z: { $anchor: "c", type: "null" } },
        properties: { x: { $ref: "b#c" }, z: { $ref: "#c" } },
      },
      [{ x: 1, z: null }],
      [{ x: null }, { z: 1 }],
    ),
  ],
  "$ref with others beside it": [
    given({ $defs: { x: { minimum: 1 } }, $ref: "#/$defs/x", maximum: 2 }, [1, 2], [0, 3]),
  ],
  unevaluatedProperties: [
    given({ properties: { a: {} }, unevaluatedProperties: false }, [{}, { a: 1 }, []], [{ b: 1 }]),
    given({ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, [{ a: 1 }], [{ a: 1, b: 2 }]),
    given({ unevaluatedProperties: { type: "string" } }, [{ a: "x" }], [{ a: 1 }]),
    given(
      {
        anyOf: [
          { properties: { a: { const: 1 } }, required: ["a"] },
          { properties: { b: {} }, required: ["b"] },
        ],
        unevaluatedProperties: false,
      },
      [{ a: 1 }, { b: 1 }, { a: 1, b: 1 }],
      [
        { a: 2, b: 1 },
        { a: 1, c: 1 },
      ],
    ),
    given(
      {
        if: { properties: { kind: { const: "a" } }, required: ["kind"] },
        then: { properties: { x: {} } },
        else: { properties: { y: {} } },
        unevaluatedProperties: false,
      },
      [{ kind: "a", x: 1 }, { y: 1 }],
      [{ kind: "a", y: 1 }, { kind: "b" }, { x: 1 }],
    ),
    given(
      { $defs: { o: { properties: { a: {} } } }, $ref: "#/$defs/o", unevaluatedProperties: false },
      [{ a: 1 }],
      [{ b: 1 }],
    ),
    given(
      { dependentSchemas: { a: { properties: { b: {} } } }, properties: { a: {} }, unevaluatedProperties: false },
      [{ a: 1, b: 2 }],
      [{ b: 2 }],
    ),
    given({ allOf: [{ unevaluatedProperties: true }], unevaluatedProperties: false }, [{ a: 1 }], []),
    given({ allOf: [{ additionalProperties: true }], unevaluatedProperties: false }, [{ a: 1 }], []),
    given({ patternProperties: { "^x": {} }, unevaluatedProperties: false }, [{ xa: 1 }], [{ a: 1 }]),
    given({ not: { properties: { a: {} }, required: ["zz"] }, unevaluatedProperties: false }, [{}], [{ a: 1 }]),
    given(
      {
        oneOf: [
          { properties: { a: {} }, required: ["a"] },
          { properties: { b: {} }, required: ["b"] },
        ],
        unevaluatedProperties: false,
      },
      [{ a: 1 }, { b: 1 }],
      [{ a: 1, c: 1 }],
    ),
  ],
  unevaluatedItems: [
    given({ prefixItems: [{}], unevaluatedItems: false }, [[], [1], {}], [[1, 2]]),
    given({ items: {}, unevaluatedItems: false }, [[1, 2]], []),
    given(
      { allOf: [{ prefixItems: [{}, {}] }], prefixItems: [{}], unevaluatedItems: { type: "null" } },
      [
        [1, 2],
        [1, 2, null],
      ],
      [[1, 2, 3]],
    ),
    given({ contains: { const: 1 }, unevaluatedItems: { type: "string" } }, [[1, "a", 1]], [[1, 2], ["a"]]),
    given(
      { anyOf: [{ prefixItems: [{ const: 1 }] }, { prefixItems: [{}, { const: 2 }] }], unevaluatedItems: false },
      [[1], [0, 2]],
      [
        [1, 3],
        [1, 2, 3],
      ],
    ),
    given({ allOf: [{ unevaluatedItems: true }], unevaluatedItems: false }, [[1]], []),
  ],
  "keywords of draft-07": [given({ additionalItems: false, dependencies: { a: ["b"] } }, [[1], { a: 1 }], [])],
};

const ONLY_DRAFT_07: Cases = {
  items: [
    given({ items: [{ type: "integer" }, { type: "string" }] }, [[], [1], [1, "a", null], {}], [["a"], [1, 2]]),
    given({ items: [{}], additionalItems: { type: "integer" } }, [["a", 1]], [["a", "b"]]),
    given({ items: [{}, {}], additionalItems: false }, [[1, 2]], [[1, 2, 3]]),
    given({ items: {}, additionalItems: false }, [[1, 2]], []),
    given({ additionalItems: false }, [[1, 2]], []),
  ],
  dependencies: [
    given(
      { dependencies: { a: ["b"], c: { properties: { d: { type: "integer" } } }, e: false } },
      [{}, { a: 1, b: 2 }, { c: 1, d: 2 }, { d: "x" }, ["a"]],
      [{ a: 1 }, { c: 1, d: "x" }, { e: 1 }],
    ),
  ],
  "$ref, which stands alone": [
    given({ definitions: { x: { minimum: 1 } }, allOf: [{ $ref: "#/definitions/x", maximum: 2 }] }, [1, 3], [0]),
  ],
  $id: [given({ definitions: { x: { $id: "#here", type: "integer" } }, items: { $ref: "#here" } }, [[1]], [["a"]])],
  "keywords of 2020-12": [
    given(
      {
        prefixItems: [false],
        dependentRequired: { a: ["b"] },
        unevaluatedProperties: false,
        minContains: 5,
        contains: true,
      },
      [[1], { a: 1 }],
      [],
    ),
  ],
};

export interface DialectCases {
  keyword: string;
  dialect: "2020-12" | "draft-07";
  cases: readonly KeywordCase[];
}

export const DIALECT_CASES: readonly DialectCases[] = [
  ...casesOf("2020-12", BOTH_DIALECTS),
  ...casesOf("2020-12", ONLY_2020_12),
  ...casesOf("draft-07", BOTH_DIALECTS),
  ...casesOf("draft-07", ONLY_DRAFT_07),
];

function casesOf(dialect: DialectCases["dialect"], cases: Cases): DialectCases[] {
  return Object.entries(cases).map(([keyword, list]) => ({ keyword, dialect, cases: list }));
}

/** The schema as its dialect has it. */
export const inDialect = (dialect: DialectCases["dialect"], schema: object): Record<string, unknown> =>
  dialect === "2020-12" ? { ...schema } : { $schema: "http://json-schema.org/draft-07/schema#", ...schema };
