// Lint from the command line, against a server that answers as it is told to.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runHere } from "./command-line.ts";
import { makeFolder } from "./project-copy.ts";
import { serveScript } from "./scripted-api.ts";

const ADMIN_KEY = "tga_only-for-this-test";
const AUTHORIZATION = `Bearer ${ADMIN_KEY}`;

const toolgate = (args: string[], env: Record<string, string> = {}) =>
  runHere(args, { TOOLGATE_ADMIN_KEY: ADMIN_KEY, ...env });

const VERDICTS = [
  { client: "cursor", path: "", rule: "tool-count", level: "warning", message: "Too many." },
  { client: "all", path: "/name", rule: "name-dots", level: "error", message: "Dots.", tool: "a.b" },
  {
    client: "gemini",
    path: "/inputSchema/properties/x/items",
    rule: "array-items",
    level: "warning",
    message: "No items.",
    tool: "add",
  },
  {
    client: "all",
    path: "/annotations/readOnlyHint",
    rule: "hint-missing",
    level: "info",
    message: "No hint.",
    tool: "add",
  },
];

describe("tools lint", () => {
  it("groups what is said of the catalogue by tool, counts notes, and fails for an error", async () => {
    const { url, asked } = await serveScript({ "POST /admin/v1/lint": [200, VERDICTS] });
    expect(await toolgate(["tools", "lint", "--url", url])).toEqual({
      code: 1,
      stderr: "",
      stdout: `  warning  cursor  (all) (tool-count)
                   Too many.

a.b
  error    all     /name (name-dots)
                   Dots.

add
  warning  gemini  /inputSchema/properties/x/items (array-items)
                   No items.

Errors: 1. Warnings: 2. Notes, which --json shows: 1.
`,
    });
    expect(asked).toEqual([{ call: "POST /admin/v1/lint", authorization: AUTHORIZATION }]);
  });

  it("is about one client and who is not told apart", async () => {
    const { url } = await serveScript({ "POST /admin/v1/lint": [200, VERDICTS] });
    const { code, stdout } = await toolgate(["tools", "lint", "--client", "gemini", "--json", "--url", url]);
    expect({ code, json: JSON.parse(stdout) as unknown }).toEqual({ code: 1, json: VERDICTS.slice(1) });
  });

  it("of a tool by name succeeds when there are warnings at most", async () => {
    const { url } = await serveScript({
      "POST /admin/v1/tools/a%2Fb/lint": [200, [{ ...VERDICTS[2], tool: undefined }]],
    });
    expect(await toolgate(["tools", "lint", "a/b", "--url", url])).toEqual({
      code: 0,
      stderr: "",
      stdout: `a/b
  warning  gemini  /inputSchema/properties/x/items (array-items)
                   No items.

Errors: 0. Warnings: 1.
`,
    });
  });

  it("of a file sends what is in it", async () => {
    const { url, asked } = await serveScript({
      "POST /admin/v1/lint": [200, []],
      "POST /admin/v1/tools/add/lint": [200, []],
    });
    const file = join(makeFolder(), "tool.json");
    writeFileSync(file, '[{"name":"add"}]');
    const clean = { code: 0, stderr: "", stdout: "Errors: 0. Warnings: 0.\n" };
    expect(await toolgate(["tools", "lint", "--file", file, "--url", url])).toEqual(clean);
    expect(await toolgate(["tools", "lint", "add", `--file=${file}`, "--url", url])).toEqual(clean);
    expect(asked.map(({ body }) => body)).toEqual([[{ name: "add" }], [{ name: "add" }]]);
  });

  it("names what a file has no name for, and says so", async () => {
    const { url, asked } = await serveScript({ "POST /admin/v1/lint": [200, [{ ...VERDICTS[2], tool: undefined }]] });
    const record = { description: "d", source: { kind: "http" } };
    const [one, several] = ["find user.v2.json", "tools.json"].map((name) => join(makeFolder(), name));
    writeFileSync(one ?? "", JSON.stringify(record));
    writeFileSync(several ?? "", JSON.stringify([{ ...record, name: "a" }, record]));
    const { code, stdout } = await toolgate(["tools", "lint", `--file=${one}`, "--url", url]);
    expect([code, stdout]).toEqual([
      0,
      `Linted as find_user_v2, after its file. Give another name with:  tools lint NAME --file FILE

find_user_v2
  warning  gemini  /inputSchema/properties/x/items (array-items)
                   No items.

Errors: 0. Warnings: 1.
`,
    ]);
    expect((await toolgate(["tools", "lint", `--file=${several}`, "--url", url])).stdout).toMatch(
      /^What has no name is linted as tools_N, /,
    );
    expect(asked.map(({ body }) => body)).toEqual([
      { name: "find_user_v2", ...record },
      [
        { ...record, name: "a" },
        { name: "tools_2", ...record },
      ],
    ]);
  });

  it("lets nothing of a definition move the cursor", async () => {
    const message = "x\u001B[2J\u202Ey";
    const { url } = await serveScript({ "POST /admin/v1/lint": [200, [{ ...VERDICTS[1], message, tool: "a\nb" }]] });
    const { stdout } = await toolgate(["tools", "lint", "--url", url]);
    expect(stdout).toContain("a\uFFFDb\n");
    expect(stdout).toContain("x\uFFFD[2J\uFFFDy\n");
  });

  it("says that a file can't be read", async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, "bad.json"), "{");
    const file = join(folder, "bad.json");
    const { code, stderr } = await toolgate(["tools", "lint", "--file", file]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: `error: ${file} can't be read: it is no JSON\n` });
    expect((await toolgate(["tools", "lint", "--file", join(folder, "none")])).stderr).toMatch(/can't be read: ENOENT/);
  });
});
