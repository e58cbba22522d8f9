import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { isJsonObject } from "../../src/lib/json-value.ts";
import { lintCatalogue } from "../../src/lint/lint-catalogue.ts";
import { lintTool } from "../../src/lint/lint-tool.ts";
import { projectSchema } from "../../src/lint/project-schema.ts";
import { CLIENTS } from "../../src/lint/verdict.ts";
import { walkSchema } from "../../src/lint/walk-schema.ts";
import { anyJson, createRandom } from "./any-json.ts";
import { QUIET } from "./definitions.ts";
import { atOnce } from "../support/at-once.ts";

const SEEDS = Array.from({ length: 1_000 }, (_, seed) => seed);
const VERDICT = {
  client: expect.toSatisfy((client) => ["all", ...CLIENTS].includes(client as "all")),
  path: expect.stringMatching(/^(\/|$)/),
  rule: expect.stringMatching(/^[a-z-]+$/),
  level: expect.stringMatching(/^(error|warning|info)$/),
  message: expect.stringMatching(/\S$/),
};

describe("of any JSON", () => {
  it("lint makes verdicts, a bounded number of them, and the same again", () => {
    for (const seed of SEEDS) {
      const value = anyJson(createRandom(seed));
      const definition = seed % 2 === 0 ? value : { ...QUIET, inputSchema: value };
      const verdicts = lintTool(definition);
      expect(verdicts, String(seed)).toEqual(verdicts.map(() => VERDICT));
      expect(verdicts.length, String(seed)).toBeLessThan(60 * LIMITS.lintPlaces);
      expect(lintTool(definition), String(seed)).toEqual(verdicts);
    }
  });

  it("a projection has an object's root and breaks none of the client's rules on schemas", () => {
    for (const seed of SEEDS) {
      const schema = anyJson(createRandom(seed), 6);
      if (!isJsonObject(schema)) continue;
      for (const client of CLIENTS) {
        const before = JSON.stringify(schema);
        const { schema: projected } = projectSchema(schema, client);
        expect(JSON.stringify(schema)).toBe(before);
        expect(projected).toMatchObject({ type: "object", properties: expect.toSatisfy(isJsonObject) });
        const broken = lintTool({ ...QUIET, inputSchema: projected })
          .filter((verdict) => verdict.client === client && verdict.level !== "info")
          .map(({ rule }) => rule)
          .filter((rule) => !LEFT.includes(rule));
        expect(broken, `${client} ${seed}`).toEqual([]);
      }
    }
  });
});

// Names of arguments can't be changed, Claude takes references, and types that are none are no type of any draft.
const LEFT = ["property-name", "reference", "older-draft"];

describe("what is as large as can be", () => {
  it.each([
    ["a list", "[".repeat(400_000) + "]".repeat(400_000)],
    ["a schema", '{"not":'.repeat(100_000) + "{}" + "}".repeat(100_000)],
    ["a definition", '{"inputSchema":'.repeat(50_000) + "{}" + "}".repeat(50_000)],
  ])("ends: the nesting of %s", (_, text) => {
    const value: unknown = JSON.parse(text);
    for (const definition of [value, { ...QUIET, inputSchema: value }, { ...QUIET, annotations: value }]) {
      expect(lintTool(definition).some(({ level }) => level === "error")).toBe(true);
    }
    expect(atOnce(lintCatalogue([{ ...QUIET, outputSchema: value }])).some(({ rule }) => rule === "size")).toBe(true);
  });

  it("ends: a schema as deep as its size allows", () => {
    const levels = Math.floor((LIMITS.schemaChars - 42) / '{"not":}'.length);
    const schema = JSON.parse(
      '{"type":"object","properties":{},"not":' + '{"not":'.repeat(levels) + "{}" + "}".repeat(levels + 1),
    ) as object;
    const nodes = Array.from(walkSchema(schema, ""));
    expect([nodes.length, nodes.at(-1)?.path.length]).toEqual([levels + 2, (levels + 1) * "/not".length]);
    expect(lintTool({ ...QUIET, inputSchema: schema }).map(({ rule }) => rule)).not.toContain("size");
  });

  it.each([
    ["a million items", JSON.stringify(Array.from({ length: 300_000 }, () => 0))],
    ["a million members", `{${Array.from({ length: 100_000 }, (_, index) => `"k${index}":{}`).join(",")}}`],
    ["a long text", JSON.stringify("http://a?".repeat(100_000))],
  ])("ends: %s", (_, text) => {
    const value: unknown = JSON.parse(text);
    for (const part of ["name", "title", "description", "annotations", "inputSchema", "outputSchema"]) {
      expect(lintTool({ ...QUIET, [part]: value }).some(({ level }) => level === "error")).toBe(true);
    }
  });

  it("ends: references that multiply, and some without end", () => {
    const names = Array.from({ length: 30 }, (_, index) => `d${index}`);
    const $defs = Object.fromEntries(
      names.map((name, index) => [
        name,
        { type: "object", properties: { a: { $ref: `#/$defs/d${index + 1}` }, b: { $ref: `#/$defs/d${index + 1}` } } },
      ]),
    );
    const multiplied = projectSchema({ type: "object", properties: { x: { $ref: "#/$defs/d0" } }, $defs }, "gemini");
    expect(Array.from(walkSchema(multiplied.schema, "")).length).toBeLessThanOrEqual(LIMITS.subschemas * 3);
    expect(multiplied.losses.map(({ message }) => message)).toContain("Too deep or too much to be told.");
    const self = projectSchema({ type: "object", properties: { x: { $ref: "#" } } }, "gemini");
    expect(self).toEqual({
      schema: {
        type: "object",
        properties: { x: { type: "object", properties: { x: { type: "object" } } } },
      },
      losses: [{ path: "/properties/x/properties/x", message: 'What "#" stands for is not told.' }],
    });
  });
});
