import { describe, expect, it } from "vitest";
import { checkSchema } from "../../../src/tools/json-schema/check-schema.ts";
import { compileSchema } from "../../../src/tools/json-schema/compile-schema.ts";
import { inDialect, DIALECT_CASES } from "./dialect-cases.ts";

describe("compileSchema", () => {
  it.each(DIALECT_CASES)("knows $keyword of $dialect", ({ dialect, cases }) => {
    for (const { schema, fits, breaks } of cases) {
      const named = inDialect(dialect, schema);
      expect({ schema, refusal: checkSchema(named, "output") }).toEqual({ schema, refusal: undefined });
      const validate = compileSchema(named);
      for (const value of fits) expect({ schema, got: validate(value) }).toEqual({ schema, got: { ok: true, value } });
      const broken = breaks.filter((value) => !validate(value).ok);
      expect({ schema, broken }).toEqual({ schema, broken: breaks });
    }
  });

  it("says at least one thing of every value that breaks a rule", () => {
    const silent = DIALECT_CASES.flatMap(({ dialect, cases }) =>
      cases.flatMap(({ schema, breaks }) => {
        const validate = compileSchema(inDialect(dialect, schema));
        return breaks.filter((value) => {
          const outcome = validate(value);
          return !outcome.ok && outcome.issues.length === 0;
        });
      }),
    );
    expect(silent).toEqual([]);
  });
});
