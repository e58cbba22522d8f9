import { expect, it } from "vitest";
import type { ImportedApi } from "../../src/openapi/import-openapi.ts";
import { importOpenApi } from "./import-at-once.ts";
import { planImport, type ExistingTool } from "../../src/openapi/plan-import.ts";
import type { ToolRecord } from "../../src/tools/tool-record.ts";

const importThings = (summaries: Record<string, string>): ImportedApi =>
  importOpenApi({
    openapi: "3.1.0",
    info: { title: "Things" },
    servers: [{ url: "https://things.example" }],
    paths: Object.fromEntries(
      Object.entries(summaries).map(([id, summary]) => [`/${id}`, { get: { operationId: id, summary } }]),
    ),
  });

const recordOf = ({ tools }: ImportedApi, name: string): ToolRecord => {
  const tool = tools.find((tool) => tool.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool.record;
};

/** What a catalogue holds after an import into an empty one. */
const stored = (imported: ImportedApi): ExistingTool[] => planImport([], imported).create;

it("creates all tools in an empty catalogue, and finds them unchanged at the next import", () => {
  const imported = importThings({ a: "A", b: "B" });
  expect(planImport([], imported)).toEqual({
    create: imported.tools.map(({ name, record }) => ({ name, record })),
    update: [],
    remove: [],
    unchanged: [],
    conflicts: [],
  });
  const again = planImport(stored(imported), importThings({ b: "B", a: "A" }));
  expect(again).toEqual({ create: [], update: [], remove: [], unchanged: ["b", "a"], conflicts: [] });
});

it("updates what changed, creates what is new, and names what went away", () => {
  const next = importThings({ b: "B, but better", c: "C", a: "A" });
  expect(planImport(stored(importThings({ a: "A", b: "B", old: "Old" })), next)).toEqual({
    create: [{ name: "c", record: recordOf(next, "c") }],
    update: [{ name: "b", record: recordOf(next, "b") }],
    remove: ["old"],
    unchanged: ["a"],
    conflicts: [],
  });
});

it("leaves tools alone that it did not make", () => {
  const imported = importThings({ a: "A", b: "B", c: "C" });
  const { origin: _, ...own } = recordOf(imported, "b");
  const other = { ...recordOf(imported, "c"), origin: "openapi:others" };
  const existing = [
    { name: "a" },
    { name: "b", record: own },
    { name: "c", record: other },
    { name: "d", record: other },
  ];
  expect(planImport(existing, imported)).toEqual({
    create: [],
    update: [],
    remove: [],
    unchanged: [],
    conflicts: ["a", "b", "c"],
  });
});

it("keeps what an operator set", () => {
  const settings = { enabled: false, timeoutMs: 5_000, sanitize: false };
  const before = importThings({ a: "A", b: "B" });
  const existing = stored(before).map(({ name, record }) => ({
    name,
    record: { ...record, ...settings } as ToolRecord,
  }));
  const next = importThings({ a: "A", b: "New" });
  expect(planImport(existing, next)).toMatchObject({
    update: [{ name: "b", record: { ...recordOf(next, "b"), ...settings } }],
    unchanged: ["a"],
  });
});
