// With an interpreter that passes the whole official suite.

import { describe, expect, it } from "vitest";
import ZSchema from "z-schema";
import { checkSchema } from "../../../src/tools/json-schema/check-schema.ts";
import { compileSchema } from "../../../src/tools/json-schema/compile-schema.ts";
import { inDialect, DIALECT_CASES, type DialectCases } from "./dialect-cases.ts";
import { randomFrom, randomSchema, randomValue } from "./random-schema.ts";

const VERSIONS = { "2020-12": "draft2020-12", "draft-07": "draft-07" } as const;
const SCHEMAS = 100;
const VALUES = 20;

function createTheirs(dialect: DialectCases["dialect"], schema: object): (value: unknown) => boolean {
  const validator = ZSchema.create({ version: VERSIONS[dialect], safe: true, formatAssertions: false });
  return (value) => validator.validate(value, schema).valid;
}

/** Where it asserts what its dialect does not: one dialect's keywords in the other, and `contentEncoding`. */
const THEIR_OWN = ["annotations", "keywords of draft-07", "keywords of 2020-12"];

describe("z-schema", () => {
  it.each(DIALECT_CASES.filter(({ keyword }) => !THEIR_OWN.includes(keyword)))(
    "agrees on $keyword of $dialect",
    ({ dialect, cases }) => {
      for (const { schema, fits, breaks } of cases) {
        const outcomes = [...fits, ...breaks].map(createTheirs(dialect, inDialect(dialect, schema)));
        expect({ schema, outcomes }).toEqual({
          schema,
          outcomes: [...fits.map(() => true), ...breaks.map(() => false)],
        });
      }
    },
  );

  it.each([1, 2, 3, 4])("agrees on schemas and values made up from %i", (seed) => {
    const random = randomFrom(seed);
    const counts = { fits: 0, breaks: 0 };
    for (let made = 0; made < SCHEMAS; made++) {
      const schema = randomSchema(random);
      expect({ schema, refusal: checkSchema(schema, "output") }).toEqual({ schema, refusal: undefined });
      const [ours, theirs] = [compileSchema(schema), createTheirs("2020-12", schema)];
      for (let tried = 0; tried < VALUES; tried++) {
        const value = randomValue(random);
        const fits = theirs(value);
        counts[fits ? "fits" : "breaks"]++;
        const outcome = ours(value);
        expect({ schema, value, fits: outcome.ok }).toEqual({ schema, value, fits });
        if (!outcome.ok) expect(outcome.issues.length).toBeGreaterThan(0);
      }
    }
    expect(Math.min(counts.fits, counts.breaks)).toBeGreaterThan((SCHEMAS * VALUES) / 5);
  });
});
