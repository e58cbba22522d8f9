// The commands for secrets: a value comes from stdin or a file, and nothing prints it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runHere } from "./command-line.ts";
import { run } from "./processes.ts";
import { makeFolder, NODE, scriptPath } from "./project-copy.ts";
import { serveScript, type Script } from "./scripted-api.ts";

const ADMIN_KEY = "tga_only-for-this-test";
const SET = { name: "TOKEN", version: 3, setAt: "2026-12-01T03:32:05.791Z" };

const toolgate = (args: string[], url: string, input = "") =>
  runHere(args, { TOOLGATE_ADMIN_KEY: ADMIN_KEY, TOOLGATE_URL: url }, undefined, input);

const TOOLS = {
  tools: [
    {
      name: "weather",
      source: { kind: "http", headers: { authorization: "Bearer {{secret:TOKEN}}{{secret:TOKEN}}" } },
    },
    { name: "forecast", source: { kind: "http", query: { key: "{{secret:OLD}}" } } },
    { name: "module", source: { kind: "code", secrets: ["TOKEN", "OLD"] } },
    { name: "files_read", source: { kind: "upstream", upstream: "files", headers: { a: "{{secret:TOKEN}}" } } },
    { name: "own", source: { kind: "builtin" } },
  ],
};
const UPSTREAMS = { upstreams: [{ name: "files", headers: { a: "{{secret:TOKEN}}" } }, { name: "plain" }] };
const USERS = { "GET /admin/v1/tools": TOOLS, "GET /admin/v1/upstreams": UPSTREAMS };
const NOTHING = { "GET /admin/v1/tools": { tools: [] }, "GET /admin/v1/upstreams": { upstreams: [] } };
const DONE = "Secret TOKEN is set. In use everywhere within 30 s.\n";

describe("secrets set", () => {
  const script = { "PUT /admin/v1/secrets/TOKEN": SET, ...USERS };
  const told = { code: 0, stderr: "", stdout: `${DONE}Used by weather, module, upstream files.\n` };

  it("reads the stdin of a process", async () => {
    const { url, asked } = await serveScript(script);
    const env = { TOOLGATE_ADMIN_KEY: ADMIN_KEY, TOOLGATE_URL: url };
    const set = [scriptPath("toolgate.ts"), "secrets", "set", "TOKEN"];
    expect(await run(NODE, set, makeFolder(), env, "s3cret é\n")).toEqual(told);
    expect(asked.flatMap(({ body }) => body ?? [])).toEqual([{ value: "s3cret é" }]);
  });

  it.each([
    ["s3cret-value", "s3cret-value"],
    ["s3cret-value\n", "s3cret-value"],
    ["s3cret-value\r\n", "s3cret-value"],
    [" two\nlines é\n\n", " two\nlines é\n"],
  ])("reads %j from stdin", async (input, value) => {
    const { url, asked } = await serveScript(script);
    expect(await toolgate(["secrets", "set", "TOKEN"], url, input)).toEqual(told);
    expect(asked.flatMap(({ body }) => body ?? [])).toEqual([{ value }]);
  });

  it("reads a file", async () => {
    const { url, asked } = await serveScript(script);
    const file = join(makeFolder(), "token");
    writeFileSync(file, "from-a-file\n");
    expect(await toolgate(["secrets", "set", "TOKEN", "--value-file", file], url)).toEqual(told);
    expect(asked.flatMap(({ body }) => body ?? [])).toEqual([{ value: "from-a-file" }]);
  });

  it("says that nothing uses it yet, and how to refer to it", async () => {
    const { url } = await serveScript({ ...script, ...NOTHING });
    expect((await toolgate(["secrets", "set", "TOKEN"], url, "s3cret-value")).stdout).toBe(
      `${DONE}Nothing uses it yet: records name it {{secret:TOKEN}} in query and headers, code tools in "secrets".\n`,
    );
  });

  it("names five users and counts the others", async () => {
    const tools = Array.from({ length: 7 }, (_, n) => ({
      name: `t${n}`,
      source: { kind: "code", secrets: ["TOKEN"] },
    }));
    const { url } = await serveScript({ ...script, ...NOTHING, "GET /admin/v1/tools": { tools } });
    const { stdout } = await toolgate(["secrets", "set", "TOKEN"], url, "s3cret-value");
    expect(stdout).toBe(`${DONE}Used by t0, t1, t2, t3, t4, 2 more.\n`);
  });

  it("is done although nobody can tell who uses it", async () => {
    const { url } = await serveScript({ "PUT /admin/v1/secrets/TOKEN": SET, "GET /admin/v1/upstreams": UPSTREAMS });
    const { code, stdout } = await toolgate(["secrets", "set", "TOKEN"], url, "s3cret-value");
    expect([code, stdout]).toEqual([
      0,
      `${DONE}Who uses it could not be found out: No script for GET /admin/v1/tools (not_found)\n`,
    ]);
  });

  it("sends nothing when there is no value", async () => {
    const { url, asked } = await serveScript(script);
    const empty = await toolgate(["secrets", "set", "TOKEN"], url, "\n");
    const missing = await toolgate(["secrets", "set", "TOKEN", "--value-file=/nowhere"], url);
    const stderr = "error: secrets set: expected a value on stdin, received nothing.\n";
    expect(empty).toEqual({ code: 1, stdout: "", stderr });
    expect(missing).toMatchObject({ code: 1, stderr: "error: --value-file: /nowhere can't be read (ENOENT).\n" });
    expect(asked).toEqual([]);
  });

  it("takes no value on the command line", async () => {
    const { url, asked } = await serveScript(script);
    const option = await toolgate(["secrets", "set", "TOKEN", "--value", "x"], url);
    expect(option.code).toBe(2);
    expect(asked).toEqual([]);
  });

  it("tells why it was refused", async () => {
    const refusal = { code: "secrets_off", detail: "SECRETS_KEY is not set" };
    const { url } = await serveScript({ "PUT /admin/v1/secrets/TOKEN": [503, refusal] });
    const { code, stderr } = await toolgate(["secrets", "set", "TOKEN"], url, "s3cret-value");
    expect({ code, stderr }).toEqual({ code: 1, stderr: "error: SECRETS_KEY is not set (secrets_off)\n" });
  });
});

