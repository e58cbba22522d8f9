// What strangers write, on its way to an operator's terminal: it can neither move the cursor nor forge a line.

import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { runHere } from "./command-line.ts";
import { run } from "./processes.ts";
import { makeFolder, NODE } from "./project-copy.ts";
import { serveScript } from "./scripted-api.ts";

const CLI = resolve(import.meta.dirname, "../../src/cli/toolgate.ts");
const EVIL = "a\u001b[2Jb\r\nready\u202ec\u009bd\u2028e";
const SHOWN = String.raw`a\u001b[2Jb\u000d\u000aready\u202ec\u009bd\u2028e`;
const FAILING = { name: "up", url: EVIL, status: { state: "failing", reason: EVIL } };
const OK = { state: "ok", tools: 0, skipped: [{ tool: EVIL, reason: EVIL }], warnings: [] };
const TOOL = { name: "t", title: EVIL, description: `one\n\u001b]0;two\u0007`, inputSchema: { title: EVIL } };
const CALL = { kind: "call", at: "2026-12-01T00:00:00Z", key: "k", tool: EVIL, client: { name: EVIL } };
const IMPORT = { api: EVIL, tools: [{ name: "t", change: "create", operation: EVIL }], notes: [{ note: EVIL }] };

async function toolgate(args: string[], call: string, answer: object | [number, object], input = "") {
  const { url } = await serveScript({ [call]: answer });
  const env = { TOOLGATE_ADMIN_KEY: "tga_only-for-this-test", TOOLGATE_URL: url };
  return args.includes("-") ? run(NODE, [CLI, ...args], makeFolder(), env, input) : runHere(args, env);
}

describe("a stranger's text", () => {
  it.each<[string[], string, object | [number, object]]>([
    [["upstreams", "list"], "GET /admin/v1/upstreams", { upstreams: [FAILING] }],
    [["upstreams", "refresh", "up"], "POST /admin/v1/upstreams/up/refresh", FAILING],
    [["upstreams", "refresh", "up"], "POST /admin/v1/upstreams/up/refresh", { name: "up", status: OK }],
    [["keys", "list"], "GET /admin/v1/keys", { keys: [{ id: "k", name: EVIL }] }],
    [["keys", "show", "k"], "GET /admin/v1/keys/k", { id: "k", name: EVIL }],
    [["tools", "list"], "GET /admin/v1/tools", { tools: [TOOL] }],
    [["tools", "show", "t"], "GET /admin/v1/tools/t", TOOL],
    [["audit"], "GET /admin/v1/audit", { rows: [CALL] }],
    [["import", "openapi", "-"], "POST /admin/v1/imports/openapi?", IMPORT],
    [["keys", "show", "k"], "GET /admin/v1/keys/k", [400, { code: "x", detail: EVIL }]],
  ])("is escaped by %j", async (args, call, answer) => {
    const { stdout, stderr } = await toolgate(args, call, answer, '{"openapi":"3.1.0"}');
    expect(stdout + stderr).toContain(SHOWN);
    expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\u2028]|^ready/mu);
  });

  it("keeps the lines of a description, and is the same JSON as before", async () => {
    const shown = await toolgate(["tools", "show", "t"], "GET /admin/v1/tools/t", TOOL);
    expect(shown.stdout).toContain(String.raw`one${"\n"}\u001b]0;two\u0007`);
    const { stdout } = await toolgate(["tools", "show", "t", "--json"], "GET /admin/v1/tools/t", TOOL);
    expect([JSON.parse(stdout), /[^\P{Cc}\n]|[\p{Cf}\u2028]/u.test(stdout)]).toEqual([TOOL, false]);
  });
});
