// `npm run schema-suite -- FOLDER`: the required tests of the official suite, from a checkout of JSON-Schema-Test-Suite,
// which no package ships. Exits 1 unless all pass but for those that `exclusions.ts` names.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compileSchema } from "../../../../src/tools/json-schema/compile-schema.ts";
import { EXCLUSIONS } from "./exclusions.ts";

interface Group {
  description: string;
  schema: Record<string, unknown> | boolean;
  tests: { description: string; data: unknown; valid: boolean }[];
}

const DRAFTS = [
  { draft: "draft2020-12", $schema: "https://json-schema.org/draft/2020-12/schema" },
  { draft: "draft7", $schema: "http://json-schema.org/draft-07/schema#" },
];

const folder = process.argv[2];
if (folder === undefined) throw new Error("expected the folder of a checkout of JSON-Schema-Test-Suite");

for (const { draft, $schema } of DRAFTS) {
  const counts = { passed: 0, excluded: 0, failed: 0 };
  for (const file of readdirSync(join(folder, "tests", draft)).filter((name) => name.endsWith(".json"))) {
    const groups: Group[] = JSON.parse(readFileSync(join(folder, "tests", draft, file), "utf8"));
    for (const group of groups) {
      const reason = EXCLUSIONS[draft]?.[file]?.[group.description];
      const failures = failuresOf(group, $schema, reason !== undefined);
      for (const failure of failures) console.log(`${draft} ${file}: ${group.description}: ${failure}`);
      counts.failed += failures.length;
      counts[reason === undefined ? "passed" : "excluded"] += group.tests.length - failures.length;
    }
  }
  console.log(`${draft}: ${counts.passed} passed, ${counts.failed} failed, ${counts.excluded} excluded`);
  if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1;
}

/** What goes otherwise than the suite says, or than the exclusion says: that the schema is refused. */
function failuresOf({ schema, tests }: Group, $schema: string, isExcluded: boolean): string[] {
  // A tool's schema is an object.
  const root = typeof schema === "boolean" ? { allOf: [schema] } : schema;
  let validate;
  try {
    validate = compileSchema({ $schema, ...root });
  } catch (error) {
    return isExcluded ? [] : tests.map(() => String(error));
  }
  if (isExcluded) return tests.map(() => "is no longer to be excluded");
  return tests.flatMap(({ description, data, valid }) => {
    const outcome = validate(data);
    const isTold = outcome.ok || outcome.issues.length > 0;
    return outcome.ok === valid && isTold ? [] : [`${description}: expected ${valid ? "a fit" : "issues"}`];
  });
}
