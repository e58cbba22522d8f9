import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { lintRegistration, lintTool } from "../../src/lint/lint-tool.ts";
import { CLIENTS, type Level } from "../../src/lint/verdict.ts";
import { builtinTools } from "../../src/tools/builtin/catalog.ts";
import { placesOf, QUIET, rulesOf, withInput, withProperty } from "./definitions.ts";
import { ROWS } from "./rule-table.ts";

describe("a rule", () => {
  it.each(ROWS)("for %s, %s, lets one pass and not the other", (client, rule, good, bad, path, level) => {
    expect({ good: placesOf(good, client, rule), bad: placesOf(bad, client, rule) }).toEqual({
      good: [],
      bad: [[path, level]],
    });
  });

  it("has nothing against a plain definition but that strict mode wants more", () => {
    expect(rulesOf(lintTool(QUIET))).toEqual(["info openai strict-additional"]);
  });

  it("says nothing twice: five places, and how many more", () => {
    const count = LIMITS.lintPlaces + 3;
    const properties = Object.fromEntries(letters(count).map((name) => [name, { type: "array" }]));
    const verdicts = lintTool(withInput({ properties })).filter(({ client }) => client === "vscode");
    expect(verdicts.map(({ path }) => path)).toEqual(
      letters(LIMITS.lintPlaces).map((name) => `/inputSchema/properties/${name}/items`),
    );
    expect(verdicts.map(({ message }) => message.includes("The same in 3 more places."))).toEqual([
      ...numbers(LIMITS.lintPlaces - 1).map(() => false),
      true,
    ]);
  });

  it("tells the worst first", () => {
    const levels = lintTool({ name: "a b" }).map(({ level }) => level);
    expect(levels).toEqual(levels.toSorted((a, b) => RANKS.indexOf(a) - RANKS.indexOf(b)));
    expect(new Set(levels)).toEqual(new Set(RANKS));
  });
});

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const letters = (count: number) => numbers(count).map((index) => `v${index}`);
const RANKS: Level[] = ["error", "warning", "info"];

describe("sizes", () => {
  it.each(["title", "annotations", "inputSchema", "outputSchema"])("bound %s, and so the work", (part) => {
    const sized = (chars: number) => ({ ...QUIET, [part]: { type: "object", title: "x".repeat(chars - 28) } });
    expect(JSON.stringify(sized(100)[part as "title"]).length).toBe(100);
    const places = (chars: number) => placesOf(sized(chars), "all", "size");
    expect([places(LIMITS.schemaChars), places(LIMITS.schemaChars + 1)]).toEqual([[], [[`/${part}`, "error"]]]);
  });
});

describe("registration", () => {
  it("is refused for what no client takes, and warned of the rest", () => {
    const { refused, warnings } = lintRegistration({ ...withProperty({ type: "array" }), name: "a b" });
    expect(rulesOf(refused)).toEqual(["error all name-characters"]);
    expect(rulesOf(warnings)).toEqual([
      "error openai array-items",
      "error vscode array-items",
      "warning gemini array-items",
      "info openai strict-additional",
    ]);
  });

  it.each([
    [{ allowDots: true }, ["error claude name-dots", "error openai name-dots"]],
    [{}, ["error all name-dots"]],
  ])("with %j", (context, rules) => {
    const { refused, warnings } = lintRegistration({ ...QUIET, name: "a.b" }, context);
    expect(rulesOf([...refused, ...warnings]).filter((rule) => rule.startsWith("error"))).toEqual(rules);
  });
});

it("has nothing to refuse or warn of in the tools that come along", () => {
  const verdicts = builtinTools
    .flatMap(({ definition }) => lintTool(definition))
    .filter(({ level }) => level !== "info");
  expect(rulesOf(verdicts)).toEqual([]);
});

it("knows the clients that it speaks of", () => {
  const verdicts = lintTool({
    name: "a.b",
    allowDots: true,
    inputSchema: { properties: { a: { type: ["array", "null"] } } },
  });
  expect(new Set(verdicts.map(({ client }) => client))).toEqual(new Set(["all", ...CLIENTS]));
});
