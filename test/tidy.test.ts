// The house rules that the linter has no word for: who may import whom, and what files may be called.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { LIMITS } from "../src/lib/limits.ts";
import { SERVER } from "../src/protocol/server-info.ts";

const SRC = join(import.meta.dirname, "../src");

/** Highest first: a file imports values only from its own folder or from folders further down. */
const LAYERS = [
  "index",
  "compose",
  "objects",
  "cli",
  "console",
  "http",
  "sessions",
  "server",
  "registry",
  "openapi",
  "lint",
  "tools",
  "keys",
  "secrets",
  "audit",
  "protocol",
  "sanitize",
  "telemetry",
  "lib",
  "env",
];

// A word that says nothing of what a file is for.
const EMPTY_NAMES = /\b(utils?|helpers?|common|shared|misc|managers?|services?|handlers?)\b/;

interface Import {
  file: string;
  from: string;
  typeOnly: boolean;
}

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));

/** Every import and re-export of a file; inside braces, `type` on each name counts as type-only. */
function importsOf(file: string): Import[] {
  const source = readFileSync(join(SRC, file), "utf8");
  const statements = source.matchAll(/^(?:import|export)\s+(type\s)?([^"';]*?)\s*(?:from\s*)?"([^"]+)";/gm);
  return Array.from(statements, ([, type, names = "", from = ""]) => {
    const listed = /^\{(.*)\}$/s
      .exec(names.trim())?.[1]
      ?.split(",")
      .map((name) => name.trim());
    const allTypes = listed?.filter((name) => name !== "").every((name) => name.startsWith("type ")) ?? false;
    return { file, from, typeOnly: type !== undefined || allTypes };
  });
}

const imports = files.flatMap(importsOf);
const layerOf = (file: string): string => file.split("/")[0]?.replace(/\.tsx?$/, "") ?? "";
const place = ({ file, from }: Import): string => `${file} → ${from}`;

describe("imports", () => {
  it("are found at all", () => {
    expect(imports.length).toBeGreaterThan(files.length);
  });

  it("go down the layers, and every folder is one of them", () => {
    const wrong = imports.filter(({ file, from, typeOnly }) => {
      if (typeOnly || !from.startsWith(".")) return false;
      const target = relative(SRC, join(SRC, dirname(file), from));
      const [upper, lower] = [LAYERS.indexOf(layerOf(file)), LAYERS.indexOf(layerOf(target))];
      return upper < 0 || lower < 0 || lower < upper;
    });
    // `env.ts` is read everywhere and imports types alone.
    expect(wrong.map(place)).toEqual([]);
  });

  it.each([
    ["hono", /^hono(\/|$)/, /^http\//],
    ["cloudflare:workers", /^cloudflare:workers$/, /(-object|-entrypoint)\.ts$|^index\.ts$/],
    ["node:*", /^node:/, /^cli\//],
  ])("of %s stay where they belong", (_, module, allowed) => {
    expect(imports.filter(({ file, from }) => module.test(from) && !allowed.test(file)).map(place)).toEqual([]);
  });

  it("leave the command line on its own", () => {
    const outside = imports.filter(({ file, from }) => file.startsWith("cli/") && from.startsWith("../"));
    expect(outside.map(place)).toEqual([]);
  });

  it("bring no more than types into the console, which browsers run", () => {
    const values = imports.filter(({ file, from, typeOnly }) => {
      if (!file.startsWith("console/") || typeOnly || !from.startsWith(".")) return false;
      return relative(join(SRC, "console"), join(SRC, dirname(file), from)).startsWith("..");
    });
    expect(values.map(place)).toEqual([]);
  });
});

describe("files", () => {
  it("are named for what they do", () => {
    expect(files.filter((file) => EMPTY_NAMES.test(file))).toEqual([]);
  });

  it("open with no more than five lines of comment", () => {
    const long = files.filter((file) => /^(\/\/.*\n){6}/.test(readFileSync(join(SRC, file), "utf8")));
    expect(long).toEqual([]);
  });
});

const textsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !/lib\/\S*limits\.ts$/.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8"));

const namedIn = (folder: string): Set<string> => new Set(textsIn(folder).flatMap((text) => text.match(/\w+/g) ?? []));

describe("the record of limits", () => {
  it.each([
    ["used by the source", SRC],
    ["named by a test", import.meta.dirname],
  ])("has no bound that is not %s", (_, folder) => {
    const named = namedIn(folder);
    expect(Object.keys(LIMITS).filter((name) => !named.has(name))).toEqual([]);
  });
});

describe("Workers that tests run", () => {
  const TEST = import.meta.dirname;
  const workers = readdirSync(TEST, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("worker.ts"));
  const composing = workers.filter((file) => readFileSync(join(TEST, file), "utf8").includes("composeWorker("));

  it("have all parts that the deployed one has, but the one that shows what it weighs without", () => {
    const lean = composing.filter((file) => !readFileSync(join(TEST, file), "utf8").includes("allParts()"));
    expect([composing.length >= 7, lean]).toEqual([true, ["support/one-tool-worker.ts"]]);
  });
});

it("introduces the server by the package's version", () => {
  expect(SERVER.version).toBe(packageJson.version);
});
