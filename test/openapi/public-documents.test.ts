// Documents of public APIs and of every corner of OpenAPI: whatever they hold, an import leaves no operation unexplained and
// makes nothing that is not well formed.

/// <reference types="vite/types/importMeta.d.ts" />
import { Ajv2020 } from "ajv/dist/2020.js";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import type { ImportedApi, ImportedTool } from "../../src/openapi/import-openapi.ts";
import { importOpenApi } from "./import-at-once.ts";
import type { ImportOptions } from "../../src/openapi/import-options.ts";
import { TOOL_NAME, ToolRecordSchema } from "../../src/tools/tool-record.ts";

interface Document {
  info: { title: string };
  paths?: Record<string, Record<string, unknown>>;
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const METHODS = /^(get|put|post|delete|options|head|patch|trace)$/;

const FOLDER = "../../node_modules/@readme/oas-examples/";
const documents = import.meta.glob<Document>("../../node_modules/@readme/oas-examples/3.*/json/*.json", {
  eager: true,
  import: "default",
});

const read = (file: string): Document => structuredClone(documents[FOLDER + file] ?? { info: { title: "none" } });

/** How many tools, and how many operations are skipped for which reason. */
function summarize({ tools, skipped }: ImportedApi) {
  const reasons = Map.groupBy(skipped, ({ reason }) => reason);
  return {
    tools: tools.length,
    skipped: Object.fromEntries([...reasons].map(([reason, { length }]) => [reason, length])),
  };
}

const EVERYTHING: ImportOptions = { deprecated: true, outputSchemas: "on", server: "https://api.example.com" };

/** What is wrong with a tool. */
function findFaults({ name, record }: ImportedTool): string[] {
  const faults: string[] = [];
  if (!TOOL_NAME.test(name)) faults.push(`name ${name}`);
  if (!v.safeParse(ToolRecordSchema, record).success) faults.push("no valid record");
  for (const schema of [record.inputSchema, record.outputSchema ?? {}]) {
    try {
      ajv.compile(schema);
    } catch (error) {
      faults.push(String(error));
    }
  }
  const { url, query, headers, body } = record.source.kind === "http" ? record.source : { url: "" };
  const templates = JSON.stringify([url, query, headers, body]);
  const used = Array.from(templates.matchAll(/(?<!\{)\{([A-Za-z0-9_]+)[,|+]?\}/g), ([, argument]) => argument);
  const declared = Object.keys(record.inputSchema["properties"] ?? {});
  if (new Set(used).symmetricDifference(new Set(declared)).size > 0) faults.push(`arguments ${declared} used ${used}`);
  return faults.map((fault) => `${name}: ${fault}`);
}

it("are there", () => {
  expect(Object.keys(documents).length).toBeGreaterThan(40);
});

describe.each(Object.entries(documents))("%s", (_, document) => {
  const imported = importOpenApi(document, EVERYTHING);

  it("has every operation as a tool or skipped with a reason", () => {
    const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((key) => METHODS.test(key))
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    // A path that stands elsewhere has its operations there.
    const elsewhere = Object.entries(document.paths ?? {}).flatMap(([path, item]) => ("$ref" in item ? [path] : []));
    const told = [...imported.tools, ...imported.skipped]
      .map(({ operation }) => operation)
      .filter((operation) => !elsewhere.includes(operation.slice(operation.indexOf(" ") + 1)));
    expect(told.toSorted()).toEqual(operations.toSorted());
    expect(imported.skipped.filter(({ reason }) => reason === "")).toEqual([]);
  });

  it("becomes tools that are well formed and have names of their own", () => {
    expect(imported.tools.flatMap(findFaults)).toEqual([]);
    expect(new Set(imported.tools.map(({ name }) => name)).size).toBe(imported.tools.length);
  });

  it("becomes the same again", () => {
    expect(importOpenApi(structuredClone(document), EVERYTHING)).toEqual(imported);
  });
});

describe("public APIs", () => {
  const MULTIPART = "a request body as multipart/form-data";

  it.each([
    ["3.0/json/star-trek.json", { tools: 120, skipped: {} }],
    ["3.0/json/uspto.json", { tools: 3, skipped: {} }],
    ["3.0/json/petstore.json", { tools: 18, skipped: { deprecated: 1, [MULTIPART]: 1 } }],
    ["3.0/json/readme-legacy.json", { tools: 34, skipped: { [MULTIPART]: 2 } }],
    ["3.1/json/readme.json", { tools: 50, skipped: { [MULTIPART]: 4 } }],
    ["3.1/json/train-travel.json", { tools: 7, skipped: {} }],
    [
      "3.1/json/petstore.json",
      { tools: 18, skipped: { deprecated: 1, "a request body as application/octet-stream": 1 } },
    ],
  ])("%s", (file, summary) => {
    expect(summarize(importOpenApi(read(file)))).toEqual(summary);
  });
});
