// `import openapi` against a server that answers as it is told to.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runHere } from "./command-line.ts";
import { makeFolder } from "./project-copy.ts";
import { serveScript } from "./scripted-api.ts";

const DOCUMENT = { openapi: "3.1.0", info: { title: "Things" }, paths: {} };
const YAML = 'openapi: "3.1.0"\ninfo: &info\n  title: Things\npaths: {}\n';

/** Imports a file with this text, or none. */
function importFile(text: string | undefined, args: string[], name = "api.json") {
  const folder = makeFolder();
  if (text !== undefined) writeFileSync(join(folder, name), text);
  return runHere(["import", "openapi", name, ...args], { TOOLGATE_ADMIN_KEY: "tga_only-for-this-test" }, folder);
}

const ANSWER = {
  dryRun: true,
  api: "things",
  serverUrl: "https://things.example",
  tools: [
    { name: "listThings", operation: "GET /things", change: "create", record: {} },
    { name: "getThing", operation: "GET /things/{id}", change: "update", record: {} },
    { name: "calculate", operation: "POST /sums", change: "conflict", record: {} },
  ],
  gone: ["oldThing"],
  skipped: [
    ...[1, 2, 3, 4].map((n) => ({ operation: `PUT /${n}`, reason: "a request body as multipart/form-data" })),
    { operation: "GET /old", reason: "deprecated" },
  ],
  notes: [{ note: "1 webhook is no operation that can be called" }],
  secrets: [
    { name: "THINGS_TOKEN", expects: "the token", in: "header", field: "authorization", set: true },
    { name: "MINE", set: false },
  ],
  warnings: ["listThings", "getThing", "a", "b"].map((tool) => ({ tool, level: "warning" })),
};

describe("import openapi", () => {
  it("tells what a dry run would change", async () => {
    const { url } = await serveScript({ "POST /admin/v1/imports/openapi?dryRun=true": ANSWER });
    expect(await importFile(JSON.stringify(DOCUMENT), ["--dry-run", "--url", url])).toEqual({
      code: 0,
      stderr: "",
      stdout: `things: 3 tools (1 new, 1 changed, 1 name is taken). Nothing was changed.

NAME        CHANGE         OPERATION
listThings  new            GET /things
getThing    changed        GET /things/{id}
calculate   name is taken  POST /sums

No longer in the document: oldThing
--remove-gone removes them.

Names of other tools, which stay as they are: calculate

Skipped operations:
  a request body as multipart/form-data: PUT /1, PUT /2, PUT /3, … (4)
  deprecated: GET /old

Notes:
  1 webhook is no operation that can be called

Set these secrets, where they are not (secrets set NAME):
  NAME          VALUE      SENT IN               SET
  THINGS_TOKEN  the token  header authorization  yes
  MINE                                           no

Lint has 4 warnings on listThings, getThing, a, … (4 tools): see  tools lint NAME
`,
    });
  });

  it("tells the catalogue's version after a change, and what it removed", async () => {
    const json = {
      version: 9,
      api: "things",
      tools: [],
      gone: [],
      removed: ["oldThing"],
      skipped: [],
      notes: [],
      secrets: [],
    };
    const { url } = await serveScript({ "POST /admin/v1/imports/openapi?removeGone=true": json });
    const { stdout } = await importFile(JSON.stringify(DOCUMENT), ["--remove-gone", "--url", url]);
    expect(stdout).toBe("things: 0 tools. Catalogue version 9\n\nRemoved: oldThing\n");
  });

  it("prints exactly the API's JSON", async () => {
    const { url } = await serveScript({ "POST /admin/v1/imports/openapi?": ANSWER });
    expect(JSON.parse((await importFile(JSON.stringify(DOCUMENT), ["--json", "--url", url])).stdout)).toEqual(ANSWER);
  });

  it("sends YAML as JSON, and all options", async () => {
    const query =
      "includeTags=a&includeTags=b&includePaths=%2Fx*&includeOperations=o&excludeTags=t&excludePaths=p&excludeOperations=q" +
      "&api=mine&prefix=m_&server=https%3A%2F%2Fa.example&headers=x-a%3A+b&maxTools=5&deprecated=true&outputSchemas=on&dryRun=true";
    const { url, asked } = await serveScript({ [`POST /admin/v1/imports/openapi?${query}`]: ANSWER });
    const lists = ["--include-tag=a", "--include-tag=b", "--include-path=/x*", "--include-operation=o"];
    const excluded = ["--exclude-tag=t", "--exclude-path=p", "--exclude-operation=q"];
    const more = ["--api=mine", "--prefix=m_", "--server=https://a.example", "--header=x-a: b", "--max-tools=5"];
    const flags = ["--deprecated", "--output-schemas", "--dry-run", "--url", url];
    expect(await importFile(YAML, [...lists, ...excluded, ...more, ...flags], "api.yaml")).toMatchObject({ code: 0 });
    expect(asked[0]?.body).toEqual(DOCUMENT);
  });

  it.each([
    [undefined, "api.json can't be read (ENOENT)."],
    ["{", "api.json: expected JSON ("],
    [
      "a: [",
      "api.json: expected JSON or YAML (Flow sequence in block collection must be sufficiently indented and end with a ] at line 1, column 5).",
    ],
    ["- a", "api.json: expected an OpenAPI document, received no object."],
  ])("refuses %j", async (text, message) => {
    const { code, stderr } = await importFile(text, ["--dry-run"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`error: ${message}`) });
  });
});
