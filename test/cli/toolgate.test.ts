// The admin CLI against a server that answers as it is told to: some of it as a process, the rest in this one.

import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { runHere } from "./command-line.ts";
import { findFreePort, run } from "./processes.ts";
import { makeFolder, NODE } from "./project-copy.ts";
import { serveScript } from "./scripted-api.ts";

const CLI = resolve(import.meta.dirname, "../../src/cli/toolgate.ts");
const ADMIN_KEY = "tga_only-for-this-test";
const AUTHORIZATION = `Bearer ${ADMIN_KEY}`;

const toolgate = (args: string[], env: Record<string, string> = {}) =>
  runHere(args, { TOOLGATE_ADMIN_KEY: ADMIN_KEY, ...env });

const startToolgate = (args: string[], env: Record<string, string> = {}) =>
  run(NODE, [CLI, ...args], makeFolder(), { TOOLGATE_ADMIN_KEY: ADMIN_KEY, ...env });

const LOCAL = {
  id: "kaaa",
  name: "local",
  status: "active",
  urlKey: false,
  scopes: ["mcp"],
  createdAt: "2026-12-01T03:32:05.791Z",
};
const PHONE = {
  ...LOCAL,
  id: "ubbb",
  name: "a phone",
  status: "revoked",
  urlKey: true,
  expiresAt: "2027-01-31T00:00:00.000Z",
};
const RECORD = {
  ...LOCAL,
  tools: { allow: ["files_*", "current_time"], deny: ["files_delete"] },
  limits: { perMinute: 60, burst: 10 },
};
const TOOLS = {
  version: 7,
  tools: [
    { name: "current_time", title: "Current time", enabled: true, source: { kind: "builtin" } },
    { name: "add", title: "Add", enabled: false, source: { kind: "builtin" } },
  ],
};

