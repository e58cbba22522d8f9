import { describe, expect, it, onTestFinished } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import type { RowChange } from "../../src/registry/registry-contract.ts";
import { RowTable } from "../../src/registry/row-table.ts";

const row = (name: string, version: number): RowChange => ({ name, version, row: { name, enabled: true } });
const gone = (name: string, version: number): RowChange => ({ name, version, row: null });
const names = (table: RowTable): string[] => table.rows().map(({ name }) => name);

describe("RowTable", () => {
  it("starts with all rows, then takes what changed", () => {
    const table = new RowTable();
    expect(table.apply({ v: 1, version: 3, rows: [row("a", 1), row("b", 3)] })).toBe(true);
    expect(table.apply({ v: 1, version: 5, since: 3, rows: [gone("a", 4), row("c", 5)] })).toBe(true);
    expect([table.version, names(table)]).toEqual([5, ["b", "c"]]);
  });

  it("takes nothing that is older, or that builds on what it does not have", () => {
    const table = new RowTable();
    table.apply({ v: 1, version: 3, rows: [row("a", 1)] });
    expect(table.apply({ v: 1, version: 2, rows: [row("old", 2)] })).toBe(false);
    expect(table.apply({ v: 1, version: 3 })).toBe(false);
    expect(table.apply({ v: 1, version: 9, since: 5, rows: [row("z", 9)] })).toBe(false);
    expect([table.version, names(table)]).toEqual([3, ["a"]]);
  });

  it("tells readers what changed since, all of it to who is too far behind, nothing to who has it", () => {
    const table = new RowTable();
    table.apply({ v: 1, version: 3, rows: [row("a", 1), row("b", 3)] });
    table.apply({ v: 1, version: 5, since: 3, rows: [gone("a", 4), row("c", 5)] });
    expect(table.since(5)).toEqual({ v: 1, version: 5 });
    expect(table.since(4)).toEqual({ v: 1, version: 5, since: 4, rows: [row("c", 5)] });
    expect(table.since(3)).toEqual({ v: 1, version: 5, since: 3, rows: [gone("a", 4), row("c", 5)] });
    const all = { v: 1, version: 5, rows: [row("b", 3), row("c", 5)] };
    expect([table.since(2), table.since(-1), table.since(7)]).toEqual([all, all, all]);
  });

  it("forgets the oldest marks, and answers who is behind those with all", () => {
    const limits = LIMITS as { deletedTools: number };
    const before = limits.deletedTools;
    onTestFinished(() => void (limits.deletedTools = before));
    limits.deletedTools = 2;
    const table = new RowTable();
    table.apply({ v: 1, version: 1, rows: [row("kept", 1)] });
    table.apply({ v: 1, version: 4, since: 1, rows: [gone("a", 2), gone("b", 3), gone("c", 4)] });
    expect(table.since(2)).toEqual({ v: 1, version: 4, since: 2, rows: [gone("b", 3), gone("c", 4)] });
    expect(table.since(1)).toEqual({ v: 1, version: 4, rows: [row("kept", 1)] });
  });
});
