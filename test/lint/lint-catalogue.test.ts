import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { lintCatalogue } from "../../src/lint/lint-catalogue.ts";
import type { Client, Level } from "../../src/lint/verdict.ts";
import { QUIET } from "./definitions.ts";
import { atOnce, countTurns } from "../support/at-once.ts";

const list = (count: number) => Array.from({ length: count }, (_, index) => ({ ...QUIET, name: `t${index}` }));

const ofList = (definitions: readonly unknown[], rule: string) =>
  atOnce(lintCatalogue(definitions))
    .filter((verdict) => verdict.rule === rule)
    .map(({ client, level, path, tool }) => ({ client, level, path, tool }));

describe("a list", () => {
  it.each<[Client, number, Level]>([
    ["cursor", 80, "warning"],
    ["vscode", 128, "error"],
    ["openai", 128, "error"],
    ["gemini", 512, "error"],
  ])("of %s has a number of tools at most: %i", (client, tools, level) => {
    const told = (count: number) => ofList(list(count), "tool-count").filter((verdict) => verdict.client === client);
    expect([told(tools), told(tools + 1)]).toEqual([[], [{ client, level, path: "", tool: undefined }]]);
  });

  it("has a second page, which some don't read", () => {
    expect(ofList(list(LIMITS.listPageItems), "second-page")).toEqual([]);
    expect(ofList(list(LIMITS.listPageItems + 1), "second-page")).toEqual(
      ["claude", "openai", "vscode"].map((client) => ({ client, level: "error", path: "", tool: undefined })),
    );
  });

  it("has a name once", () => {
    expect(ofList([QUIET, { ...QUIET, name: "other" }], "name-twice")).toEqual([]);
    const twice = { client: "all", level: "error", path: "/name", tool: QUIET.name };
    expect(ofList([QUIET, QUIET, QUIET], "name-twice")).toEqual([twice, twice]);
  });

  it("costs tokens", () => {
    // 4.5 bytes a token, and as many as the limit in all.
    const bytes = LIMITS.lintListTokens * 4.5;
    const definition = { ...QUIET, description: "x".repeat(4_000) };
    const few = Math.floor(bytes / JSON.stringify(definition).length);
    const fill = (count: number) => Array.from({ length: count }, () => definition);
    const told = { client: "claude", level: "info", path: "", tool: undefined };
    expect([ofList(fill(few), "list-size"), ofList(fill(few + 1), "list-size")]).toEqual([[], [told]]);
  });

  it("tells whose definition is meant, by its place where it has no name", () => {
    const definitions = [{ ...QUIET, description: "" }, { ...QUIET, name: 7 }, null];
    const told = atOnce(lintCatalogue(definitions)).filter(({ level }) => level === "error");
    expect(told.map(({ tool, client, rule }) => [tool, client, rule])).toEqual([
      [QUIET.name, "vscode", "description-missing"],
      ["#1", "all", "name-characters"],
      ["#2", "all", "definition"],
    ]);
  });

  it("may be empty", () => {
    expect(atOnce(lintCatalogue([]))).toEqual([]);
  });
});

it("a catalogue is gone through in turns of so many characters", () => {
  const large = { ...QUIET, description: "x".repeat(LIMITS.turnChars / 2) };
  expect([0, 1, 2, 4].map((count) => countTurns(lintCatalogue(Array.from({ length: count }, () => large))))).toEqual([
    1, 1, 2, 3,
  ]);
});
