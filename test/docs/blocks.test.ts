// What else the pages hold: JSON parses, TOML is what wrangler would read, code compiles against the project and the packages
// that it names, links lead somewhere, and what is made of the code is as the code is.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { transform } from "esbuild";
import { describe, expect, test } from "vitest";
import { experimental_readRawConfig as readRawConfig } from "wrangler";
import { copyProject, makeFolder } from "../cli/project-copy.ts";
import { LIMITS_PAGE, renderLimits, toText } from "./limits-page.ts";
import { commandsOf, isFound, linksOf, readPages, ROOT } from "./pages.ts";

const pages = readPages();
const blocks = pages.flatMap(({ path, blocks }) => blocks.map((block) => ({ ...block, at: `${path}:${block.line}` })));
const inLanguage = (language: string) => blocks.filter((block) => block.language === language);

/** A package that is only spoken of. */
const NOT_OURS = /from "agents\//;

test("all pages are read, and every block says what it is", () => {
  expect(pages.length).toBeGreaterThan(20);
  expect(blocks.filter(({ language, text }) => language === "" && !/^(https:|src\/\n)/.test(text))).toEqual([]);
});

test.each(inLanguage("json"))("JSON at $at parses", ({ text }) => {
  expect(() => JSON.parse(text) as unknown).not.toThrow();
});

test.each(inLanguage("toml"))("TOML at $at parses", ({ text }) => {
  const file = join(makeFolder(), "block.toml");
  writeFileSync(file, text);
  expect(readRawConfig({ config: file }).rawConfig).not.toEqual({});
});

test("TypeScript keeps to the types of the project and of the packages", () => {
  const folder = copyProject();
  const files = inLanguage("ts").flatMap(({ text, at }, index) => {
    if (NOT_OURS.test(text)) return [];
    const path = /^\/\/ (src\/\S+\.ts)\n/.exec(text)?.[1] ?? `clients/example-${index}.ts`;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    return [`${path} is ${at}`];
  });
  copyFileSync(join(ROOT, "tsconfig.json"), join(folder, "tsconfig.json"));
  // The SDK's own types of version 1 don't keep to that.
  const forClients = { compilerOptions: { exactOptionalPropertyTypes: false }, include: ["."], exclude: [] };
  writeFileSync(join(folder, "clients/tsconfig.json"), JSON.stringify({ extends: "../tsconfig.json", ...forClients }));
  expect(files.length).toBeGreaterThan(8);
  expect([typeErrors(folder, "."), typeErrors(folder, "clients")], files.join("\n")).toEqual(["", ""]);
}, 60_000);

function typeErrors(folder: string, project: string): string {
  try {
    return execFileSync("node_modules/.bin/tsc", ["-p", project], { cwd: folder, encoding: "utf8" });
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  }
}

test.each(inLanguage("ts").filter(({ text }) => NOT_OURS.test(text)))(
  "the code at $at is TypeScript",
  async ({ text }) => {
    expect((await transform(text, { loader: "ts" })).code).not.toBe("");
  },
);

test.each(pages)("the links of $path lead somewhere", (page) => {
  const broken = linksOf(page).filter((link) => !isFound(link));
  expect(broken.map(({ target }) => target)).toEqual([]);
});

test("docs/limits.md is as the record is (npm run docs:limits)", () => {
  expect(readFileSync(LIMITS_PAGE, "utf8")).toBe(renderLimits());
});

const WRITES = /(?:> ?|--out |tools save |audit export )([\w./-]+\.\w+)/g;
/** Public, and published from a repository. */
const PUBLIC = ["server.json"];

test("what the pages have one write in a clone is not in the way of a commit", () => {
  const ignored = readFileSync(join(ROOT, ".gitignore"), "utf8").match(/^\/.*$/gm) ?? [];
  const isIgnored = (file: string): boolean =>
    ignored.some((line) =>
      new RegExp(`^${line.replace("*", "[^/]*")}${line.endsWith("/") ? "" : "$"}`).test(`/${file}`),
    );
  const written = inLanguage("sh").flatMap(({ text }) => Array.from(text.matchAll(WRITES), ([, file = ""]) => file));
  expect(written.length).toBeGreaterThan(8);
  expect(written.filter((file) => !isIgnored(file) && !PUBLIC.includes(file))).toEqual([]);
});

test.each([
  ["bodyBytes", 1_048_576, "1 MiB"],
  ["oddBytes", 1_000, "1,000 B"],
  ["idChars", 256, "256 characters"],
  ["someChars", 65_536, "64 Ki characters"],
  ["keepAliveMs", 25_000, "25 s"],
  ["publishDelayMs", 200, "200 ms"],
  ["auditPruneMs", 21_600_000, "6 h"],
  ["keyOverlapSeconds", 2_592_000, "30 d"],
  ["ttlJitterShare", 0.2, "20 %"],
  ["quotaAheadShare", 20, "20"],
  ["perMinuteMax", 1_000_000, "1,000,000"],
])("%s of %d is told as %s", (name, value, told) => {
  expect(toText(name, value)).toBe(told);
});

describe("a shell block", () => {
  test("is taken apart into commands with all their lines", () => {
    const here = "cat > a.json <<'END'\n{ \"it's\": 1 }\nEND";
    const block = [here, "one --with 'a\nb' # it's one", "two \\\n  more", ""].join("\n");
    expect(commandsOf(block)).toEqual([here, "one --with 'a\nb' # it's one", "two \\\n  more"]);
  });

  test("must not end in the middle of one", () => {
    expect(() => commandsOf("echo 'open")).toThrow("does not end");
  });
});
