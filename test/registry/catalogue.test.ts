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

  it("makes a tool of a row when it is looked at, and no earlier", () => {
    const record = { description: "a", inputSchema: "{}", source: { kind: "http", method: "GET", url: "" } } as const;
    const rows = ["x", "y", "z"].map((name) => ({ name, enabled: name !== "z", record }));
    const made: string[] = [];
    const { byName } = buildCatalogue(1, [], rows, ({ name }, isKept) => {
      made.push(`${name} ${isKept}`);
      return name === "x" ? tool(name) : undefined;
    });
    const before = [...made];
    const [x, y, z] = ["x", "y", "z"].map((name) => byName.get(name));
    expect([before, x?.definition?.name, x?.tool?.name, y?.tool, z, made]).toEqual([
      [],
      "x",
      "x",
      undefined,
      undefined,
      ["x false", "x true", "y true"],
    ]);
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
