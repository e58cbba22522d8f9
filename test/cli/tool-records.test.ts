// Putting tools that come as data, from the command line.

import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { runHere } from "./command-line.ts";
import { run } from "./processes.ts";
import { makeFolder, NODE } from "./project-copy.ts";
import { serveScript } from "./scripted-api.ts";

const CLI = resolve(import.meta.dirname, "../../src/cli/toolgate.ts");

/** Runs the CLI in a folder with this file in it. */
function toolgate(args: string[], url: string, file?: { name: string; text: string }) {
  const folder = makeFolder();
  if (file) writeFileSync(join(folder, file.name), file.text);
  return runHere(args, { TOOLGATE_ADMIN_KEY: "tga_test", TOOLGATE_URL: url }, folder);
}

const RECORD = { description: "d", inputSchema: { type: "object" }, source: { kind: "http", method: "GET", url: "u" } };
const file = { name: "tool.json", text: JSON.stringify(RECORD) };

it("puts a tool from a file, and tells what is not right about it for whom", async () => {
  const warning = { client: "gemini", path: "/inputSchema", rule: "x", level: "warning", message: "has no properties" };
  const warnings = [warning, { ...warning, level: "info" }];
  const { url, asked } = await serveScript({ "PUT /admin/v1/tools/find_user": [201, { version: 4, warnings }] });
  expect(await toolgate(["tools", "put", "find_user", "tool.json", "--if-version", "3"], url, file)).toEqual({
    code: 0,
    stderr: "",
    stdout:
      "find_user is in the catalogue. Version 4\n  gemini /inputSchema: has no properties\nNotes, which --json shows: 1.\n",
  });
  expect(asked).toEqual([
    { call: "PUT /admin/v1/tools/find_user", authorization: "Bearer tga_test", ifMatch: '"3"', body: RECORD },
  ]);
});

it("says that an identical record changes nothing", async () => {
  const { url } = await serveScript({ "PUT /admin/v1/tools/x": { version: 7, unchanged: true, warnings: [] } });
  const { stdout } = await toolgate(["tools", "put", "x", "tool.json"], url, file);
  expect(stdout).toBe("x is unchanged. Version 7\n");
});

it("says when a tool that is put stays disabled", async () => {
  const { url } = await serveScript({ "PUT /admin/v1/tools/x": { version: 5, enabled: false, warnings: [] } });
  expect((await toolgate(["tools", "put", "x", "tool.json"], url, file)).stdout).toBe(
    "x is in the catalogue; disabled, as it was. Version 5\n",
  );
  const off = { name: "tool.json", text: JSON.stringify({ ...RECORD, enabled: false }) };
  expect((await toolgate(["tools", "put", "x", "tool.json"], url, off)).stdout).toBe(
    "x is in the catalogue; disabled, as the record says. Version 5\n",
  );
});

const WARNINGS = [
  { client: "gemini", path: "/inputSchema", rule: "x", level: "warning", message: "has no properties" },
  { client: "all", path: "/", rule: "y", level: "info", message: "is short" },
];

it.each<[object, number, string]>([
  [{ change: "create", faults: [], warnings: [] }, 0, "x would be new. Nothing was stored.\n"],
  [
    { change: "update", changed: ["title", "source.url"], faults: [], warnings: WARNINGS },
    0,
    "x would change: title, source.url. Nothing was stored.\n  gemini /inputSchema: has no properties\nNotes, which --json shows: 1.\n",
  ],
  [{ change: "update", changed: [], faults: [], warnings: [] }, 0, "x would stay as it is. Nothing was stored.\n"],
  [
    { change: "update", changed: [], enabled: false, faults: [], warnings: [] },
    0,
    "x would stay as it is; disabled, as it was. Nothing was stored.\n",
  ],
  [
    { faults: [{ path: "source.url", message: "the scheme must be https" }], warnings: [] },
    1,
    "x would be refused. Nothing was stored.\n  source.url: the scheme must be https\n",
  ],
])("checks a record without storing it: %j", async (answer, code, stdout) => {
  const { url, asked } = await serveScript({ "PUT /admin/v1/tools/x?dryRun=true": { dryRun: true, ...answer } });
  expect(await toolgate(["tools", "put", "x", "tool.json", "--dry-run"], url, file)).toEqual({
    code,
    stdout,
    stderr: "",
  });
  expect(asked.map(({ call }) => call)).toEqual(["PUT /admin/v1/tools/x?dryRun=true"]);
});

it("checks for no version", async () => {
  const { url, asked } = await serveScript({});
  const { code, stderr } = await toolgate(["tools", "put", "x", "tool.json", "--dry-run", "--if-version=1"], url, file);
  expect([code, stderr]).toEqual([2, "error: tools put: expected --dry-run or --if-version, received both.\n"]);
  expect(asked).toEqual([]);
});

const MODULE = 'export default () => "a\\n";\n';

it.each([
  ["no source", "", { kind: "code", module: MODULE }],
  [
    "a code source",
    ',"source":{"kind":"code","egress":["a.example"]}',
    { kind: "code", egress: ["a.example"], module: MODULE },
  ],
])("puts a module from a file of its own into a record with %s", async (_, source, sent) => {
  const { url, asked } = await serveScript({ "PUT /admin/v1/tools/x": { version: 5, warnings: [] } });
  const folder = makeFolder();
  writeFileSync(join(folder, "tool.js"), MODULE);
  const text = `{"description":"d","inputSchema":{"2":1,"1":1}${source}}`;
  const args = [CLI, "tools", "put", "x", "-", "--module", "tool.js"];
  expect((await run(NODE, args, folder, { TOOLGATE_ADMIN_KEY: "tga_test", TOOLGATE_URL: url }, text)).stderr).toBe("");
  expect(asked[0]?.body).toEqual({ description: "d", inputSchema: { "2": 1, "1": 1 }, source: sent });
});

