import { describe, expect, test } from "vitest";
import { builtinTools } from "../../../src/tools/builtin/catalog.ts";

test("holds the tools in name order", () => {
  const names = builtinTools.map(({ definition }) => definition.name);
  expect(names).toEqual(["calculate", "current_time", "fetch_page", "qr_code", "tone"]);
  expect(names).toEqual([...names].sort());
});

describe.each(builtinTools.map(({ definition }) => [definition.name, definition] as const))("%s", (_, definition) => {
  test("says what it is, with a description on every property", () => {
    const { title, description, icons, annotations, inputSchema } = definition;
    expect({ title, description, icons, readOnly: annotations?.readOnlyHint }).toEqual({
      title: expect.any(String),
      description: expect.stringContaining("Example: {"),
      icons: [{ src: expect.stringMatching(/^data:image\/svg\+xml,/), mimeType: "image/svg+xml", sizes: ["any"] }],
      readOnly: true,
    });
    const properties = Object.values(inputSchema["properties"] as Record<string, { description?: string }>);
    expect(properties.filter(({ description }) => !description)).toEqual([]);
    expect(inputSchema["additionalProperties"]).toBe(false);
  });
});
