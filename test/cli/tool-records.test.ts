// Putting tools that come as data, from the command line.

import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { run } from "./processes.ts";
import { makeFolder, NODE } from "./project-copy.ts";
import { serveScript } from "./scripted-api.ts";

const CLI = resolve(import.meta.dirname, "../../src/cli/toolgate.ts");

/** Runs the CLI in a folder with this file in it. */
function toolgate(args: string[], url: string, file?: { name: string; text: string }) {
  const folder = makeFolder();
  if (file) writeFileSync(join(folder, file.name), file.text);
  return run(NODE, [CLI, ...args], folder, { TOOLGATE_ADMIN_KEY: "tga_test", TOOLGATE_URL: url });
}

const RECORD = { description: "d", inputSchema: { type: "object" }, source: { kind: "http", method: "GET", url: "u" } };
const file = { name: "tool.json", text: JSON.stringify(RECORD) };

it("puts a tool from a file, and tells what is not right about it for whom", async () => {
  const warnings = [{ client: "gemini", path: "/inputSchema", rule: "x", message: "has no properties" }];
  const { url, asked } = await serveScript({ "PUT /admin/v1/tools/find_user": [201, { version: 4, warnings }] });
  expect(await toolgate(["tools", "put", "find_user", "tool.json", "--if-version", "3"], url, file)).toEqual({
    code: 0,
    stderr: "",
    stdout: "find_user is in the catalogue. Version 4\n  gemini /inputSchema: has no properties\n",
  });
  expect(asked).toEqual([
    { call: "PUT /admin/v1/tools/find_user", authorization: "Bearer tga_test", ifMatch: '"3"', body: RECORD },
  ]);
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
      ],
    },
  });
  expect((await toolgate(["tools", "history", "x"], url)).stdout).toBe(
    `VERSION  AT                    BY     TOOL
9        2026-12-01 03:32 UTC  admin  deleted
8        2026-12-01 03:32 UTC  kaaa   disabled, http: d
`,
  );
});
