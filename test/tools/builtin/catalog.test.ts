import { describe, expect, test } from "vitest";
import { builtinTools } from "../../../src/tools/builtin/catalog.ts";

describe.each(builtinTools.map(({ definition }) => [definition.name, definition] as const))("%s", (_, definition) => {
  test("says what it is, with a description on every property", () => {
    const { title, annotations, inputSchema } = definition;
    expect({ title, readOnly: annotations?.readOnlyHint }).toEqual({
      title: expect.any(String),
      readOnly: expect.any(Boolean),
    });
    const properties = Object.values(inputSchema["properties"] as Record<string, { description?: string }>);
    expect(properties.filter(({ description }) => !description)).toEqual([]);
    expect(inputSchema["additionalProperties"]).toBe(false);
  });
});
