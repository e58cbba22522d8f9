import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { importOpenApi as importInTurns } from "../../src/openapi/import-openapi.ts";
import { Work } from "../../src/openapi/work.ts";
import { importOpenApi } from "./import-at-once.ts";
import { branchingDocument, cyclicDocument } from "./large-documents.ts";

const { importOperationSteps, importSteps, importTurnSteps } = LIMITS;
const TOO_LONG = `it takes more than ${importOperationSteps} steps to convert`;
const NO_MORE = `the import has taken its ${importSteps} steps already: import the document in parts, by tags or paths`;

describe("work", () => {
  it("is an operation's up to its limit, and the next one's anew", () => {
    const work = new Work();
    work.spend(importOperationSteps - 1);
    work.spend(1);
    expect(() => work.spend(1)).toThrow(TOO_LONG);
    work.beginOperation();
    work.spend(importOperationSteps);
    expect(() => work.spend(1)).toThrow(TOO_LONG);
  });

  it("is a whole import's up to its limit, and then no more", () => {
    const work = new Work();
    const whole = Math.floor(importSteps / importOperationSteps);
    for (let operation = 0; operation < whole; operation++) {
      work.beginOperation();
      work.spend(importOperationSteps);
    }
    work.beginOperation();
    work.spend(importSteps - whole * importOperationSteps);
    expect(() => work.spend(1)).toThrow(NO_MORE);
    work.beginOperation();
    expect(() => work.spend(1)).toThrow(NO_MORE);
  });

  it("is long once a turn of it is done, and again after the next", () => {
    const work = new Work();
    const told = [importTurnSteps - 1, 1, importTurnSteps - 1, 1].map((steps) => {
      work.spend(steps);
      return work.isLong();
    });
    expect(told).toEqual([false, true, false, true]);
  });

  it("on a value is counted by its members and texts, on its outside by two levels", () => {
    const work = new Work();
    const value = { a: [1, 2, { b: "x".repeat(512) }], c: {} };
    expect([work.sizeOf(value), work.sizeOf(value), work.widthOf(value)]).toEqual([9, 9, 6]);
  });
});

const many = <T>(count: number, item: (at: number) => T) => Array.from({ length: count }, (_, at) => item(at));

/** A document with one operation that so many paths have. */
const share = (paths: number, operation: object) => ({
  openapi: "3.1.0",
  info: { title: "Shared" },
  servers: [{ url: "https://shared.example" }],
  components: {
    pathItems: { I: { get: operation } },
    parameters: { P: { name: "p", in: "query", schema: { type: "string" } } },
  },
  paths: Object.fromEntries(many(paths, (at) => [`/${at}`, { $ref: "#/components/pathItems/I" }])),
});

it.each<[string, object]>([
  ["tags", { tags: many(20_000, (at) => `t${at}`) }],
  ["parameters", { parameters: many(5_000, () => ({ $ref: "#/components/parameters/P" })) }],
  ["responses", { responses: Object.fromEntries(many(20_000, (at) => [`x${at}`, {}])) }],
  ["alternatives of security", { security: many(20_000, () => ({ none: [] })) }],
  ["items of a default", { parameters: [{ name: "p", in: "query", schema: { default: many(200_000, () => 0) } }] }],
])("many %s that many paths share are looked at as often as there are steps for", (_, operation) => {
  const { tools, skipped } = importOpenApi(share(500, operation));
  expect([tools.length + skipped.length, skipped.at(-1)?.reason]).toEqual([500, NO_MORE]);
});

// Each would keep a regular expression that tries again at every character busy for minutes.
it("long runs of one character are looked at once", () => {
  const long = { operationId: `${"_".repeat(300_000)}a`, description: `${" ".repeat(300_000)}x` };
  const { tools } = importOpenApi(share(1, long));
  expect(tools.map(({ name }) => name)).toEqual(["a"]);
  const servers = [{ url: `https://x.example/${"/".repeat(300_000)}x` }];
  expect(importOpenApi(share(1, { servers })).skipped).toEqual([
    {
      operation: "GET /0",
      reason: expect.stringMatching(/^no valid tool record: source.url: expected at most 8192 characters, received /),
    },
  ]);
});

it.each([
  ["cyclic", cyclicDocument(200, 400)],
  ["branching", branchingDocument(80)],
])("%s references are worked out once for all operations, in many turns", (_, document) => {
  const work = importInTurns(document);
  let turns = 0;
  for (let turn = work.next(); ; turn = work.next()) {
    turns++;
    if (turn.done !== true) continue;
    expect(turn.value.skipped).toEqual([]);
    break;
  }
  expect(turns).toBeGreaterThan(10);
});

it("a document without end has its operations made until the steps are taken, and the others told why", () => {
  const { skipped, tools } = importOpenApi(branchingDocument(600, { schemas: 600, branches: 12 }), {
    outputSchemas: "on",
  });
  expect(tools.length).toBeGreaterThan(0);
  expect(skipped.at(-1)).toEqual({ operation: "POST /599", reason: NO_MORE });
});

it.each([
  ["cyclic", cyclicDocument(12, 20)],
  ["branching", branchingDocument(12, { schemas: 12, branches: 3 })],
])("what %s references become is the same, whichever operations came before", (_, document) => {
  const together = importOpenApi(document, { outputSchemas: "on" }).tools;
  const alone = together.flatMap(
    ({ operation }) =>
      importOpenApi(document, { outputSchemas: "on", includePaths: [operation.slice("POST ".length)] }).tools,
  );
  expect(alone).toEqual(together);
});