it("takes a module beside a record for code only, and says how", async () => {
  const { url, asked } = await serveScript({});
  const http = await toolgate(["tools", "put", "x", "tool.json", "--module", "tool.json"], url, file);
  const alone = await toolgate(["tools", "put", "x", "tool.js"], url, { name: "tool.js", text: MODULE });
  const message = 'with --module, expected a source of kind "code" without a module, or none.';
  expect([http.code, http.stderr]).toEqual([1, `error: tool.json: ${message}\n`]);
  expect([alone.code, alone.stderr]).toEqual([
    1,
    expect.stringContaining("tools put NAME RECORD.json --module tool.js"),
  ]);
  expect(asked).toEqual([]);
});

it("asks for the module that a code record lacks", async () => {
  const { url, asked } = await serveScript({});
  const folder = makeFolder();
  const record = JSON.stringify({ description: "d", inputSchema: { type: "object" }, source: { kind: "code" } });
  const env = { TOOLGATE_ADMIN_KEY: "tga_only-for-this-test", TOOLGATE_URL: url };
  const finished = await run(NODE, [CLI, "tools", "put", "x", "-"], folder, env, record);
  const stderr = "error: -: a code tool needs its module: add --module FILE.\n";
  expect([finished, asked]).toEqual([{ code: 1, stdout: "", stderr }, []]);
});

it("reads a negative overlap as the number that it is", async () => {
  const env = { TOOLGATE_ADMIN_KEY: "tga_only-for-this-test", TOOLGATE_URL: "http://127.0.0.1:1" };
  const args = ["keys", "rotate", "k", "--overlap-seconds", "-1"];
  const stderr = 'error: --overlap-seconds: expected a whole number of at least 0, received "-1".\n';
  expect(await runHere(args, env)).toEqual({ code: 2, stdout: "", stderr });
});

it.each([
  ["is not JSON", { name: "tool.json", text: "{" }],
  ["can't be read", undefined],
])("says that a file %s, before it asks", async (message, given) => {
  const { url, asked } = await serveScript({});
  const { code, stderr } = await toolgate(["tools", "put", "x", "tool.json"], url, given);
  expect([code, stderr.includes(message), asked]).toEqual([1, true, []]);
});

it("deletes a tool", async () => {
  const { url } = await serveScript({ "DELETE /admin/v1/tools/x": { version: 9 } });
  expect((await toolgate(["tools", "delete", "x"], url)).stdout).toBe("x is deleted. Catalogue version 9\n");
});

it("shows what a tool was", async () => {
  const at = "2026-12-01T03:32:05.791Z";
  const { url } = await serveScript({
    "GET /admin/v1/tools/x/history": {
      versions: [
        { version: 9, at, who: "admin", deleted: true },
        { version: 8, at, who: "kaaa", tool: { ...RECORD, name: "x", enabled: false } },
        {
          version: 7,
          at,
          who: "admin",
          tool: { name: "x", enabled: true, annotations: { readOnlyHint: true }, cost: 2 },
        },
        { version: 6, at, who: "admin", tool: { name: "x", enabled: false } },
      ],
    },
  });
  expect((await toolgate(["tools", "history", "x"], url)).stdout).toBe(
    `VERSION  AT                    BY     TOOL
9        2026-12-01 03:32 UTC  admin  deleted
8        2026-12-01 03:32 UTC  kaaa   disabled, http: d
7        2026-12-01 03:32 UTC  admin  enabled, annotated readOnlyHint, cost 2
6        2026-12-01 03:32 UTC  admin  disabled
`,
  );
});

it("prints what a version was as a record to put again", async () => {
  const source = { kind: "code", module: "export default () => 1", hash: "ab" };
  const at = "2026-12-01T03:32:05.791Z";
  const { url } = await serveScript({
    "GET /admin/v1/tools/x/history/8": { version: 8, at, who: "kaaa", tool: { name: "x", ...RECORD, source } },
    "GET /admin/v1/tools/x/history/9": { version: 9, at, who: "kaaa", deleted: true },
  });
  const printed = await toolgate(["tools", "history", "x", "--version", "8"], url);
  const { hash: _, ...sent } = source;
  expect(JSON.parse(printed.stdout)).toEqual({ ...RECORD, source: sent });
  expect((await toolgate(["tools", "history", "x", "--version", "9"], url)).stdout).toBe(
    "x was deleted with version 9.\n",
  );
});

it.each([
  [
    {
      kind: "http",
      method: "GET",
      url: "https://a.example/{id}",
      query: { q: "{q}", n: "1" },
      headers: { authorization: "Bearer {{secret:TOKEN}}" },
    },
    `kind     http
request  GET https://a.example/{id}
query    q={q}&n=1
headers  authorization: Bearer {{secret:TOKEN}}
`,
  ],
  [
    { kind: "code", module: "x".repeat(20), egress: ["a.example", "b.example:8443"], secrets: ["TOKEN"] },
    `kind     code
module   20 characters
hosts    a.example, b.example:8443
secrets  TOKEN
`,
  ],
  [{ kind: "code", module: "x" }, "kind    code\nmodule  1 character\nhosts   none\n"],
  [
    { kind: "upstream", upstream: "up", tool: "find", url: "https://up.example/mcp" },
    `kind      upstream
upstream  up, its tool find
url       https://up.example/mcp
`,
  ],
])("shows where a tool's calls go: %j", async (source, text) => {
  const { url } = await serveScript({ "GET /admin/v1/tools/x": { source, description: "D." } });
  const { stdout } = await toolgate(["tools", "show", "x"], url);
  expect(stdout.replace(/^state +enabled\n/, "")).toBe(`${text}\nD.\n`);
});