describe("the other commands", () => {
  it("list names and times", async () => {
    const { url } = await serveScript({
      ...USERS,
      "GET /admin/v1/secrets": {
        secrets: [
          { ...SET, sealedUnder: "current" },
          { ...SET, name: "OLD", sealedUnder: "previous" },
          { ...SET, name: "LOST", sealedUnder: "unknown" },
        ],
      },
    });
    expect((await toolgate(["secrets", "list"], url)).stdout).toBe(
      `NAME   SET                   SEALED UNDER                      USED BY
TOKEN  2026-12-01 03:32 UTC  SECRETS_KEY                       weather, module, upstream files
OLD    2026-12-01 03:32 UTC  SECRETS_KEY_PREVIOUS              forecast, module
LOST   2026-12-01 03:32 UTC  a key that is gone: set it again  nothing
`,
    );
  });

  it("list none", async () => {
    const { url } = await serveScript({ "GET /admin/v1/secrets": { secrets: [] } });
    expect((await toolgate(["secrets", "list"], url)).stdout).toBe("No secrets yet. Set one with:  secrets set NAME\n");
  });

  it.each([
    [USERS, "Needed by weather, module, upstream files: their calls fail from then on, until it is set again."],
    [NOTHING, "Nothing needs it."],
    [{}, "Who uses it could not be found out: No script for GET /admin/v1/tools (not_found)"],
  ])("delete, and say who needs it", async (lists: Script, needs) => {
    const deleted = { name: "TOKEN", status: "deleted" };
    const { url } = await serveScript({ "DELETE /admin/v1/secrets/TOKEN": deleted, ...lists });
    expect(await toolgate(["secrets", "delete", "TOKEN"], url)).toEqual({
      code: 0,
      stderr: "",
      stdout: `Secret TOKEN is deleted. Out of use everywhere within 30 s.\n${needs}\n`,
    });
  });

  it.each([
    [{ resealed: ["A", "B"], unreadable: [] }, "Sealed anew: A, B.\n"],
    [{ resealed: [], unreadable: ["C"] }, "Sealed anew: none.\nSealed under a key that is gone, set them again: C.\n"],
  ])("seal anew: %j", async (answer, text) => {
    const { url } = await serveScript({ "POST /admin/v1/secrets/reseal": answer });
    expect((await toolgate(["secrets", "reseal"], url)).stdout).toBe(text);
  });
});
