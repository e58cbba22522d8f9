import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { shortenText, viewTool } from "../../src/server/found-tool.ts";
import type { JsonSchema } from "../../src/tools/define-tool.ts";

const view = (inputSchema: JsonSchema, description = "Reads.") => viewTool({ name: "read", description, inputSchema });

/** A schema whose JSON has so many characters. */
function schemaOf(chars: number, type: string | object = "string"): JsonSchema {
  const schema = { type: "object", properties: { id: { type, enum: [""] } }, required: ["id"] };
  schema.properties.id.enum = ["x".repeat(chars - JSON.stringify(schema).length)];
  return schema;
}

describe("a description", () => {
  it.each([
    [LIMITS.searchDescriptionChars, false],
    [LIMITS.searchDescriptionChars + 1, true],
  ])("of %i characters is cut: %s", (chars, isCut) => {
    const { description } = view({ type: "object" }, "d".repeat(chars));
    expect([description.length, description.endsWith("…")]).toEqual([LIMITS.searchDescriptionChars, isCut]);
  });

  it.each([
    [LIMITS.searchTextChars, false],
    [LIMITS.searchTextChars + 1, true],
  ])("of %i characters of an argument is cut: %s", (chars, isCut) => {
    const argument = { type: "string", description: "d".repeat(chars), enum: ["x".repeat(LIMITS.searchSchemaChars)] };
    const { inputSchema } = view({ type: "object", properties: { a: argument } });
    const { a } = inputSchema["properties"] as { a: { description: string } };
    expect([a.description.length, a.description.endsWith("…")]).toEqual([LIMITS.searchTextChars, isCut]);
  });
});

describe("a schema", () => {
  it("is told as it is up to a length, but for its dialect", () => {
    const schema = schemaOf(LIMITS.searchSchemaChars);
    expect(view({ $schema: "https://json-schema.org/draft/2020-12/schema", ...schema })).toEqual({
      name: "read",
      description: "Reads.",
      inputSchema: schema,
    });
  });

  it("is told by its properties beyond", () => {
    expect(view(schemaOf(LIMITS.searchSchemaChars + 1)).inputSchema).toEqual({
      type: "object",
      properties: { id: { type: "string" } },
      required: ["id"],
    });
  });

  it("is told by what it requires, or by its type, when even that is long", () => {
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`property${index}`, {}]));
    const required = Object.keys(properties);
    const all = [
      view({ type: "object", properties, required: ["property1"] }),
      view({ type: "object", properties, required }),
    ];
    expect(all.map(({ inputSchema }) => inputSchema)).toEqual([
      { type: "object", required: ["property1"] },
      { type: "object" },
    ]);
  });
});

it.each([
  ["one two three", 13, "one two three"],
  ["one two three", 12, "one two…"],
  ["onetwothree", 8, "onetwot…"],
])("shortens %j to %i characters", (given, chars, shortened) => {
  expect(shortenText(given, chars)).toBe(shortened);
});
