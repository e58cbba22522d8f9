// The commands for secrets as a process: a value comes from stdin or a file, and nothing prints it.

import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "./processes.ts";
import { makeFolder, NODE } from "./project-copy.ts";
import { serveScript } from "./scripted-api.ts";

const CLI = resolve(import.meta.dirname, "../../src/cli/toolgate.ts");
const ADMIN_KEY = "tga_only-for-this-test";
const SET = { name: "TOKEN", version: 3, setAt: "2026-12-01T03:32:05.791Z" };

const toolgate = (args: string[], url: string, input = "") =>
  run(NODE, [CLI, ...args], makeFolder(), { TOOLGATE_ADMIN_KEY: ADMIN_KEY, TOOLGATE_URL: url }, input);

describe("secrets set", () => {
  const script = { "PUT /admin/v1/secrets/TOKEN": SET };
  const told = { code: 0, stderr: "", stdout: "Secret TOKEN is set. In use everywhere within 30 s.\n" };

  it.each([
    ["s3cret-value", "s3cret-value"],
    ["s3cret-value\n", "s3cret-value"],
    ["s3cret-value\r\n", "s3cret-value"],
    [" two\nlines é\n\n", " two\nlines é\n"],
  ])("reads %j from stdin", async (input, value) => {
    const { url, asked } = await serveScript(script);
    expect(await toolgate(["secrets", "set", "TOKEN"], url, input)).toEqual(told);
    expect(asked.map(({ body }) => body)).toEqual([{ value }]);
  });

  it("reads a file", async () => {
    const { url, asked } = await serveScript(script);
    const file = join(makeFolder(), "token");
    writeFileSync(file, "from-a-file\n");
    expect(await toolgate(["secrets", "set", "TOKEN", "--value-file", file], url)).toEqual(told);
    expect(asked.map(({ body }) => body)).toEqual([{ value: "from-a-file" }]);
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
      "GET /admin/v1/secrets": {
        secrets: [
          { ...SET, sealedUnder: "current" },
          { ...SET, name: "OLD", sealedUnder: "previous" },
          { ...SET, name: "LOST", sealedUnder: "unknown" },
        ],
      },
    });
    expect((await toolgate(["secrets", "list"], url)).stdout).toBe(
      `NAME   SET                   SEALED UNDER
TOKEN  2026-12-01 03:32 UTC  SECRETS_KEY
OLD    2026-12-01 03:32 UTC  SECRETS_KEY_PREVIOUS
LOST   2026-12-01 03:32 UTC  a key that is gone: set it again
`,
    );
  });

  it("list none", async () => {
    const { url } = await serveScript({ "GET /admin/v1/secrets": { secrets: [] } });
    expect((await toolgate(["secrets", "list"], url)).stdout).toBe("No secrets yet. Set one with:  secrets set NAME\n");
  });

  it("delete", async () => {
    const { url } = await serveScript({ "DELETE /admin/v1/secrets/TOKEN": { name: "TOKEN", status: "deleted" } });
    expect((await toolgate(["secrets", "delete", "TOKEN"], url)).stdout).toBe(
      "Secret TOKEN is deleted. Out of use everywhere within 30 s.\n",
    );
  });

  it.each([
    [{ resealed: ["A", "B"], unreadable: [] }, "Sealed anew: A, B.\n"],
    [{ resealed: [], unreadable: ["C"] }, "Sealed anew: none.\nSealed under a key that is gone, set them again: C.\n"],
  ])("seal anew: %j", async (answer, text) => {
    const { url } = await serveScript({ "POST /admin/v1/secrets/reseal": answer });
    expect((await toolgate(["secrets", "reseal"], url)).stdout).toBe(text);
  });
});
