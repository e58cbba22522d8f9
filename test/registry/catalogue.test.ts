import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { applyPatch, buildCatalogue, defaultRow, describeTool } from "../../src/registry/catalogue.ts";
import { defineTool } from "../../src/tools/define-tool.ts";

const tool = (name: string) =>
  defineTool({ name, description: name, annotations: { readOnlyHint: true }, input: v.object({}), run: () => name });

describe("catalogue", () => {
  it("holds the enabled tools in the order of their names", () => {
    const rows = [
      { name: "b", enabled: false },
      { name: "gone", enabled: true },
    ];
    const { version, tools, byName } = buildCatalogue(
      3,
      [tool("c"), tool("b"), tool("a"), tool("B")],
      rows,
      () => undefined,
    );
    expect({ version, names: tools.map(({ name }) => name) }).toEqual({ version: 3, names: ["B", "a", "c"] });
    expect(byName.get("b")).toBeUndefined();
  });

  it("lays an operator's annotations over the tool's own", () => {
    const row = { ...defaultRow("a"), annotations: { destructiveHint: false } };
    expect(describeTool(tool("a"), row).annotations).toEqual({ readOnlyHint: true, destructiveHint: false });
  });
});

describe("applyPatch", () => {
  it("keeps what the patch does not name", () => {
    const row = { name: "a", enabled: true, annotations: { title: "A" } };
    expect(applyPatch(row, { enabled: false })).toEqual({ ...row, enabled: false });
    expect(applyPatch(row, { annotations: { readOnlyHint: true } })).toEqual({
      ...row,
      annotations: { title: "A", readOnlyHint: true },
    });
  });

  it("is nothing when nothing changes", () => {
    expect(applyPatch(defaultRow("a"), { enabled: true })).toBeUndefined();
    expect(applyPatch(defaultRow("a"), {})).toBeUndefined();
  });
});