describe("keys", () => {
  it("lists all pages in one table", async () => {
    const { url, asked } = await serveScript({
      "GET /admin/v1/keys": { keys: [{ ...LOCAL, limits: { perMinute: 60, burst: 10 } }], nextCursor: "a b" },
      "GET /admin/v1/keys?cursor=a%20b": { keys: [PHONE] },
    });
    expect(await startToolgate(["keys", "list", "--url", url])).toEqual({
      code: 0,
      stderr: "",
      stdout: [
        "ID    NAME     STATUS   LIMITS                 SCOPES  URL KEY  CREATED               EXPIRES\n",
        "kaaa  local    active   60 a minute, burst 10  mcp              2026-12-01 03:32 UTC\n",
        "ubbb  a phone  revoked                         mcp     yes      2026-12-01 03:32 UTC  2027-01-31 00:00 UTC\n",
      ].join(""),
    });
    expect(asked.map(({ authorization }) => authorization)).toEqual([AUTHORIZATION, AUTHORIZATION]);
  });

  it("lists all pages as one JSON object", async () => {
    const { url } = await serveScript({
      "GET /admin/v1/keys": { keys: [LOCAL], nextCursor: "x" },
      "GET /admin/v1/keys?cursor=x": { keys: [PHONE] },
    });
    const { stdout } = await toolgate(["keys", "list", "--json", "--url", url]);
    expect(JSON.parse(stdout)).toEqual({ keys: [LOCAL, PHONE] });
  });

  it("sends only what was asked for", async () => {
    const { url, asked } = await serveScript({ "POST /admin/v1/keys": [201, { ...LOCAL, key: "tg_kaaa_x" }] });
    await toolgate(["keys", "create", "--name", "local"], { TOOLGATE_URL: url });
    expect(asked).toEqual([{ call: "POST /admin/v1/keys", authorization: AUTHORIZATION, body: { name: "local" } }]);
  });

  it("creates a key with everything and shows it once, with its URL", async () => {
    const { url, asked } = await serveScript({
      "POST /admin/v1/keys": [201, { ...RECORD, id: "ubbb", urlKey: true, key: "tg_ubbb_x" }],
    });
    const options = ["--name", "a phone", "--per-minute=60", "--burst=10", "--allow=files_*"];
    const more = ["--allow=current_time", "--deny=files_delete", "--scope=mcp", "--url-key", "--expires-at=2027-01-31"];
    const { stdout } = await toolgate(["--url", url, "keys", "create", ...options, ...more]);
    expect(asked[0]?.body).toEqual({
      name: "a phone",
      limits: { perMinute: 60, burst: 10 },
      tools: { allow: ["files_*", "current_time"], deny: ["files_delete"] },
      scopes: ["mcp"],
      urlKey: true,
      expiresAt: "2027-01-31T00:00:00.000Z",
    });
    expect(stdout).toBe(`Key made. It is shown only this once:

  tg_ubbb_x

It works only in this URL:

  ${url}/k/tg_ubbb_x/mcp

id       ubbb
name     local
status   active
limits   60 a minute, burst 10
tools    files_*, current_time; not files_delete
scopes   mcp
url key  yes
created  2026-12-01 03:32 UTC
`);
  });

  it("allows all other tools when only some are denied", async () => {
    const { url, asked } = await serveScript({ "POST /admin/v1/keys": [201, { ...LOCAL, key: "tg_kaaa_x" }] });
    await toolgate(["keys", "create", "--name=x", "--deny=add", "--url", url]);
    expect(asked[0]?.body).toEqual({ name: "x", tools: { allow: ["*"], deny: ["add"] } });
  });

  it("creates a key with limits of every kind and a region", async () => {
    const { url, asked } = await serveScript({ "POST /admin/v1/keys": [201, { ...LOCAL, key: "tg_kaaa_x" }] });
    const limits = ["--per-minute=60", "--per-day=1000", "--concurrent=4", "--tool-limit=files_*=6/2"];
    await toolgate(["keys", "create", "--name=x", ...limits, "--tool-limit=a=b=3", "--region=weur", "--url", url]);
    expect(asked[0]?.body).toEqual({
      name: "x",
      limits: {
        perMinute: 60,
        perDay: 1000,
        concurrent: 4,
        tools: { "files_*": { perMinute: 6, burst: 2 }, "a=b": { perMinute: 3 } },
      },
      region: "weur",
    });
  });

  it("creates a key with discovery, shows that, and takes it back", async () => {
    const { url, asked } = await serveScript({
      "POST /admin/v1/keys": [201, { ...LOCAL, discovery: true, key: "tg_kaaa_x" }],
      "PATCH /admin/v1/keys/kaaa": [200, LOCAL],
    });
    const { stdout } = await toolgate(["keys", "create", "--name=x", "--discovery", "--url", url]);
    await toolgate(["keys", "change", "kaaa", "--clear=discovery", "--url", url]);
    await toolgate(["keys", "change", "kaaa", "--discovery", "--url", url]);
    expect(stdout).toMatch(/^discovery +yes$/m);
    expect(asked.map(({ body }) => body)).toEqual([
      { name: "x", discovery: true },
      { discovery: null },
      { discovery: true },
    ]);
  });

  it("changes what is named and clears what is told, and nothing else", async () => {
    const { url, asked } = await serveScript({ "PATCH /admin/v1/keys/kaaa": RECORD });
    const options = ["--name=new", "--per-minute=5", "--deny=add", "--clear=per-day", "--clear=allow"];
    const { stdout } = await toolgate(["keys", "change", "kaaa", ...options, "--clear=expires-at", "--url", url]);
    expect(asked[0]?.body).toEqual({
      name: "new",
      limits: { perMinute: 5, perDay: null },
      tools: { deny: ["add"], allow: null },
      expiresAt: null,
    });
    expect(stdout).toContain("limits   60 a minute, burst 10\n");
  });

  it("shows and revokes a key", async () => {
    const { url } = await serveScript({
      "GET /admin/v1/keys/kaaa": RECORD,
      "DELETE /admin/v1/keys/kaaa": { id: "kaaa", status: "revoked" },
    });
    expect((await toolgate(["keys", "show", "kaaa", "--url", url])).stdout).toContain(
      "limits   60 a minute, burst 10\n",
    );
    expect((await toolgate(["keys", "revoke", "kaaa", "--url", url])).stdout).toBe("Key kaaa is revoked.\n");
  });
});

describe("sessions", () => {
  const hub = "hub:weur:0";
  const openedAt = "2026-12-01T03:32:05.791Z";

  it("lists who is connected, and says what it can't show", async () => {
    const { url } = await serveScript({
      "GET /admin/v1/sessions?key=kaaa": {
        total: 3,
        hubs: [
          { hub, reached: true, sessions: 3, awakeSince: openedAt },
          { hub: "hub:oc:0", reached: false, sessions: 0 },
        ],
        sessions: [
          { kind: "get", keyId: "kaaa", openedAt, revision: "2025-11-25", client: { name: "ide", version: "2" }, hub },
          { kind: "websocket", keyId: "kaaa", openedAt, hub },
        ],
      },
    });
    expect((await toolgate(["sessions", "list", "--key", "kaaa", "--url", url])).stdout).toBe(
      `KIND       REVISION         CLIENT  KEY   HUB         SINCE
get        2025-11-25       ide 2   kaaa  hub:weur:0  2026-12-01 03:32 UTC
websocket  not initialized          kaaa  hub:weur:0  2026-12-01 03:32 UTC

1 more is not shown.
hub:oc:0 could not be reached.
`,
    );
  });

  it("says that nobody is there", async () => {
    const { url } = await serveScript({ "GET /admin/v1/sessions": { total: 0, hubs: [], sessions: [] } });
    expect((await toolgate(["sessions", "list", "--url", url])).stdout).toBe("Nobody is connected.\n");
  });
});

