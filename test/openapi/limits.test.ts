import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { importOpenApi } from "./import-at-once.ts";
import { importOperation } from "./one-operation.ts";

const importJson = (schema: object, schemas: object = {}) =>
  importOperation(
    { requestBody: { required: true, content: { "application/json": { schema } } } },
    { method: "post", components: { schemas } },
  );

const fields = (count: number, schema: object) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, schema]));

/** Objects in each other, the innermost with an enum. */
const nest = (levels: number): object =>
  levels === 0 ? { enum: ["deep"] } : { type: "object", properties: { in: nest(levels - 1) }, required: ["in"] };

const documentOf = (operations: number) => ({
  openapi: "3.1.0",
  info: { title: "Many" },
  servers: [{ url: "https://many.example" }],
  paths: Object.fromEntries(Array.from({ length: operations }, (_, n) => [`/${n}`, { get: {} }])),
});

describe("levels of a schema", () => {
  // The tool's schema is the first level, an argument the second.
  it("are kept to the limit", () => {
    const schema = nest(LIMITS.schemaDepth - 1);
    expect(importJson(schema)).toMatchObject({ arguments: { in: nest(LIMITS.schemaDepth - 2) }, notes: [] });
  });

  it("are cut beyond it, with a note", () => {
    const imported = importJson(nest(LIMITS.schemaDepth));
    expect(imported.notes).toEqual([`its input schema is cut below level ${LIMITS.schemaDepth}`]);
    expect(JSON.stringify(imported.arguments)).not.toContain("deep");
  });

  it("beyond it are not shut where nothing is named any more", () => {
    const shut = { type: "object", properties: { a: {} }, additionalProperties: false, required: ["a"] };
    const at = (levels: number): object =>
      levels === 0 ? shut : { type: "object", properties: { in: at(levels - 1) }, additionalProperties: false };
    expect(JSON.stringify(importJson(at(LIMITS.schemaDepth - 1)).arguments)).toContain(
      '{"type":"object","required":["a"]}',
    );
  });
});

describe("subschemas", () => {
  it("are all kept up to the limit", () => {
    const most = LIMITS.subschemas - 3;
    const imported = importJson({ type: "object", properties: fields(most, {}) });
    expect(Object.keys(imported.arguments ?? {})).toHaveLength(most);
  });

  it("beyond it cost what lies deepest", () => {
    const wide = { type: "object", properties: fields(LIMITS.subschemas, {}) };
    const imported = importJson({ type: "object", properties: { wide } });
    expect(imported).toMatchObject({
      arguments: { wide: { type: "object" } },
      notes: ["its input schema is cut below level 2"],
    });
    expect(importJson(wide)).toEqual({
      reason: `its input schema is none that tools may have: expected at most ${LIMITS.subschemas} subschemas`,
    });
  });

  it("that are used often are moved, when copies would be too many", () => {
    const schemas = { Big: { type: "object", properties: fields(400, { type: "string" }) } };
    const big = { $ref: "#/components/schemas/Big" };
    expect(importJson({ type: "object", properties: { a: big, b: big } }, schemas)).toMatchObject({
      arguments: { a: { type: "object" }, b: { type: "object" } },
      defs: undefined,
    });
    expect(importJson({ type: "object", properties: { a: big, b: big, c: big } }, schemas)).toMatchObject({
      arguments: { a: { $ref: "#/$defs/Big" }, b: { $ref: "#/$defs/Big" }, c: { $ref: "#/$defs/Big" } },
      defs: { Big: schemas.Big },
      notes: [],
    });
  });

  it("may not grow without end in schemas that hold themselves", () => {
    const self = { $ref: "#/components/schemas/Wide" };
    const schemas = { Wide: { type: "object", properties: fields(300, self) } };
    expect(importJson({ type: "object", properties: { a: self } }, schemas)).toMatchObject({
      arguments: { a: { $ref: "#/$defs/Wide" } },
      notes: [],
    });
    const wider = { Wide: { type: "object", properties: fields(1_200, self) } };
    expect(importJson({ type: "object", properties: { a: self } }, wider)).toMatchObject({
      arguments: { a: { type: "object" } },
      notes: ["its input schema is cut below level 2"],
    });
  });
});

it("texts give way when a schema is too long", () => {
  const description = "x".repeat(LIMITS.importTextChars);
  const imported = importJson({ type: "object", properties: fields(100, { description }) });
  const short = { description: `${"x".repeat(199)}…` };
  expect(imported).toMatchObject({ arguments: fields(100, short) });
});

it("allOf is looked through to its limit", () => {
  const within = (levels: number): object =>
    levels === 0 ? { type: "object", properties: { a: {} } } : { allOf: [within(levels - 1)] };
  expect(importJson(within(LIMITS.importAllOfDepth))).toMatchObject({ arguments: { a: {} } });
  expect(importJson(within(LIMITS.importAllOfDepth + 1))).toMatchObject({ body: "{body}" });
});

const chain = (hops: number) =>
  Object.fromEntries(
    Array.from({ length: hops }, (_, n) => [
      `S${n}`,
      n === 0 ? { type: "object", properties: { a: {} } } : { $ref: `#/components/schemas/S${n - 1}` },
    ]),
  );

const last = (hops: number) => importJson({ $ref: `#/components/schemas/S${hops - 1}` }, chain(hops));

it("references to references are followed to the limit", () => {
  expect(last(LIMITS.importRefHops)).toMatchObject({ arguments: { a: {} } });
  expect(last(LIMITS.importRefHops + 1)).toEqual({ reason: "a $ref that leads in circles" });
});

describe("a document", () => {
  it("makes as many tools as a catalogue takes", () => {
    const { tools, skipped } = importOpenApi(documentOf(LIMITS.importTools + 1));
    expect({ tools: tools.length, skipped }).toEqual({
      tools: LIMITS.importTools,
      skipped: [{ operation: `GET /${LIMITS.importTools}`, reason: `${LIMITS.importTools} tools are made already` }],
    });
  });

  it("has no more operations than can be looked at", () => {
    const { tools, skipped } = importOpenApi(documentOf(LIMITS.importOperations), { includePaths: ["/7"] });
    expect([tools.length, skipped.length]).toEqual([1, LIMITS.importOperations - 1]);
    expect(() => importOpenApi(documentOf(LIMITS.importOperations + 1))).toThrow(
      `expected at most ${LIMITS.importOperations} operations, received ${LIMITS.importOperations + 1}`,
    );
  });

  it("makes no more records than a change takes", () => {
    const content = {
      "application/json": { schema: { type: "object", properties: fields(120, { description: "x".repeat(500) }) } },
    };
    const { paths, ...rest } = documentOf(150);
    const large = Object.fromEntries(Object.keys(paths).map((path) => [path, { post: { requestBody: { content } } }]));
    const { tools, skipped } = importOpenApi({ ...rest, paths: large });
    const chars = tools.reduce((sum, { record }) => sum + JSON.stringify(record).length, 0);
    const one = chars / tools.length;
    expect(chars).toBeLessThanOrEqual(LIMITS.importRecordChars);
    expect(chars + one).toBeGreaterThan(LIMITS.importRecordChars);
    expect(skipped[0]?.reason).toBe(`records together are limited to ${LIMITS.importRecordChars} characters`);
  });
});
