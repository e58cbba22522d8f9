// The catalogue to a file and back, against a server that answers as it is told to.

import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runHere } from "./command-line.ts";
import { makeFolder } from "./project-copy.ts";
import { serveScript } from "./scripted-api.ts";

const toolgate = (args: string[], url: string, folder = makeFolder()) =>
  runHere(args, { TOOLGATE_ADMIN_KEY: "tga_test", TOOLGATE_URL: url }, folder);

const HTTP = { description: "d", inputSchema: {}, source: { kind: "http", method: "GET", url: "https://a.example" } };
const CODE = { description: "d", inputSchema: {}, enabled: false, source: { kind: "code", egress: ["a.example"] } };
const LISTED = {
  version: 7,
  tools: [
    { name: "find", ...HTTP, enabled: true },
    { name: "a.b", ...CODE, source: { ...CODE.source, hash: "ff" } },
    { name: "tone", enabled: false, source: { kind: "builtin" } },
    { name: "add", enabled: true, source: { kind: "builtin" } },
    { name: "files_read", ...HTTP, source: { kind: "upstream", upstream: "files" } },
  ],
};
const WHOLE = { version: 7, name: "a.b", ...CODE, source: { ...CODE.source, hash: "ff", module: "export default 1" } };
const CHANGES = [
  { op: "put", name: "find", record: { ...HTTP, enabled: true } },
  { op: "put", name: "a.b", record: { ...CODE, source: { ...CODE.source, module: "export default 1" } } },
  { op: "patch", name: "tone", patch: { enabled: false } },
];

it("saves what came as data, whole, and what is disabled, and replaces no file unless told to", async () => {
  const { url } = await serveScript({ "GET /admin/v1/tools": LISTED, "GET /admin/v1/tools/a.b": WHOLE });
  const folder = makeFolder();
  const file = join(folder, "catalogue.json");
  expect(await toolgate(["tools", "save", "catalogue.json"], url, folder)).toEqual({
    code: 0,
    stderr: "",
    stdout: "2 records and 1 disabled tool of the code in catalogue.json\n",
  });
  expect([JSON.parse(readFileSync(file, "utf8")), statSync(file).mode & 0o777]).toEqual([{ changes: CHANGES }, 0o600]);
  expect((await toolgate(["tools", "save", "catalogue.json"], url, folder)).code).toBe(2);
  expect((await toolgate(["tools", "save", "catalogue.json", "--force"], url, folder)).code).toBe(0);
});

it("leaves no file where the server does not answer for a tool", async () => {
  const { url } = await serveScript({ "GET /admin/v1/tools": LISTED });
  const folder = makeFolder();
  expect((await toolgate(["tools", "save", "catalogue.json"], url, folder)).code).toBe(1);
  expect(existsSync(join(folder, "catalogue.json"))).toBe(false);
});

it("puts it all back as one version, and tells what is not right", async () => {
  const warnings = [
    { client: "all", path: "/source", level: "warning", message: "The secret A is not set", tool: "find" },
  ];
  const { url, asked } = await serveScript({ "POST /admin/v1/tools": { version: 9, warnings } });
  const folder = makeFolder();
  writeFileSync(join(folder, "catalogue.json"), JSON.stringify({ changes: CHANGES }));
  expect(await toolgate(["tools", "restore", "catalogue.json"], url, folder)).toEqual({
    code: 0,
    stderr: "",
    stdout:
      "2 records and 1 disabled tool of the code put. Catalogue version 9\n  find: all /source: The secret A is not set\n",
  });
  expect(asked.map(({ call, body }) => [call, body])).toEqual([["POST /admin/v1/tools", { changes: CHANGES }]]);
});

it("puts more than a request may have in parts", async () => {
  const { url, asked } = await serveScript({ "POST /admin/v1/tools": { version: 9, warnings: [] } });
  const folder = makeFolder();
  const changes = Array.from({ length: 600 }, (_, n) => ({
    op: "put",
    name: `t${n}`,
    record: n < 4 ? "x".repeat(200_000) : "",
  }));
  writeFileSync(join(folder, "catalogue.json"), JSON.stringify({ changes }));
  expect((await toolgate(["tools", "restore", "catalogue.json"], url, folder)).code).toBe(0);
  const parts = asked.map(({ body }) => (body as { changes: unknown[] }).changes);
  expect([parts.flat(), parts.map(({ length }) => length)]).toEqual([changes, [2, 500, 98]]);
});

it.each(["[]", "{}", '{"changes":[]}', "{"])("refuses a file with %s", async (text) => {
  const { url, asked } = await serveScript({});
  const folder = makeFolder();
  writeFileSync(join(folder, "catalogue.json"), text);
  const { code, stderr } = await toolgate(["tools", "restore", "catalogue.json"], url, folder);
  expect([code, asked]).toEqual([1, []]);
  expect(stderr).toMatch(
    /^error: catalogue\.json(: expected what tools save writes, received no changes\.| is not JSON: )/,
  );
});