describe("tools", () => {
  it("lists the catalogue", async () => {
    const { url } = await serveScript({ "GET /admin/v1/tools": TOOLS });
    expect((await toolgate(["tools", "list", "--url", url])).stdout).toBe(`NAME          STATE     KIND     TITLE
current_time  enabled   builtin  Current time
add           disabled  builtin  Add

Catalogue version 7
`);
  });

  it("prints exactly the API's JSON", async () => {
    const { url } = await serveScript({ "GET /admin/v1/tools": TOOLS });
    expect(JSON.parse((await toolgate(["tools", "list", "--json", "--url", url])).stdout)).toEqual(TOOLS);
  });

  it("shows a tool with its schemas", async () => {
    const inputSchema = { type: "object" };
    const { url } = await serveScript({
      "GET /admin/v1/tools/add": { ...TOOLS.tools[1], timeoutMs: 1000, description: "Adds.\nTwice.", inputSchema },
    });
    expect((await toolgate(["tools", "show", "add", "--url", url])).stdout).toBe(`name     add
title    Add
state    disabled
kind     builtin
timeout  1000 ms

Adds.
Twice.

inputSchema:
{
  "type": "object"
}
`);
  });

  it.each([
    ["enable", true],
    ["disable", false],
  ])("%ss a tool", async (verb, enabled) => {
    const { url, asked } = await serveScript({ "PATCH /admin/v1/tools/a%2Fb": { version: 8 } });
    const { stdout } = await toolgate(["tools", verb, "a/b", "--url", url]);
    expect(stdout).toBe(`a/b is ${verb}d. Catalogue version 8\n`);
    expect(asked[0]?.body).toEqual({ enabled });
  });
});

describe("errors", () => {
  it("prints a problem's detail and code, exit code 1", async () => {
    const { url } = await serveScript({
      "GET /admin/v1/keys/kx": [404, { code: "not_found", detail: "There is no key" }],
    });
    const refused = { code: 1, stdout: "", stderr: "error: There is no key (not_found)\n" };
    expect(await startToolgate(["keys", "show", "kx", "--url", url])).toEqual(refused);
    expect(await toolgate(["keys", "show", "kx", "--url", url, "--json"])).toEqual(refused);
  });

  it("does not take another server's answer for its own", async () => {
    const { url } = await serveScript({ "GET /admin/v1/tools": [302, {}] });
    const { code, stderr } = await toolgate(["tools", "list", "--url", url]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      "expected a JSON object, received status 302, application/json. Is this a toolgate server?",
    );
  });

  it("says how to start the local server when it can't be reached", async () => {
    const PORT = String(await findFreePort());
    const { code, stderr } = await toolgate(["keys", "list"], { PORT });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      new RegExp(`^error: http://127.0.0.1:${PORT} can't be reached \\(ECONNREFUSED\\).\nStart .*npm start\n`),
    );
    expect(stderr).toContain(`with --url or TOOLGATE_URL, or a local one's port with PORT (now ${PORT}).\n`);
    const named = await toolgate(["keys", "list", "--url", `http://127.0.0.1:${PORT}`]);
    expect(named.stderr).toMatch(/npm start\nOr name another with --url or TOOLGATE_URL\.\n$/);
  });

  it("tells of its environment in its help", async () => {
    const { stdout } = await toolgate(["--help"]);
    expect(stdout).toMatch(
      /^Environment:?\n(?: .*\n)* +PORT +the local server's port, without TOOLGATE_URL; 8787 by default$/m,
    );
  });

  it.each([
    [["keys", "show"], /^error: keys show: expected ID, received nothing\./],
    [["keys", "list", "all"], /^error: keys list: expected nothing more, received "all"\./],
    [["keys", "create"], /^error: keys create: expected --name NAME, received none\./],
    [["keys", "create", "--name", ""], /^error: keys create: expected --name NAME, received an empty value\./],
    [["keys", "create", "--name=a", "--name=b"], /^error: keys create: expected --name NAME once, received "a" "b"\./],
    [
      ["keys", "create", "--name=a", "--per-minute=0"],
      /^error: --per-minute: expected a whole number of at least 1, received "0"\./,
    ],
    [["keys", "create", "--name=a", "--burst=5"], /^error: keys create: --burst needs --per-minute/],
    [["keys", "create", "--name=a", "--per-day=5"], /^error: keys create: --per-day needs --per-minute/],
    [
      ["keys", "create", "--name=a", "--tool-limit=x"],
      /^error: --tool-limit: expected GLOB=N or GLOB=N\/BURST, .*, received "x"\./,
    ],
    [["keys", "change", "kx"], /^error: keys change: expected at least one option that says what to change/],
    [["keys", "change", "kx", "--clear=name"], /^error: --clear: expected one of burst, .*, received "name"\./],
    [
      ["keys", "create", "--name=a", "--expires-at=soon"],
      /^error: --expires-at: expected an ISO 8601 time .*, received "soon"\./,
    ],
    [
      ["tools", "list", "--nope"],
      /^error: tools list: Unknown option '--nope'\. Expected options: --url, --json, --help\./,
    ],
    [
      ["keys", "create", "--name=a", "--perminute=5"],
      /^error: keys create: Unknown option '--perminute'\. Did you mean --per-minute\? Expected options: --name, /,
    ],
    [["tools", "lint", "a", "b"], /^error: tools lint: expected \[NAME\], received "a" "b"\./],
    [
      ["tools", "lint", "--client=bard"],
      /^error: --client: expected claude, openai, gemini, cursor, vscode, received "bard"\./,
    ],
    [["tools", "list", "--url", "example.com"], /^error: --url: expected a URL .*, received "example\.com"\./],
  ])("refuses %j with exit code 2", async (args, message) => {
    const { code, stdout, stderr } = await toolgate(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(message);
  });
});

describe("the admin key", () => {
  it("is not sent over plain http to another machine", async () => {
    const { code, stderr } = await toolgate(["keys", "list", "--url", "http://toolgate.invalid"]);
    expect(code).toBe(1);
    expect(stderr).toContain("error: The admin key is not sent over plain http to toolgate.invalid");
  });

  it("is never quoted", async () => {
    const { code, stderr } = await toolgate(["keys", "list"], { TOOLGATE_ADMIN_KEY: "tga_in two\nlines" });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: The admin key can't be sent/);
    expect(stderr).not.toContain("tga_in");
  });

  it("of the local server comes from .dev.vars", async () => {
    const { url, asked } = await serveScript({ "GET /admin/v1/tools": TOOLS });
    const folder = makeFolder();
    writeFileSync(join(folder, ".dev.vars"), `ADMIN_KEY="${ADMIN_KEY}"\nSIGNING_SECRET="0123456789abcdef"\n`);
    await run(NODE, [CLI, "tools", "list"], folder, { PORT: new URL(url).port });
    expect(asked).toEqual([{ call: "GET /admin/v1/tools", authorization: AUTHORIZATION }]);
  });

  it("of the local server goes nowhere else", async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, ".dev.vars"), `ADMIN_KEY="${ADMIN_KEY}"\nSIGNING_SECRET="0123456789abcdef"\n`);
    const { code, stderr } = await runHere(["tools", "list", "--url=https://toolgate.invalid"], {}, folder);
    expect(code).toBe(1);
    expect(stderr).toBe("error: No admin key for toolgate.invalid.\nSet TOOLGATE_ADMIN_KEY.\n");
  });

  it("is asked for when there is none", async () => {
    const folder = join(makeFolder(), "empty");
    mkdirSync(folder);
    const { code, stderr } = await runHere(["tools", "list"], {}, folder);
    expect(code).toBe(1);
    expect(stderr).toContain('Run "npm start" once, or set TOOLGATE_ADMIN_KEY.');
  });
});

describe("help", () => {
  it.each([
    [["--help"], "keys create --name NAME make a key"],
    [["keys", "--help"], "keys revoke ID end a key for good"],
    [["keys", "create", "--help"], "--per-minute N tool calls a minute"],
    [["tools", "show", "--help"], "Usage: npm run -s toolgate -- tools show NAME\n"],
    [["tools", "lint", "--help"], "Usage: npm run -s toolgate -- tools lint [NAME] [options]\n"],
  ])("is there for %j", async (args, text) => {
    const { code, stdout, stderr } = await toolgate(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.replaceAll(/ +/g, " ")).toContain(text);
  });
});
