import { reset } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../../src/env.ts";
import { LIMITS } from "../../../src/lib/limits.ts";
import { openGate, readAnswer, REVISIONS, type Gate } from "../../support/app.ts";

afterEach(() => reset());

const SOURCE = { kind: "http", method: "GET", url: "https://api.example.com/users/{id}" };
const INPUT = { type: "object", properties: { id: { type: "string", description: "Whose" } }, required: ["id"] };
const RECORD = { title: "Find user", description: "Finds a user.", inputSchema: INPUT, source: SOURCE };

const put = async (gate: Gate, name: string, record: unknown = RECORD, headers = {}) =>
  readAnswer(await gate.admin("PUT", `/tools/${name}`, record, headers));
const read = async (gate: Gate, path: string) => readAnswer(await gate.admin("GET", path));

describe("PUT /tools/{name}", () => {
  it("makes a tool that is listed and called at once, and says what clients make of it", async () => {
    const fetcher = vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({ name: "Ada" }));
    const gate = openGate();
    expect(await put(gate, "find_user")).toEqual({ status: 201, body: { version: 2, warnings: expect.any(Array) } });
    expect(await put(gate, "find_user", { ...RECORD, title: "Find" })).toMatchObject({
      status: 200,
      body: { version: 3 },
    });
    const caller = gate.caller(await gate.mint());
    const { body } = await caller.ask("2025-11-25", "tools/call", { name: "find_user", arguments: { id: "a/b" } });
    const [[url] = []] = fetcher.mock.calls;
    fetcher.mockRestore();
    expect([url, body]).toMatchObject([
      "https://api.example.com/users/a%2Fb",
      { result: { structuredContent: { name: "Ada" } } },
    ]);
  });

  it("leaves the catalogue as it is where it is the same record again, and says so", async () => {
    const gate = openGate();
    await put(gate, "find_user");
    expect(await put(gate, "find_user")).toEqual({
      status: 200,
      body: { version: 2, unchanged: true, warnings: expect.any(Array) },
    });
    expect((await read(gate, "/tools")).body).toMatchObject({ version: 2 });
  });

  it("refuses arguments by its schema, in the words of any tool", async () => {
    const gate = openGate();
    await put(gate, "find_user");
    const caller = gate.caller(await gate.mint());
    const { body } = await caller.ask("2025-11-25", "tools/call", { name: "find_user", arguments: { id: 7 } });
    expect(body).toMatchObject({
      result: {
        isError: true,
        content: [{ text: expect.stringMatching(/^Invalid arguments for tool find_user: id /) }],
      },
    });
  });

  it.each(REVISIONS)("describes parts of results by objects, for %s, where it has no other", async (revision) => {
    const gate = openGate();
    const outputSchema = { type: "object", properties: { id: { type: "string" }, any: true, none: false } };
    expect((await put(gate, "odd", { ...RECORD, outputSchema })).status).toBe(201);
    const caller = gate.caller(await gate.mint({ tools: { allow: ["odd"] } }));
    const { body } = await caller.ask(revision, "tools/list");
    const { tools } = (body as { result: { tools: Record<string, unknown>[] } }).result;
    const told = { type: "object", properties: { id: { type: "string" }, any: {}, none: { not: {} } } };
    const expected = { "2026-07-28": outputSchema, "2025-11-25": told, "2025-06-18": told }[revision as string];
    expect(tools.map((tool) => tool["outputSchema"])).toEqual([expected]);
  });

  it.each(REVISIONS)("lists schemas as they came, for %s", async (revision) => {
    const gate = openGate();
    const schema =
      '{"type":"object","properties":{"2":{"const":1.0},"1":{"maximum":12345678901234567890},"b":{"default":"\\u0041"}}}';
    const text = JSON.stringify({ ...RECORD, source: { ...SOURCE, url: "https://api.example.com/" } });
    const record = text.replace(JSON.stringify(INPUT), schema.replaceAll(",", " ,\n  "));
    expect((await put(gate, "odd", record)).status).toBe(201);
    const caller = gate.caller(await gate.mint());
    const params = revision === "2026-07-28" ? `{"_meta":${META}}` : "{}";
    const response = await caller.send(
      `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${params}}`,
      revision === "2026-07-28"
        ? { "mcp-protocol-version": revision, "mcp-method": "tools/list" }
        : { "mcp-protocol-version": revision },
    );
    expect(await response.text()).toContain(`"inputSchema":${schema}`);
  });

  it.each<[string, string, unknown, RegExp]>([
    ["a name with a dot", "a.b", RECORD, /name: .*allowDots/],
    ["a name with a blank", "a%20b", RECORD, /name: /],
    ["a name of 65 characters", "n".repeat(65), RECORD, /name: /],
    ["no description", "x", { ...RECORD, description: " " }, /description/],
    ["what it does not know", "x", { ...RECORD, colour: "red" }, /colour/],
    [
      "a schema of another dialect",
      "x",
      { ...RECORD, inputSchema: { ...INPUT, $schema: "http://json-schema.org/draft-04/schema#" } },
      /inputSchema.*draft-04/,
    ],
    [
      "a reference that leads out",
      "x",
      { ...RECORD, inputSchema: { ...INPUT, $ref: "http://169.254.169.254/x" } },
      /inputSchema/,
    ],
    [
      "a pattern with a back reference",
      "x",
      {
        ...RECORD,
        inputSchema: { type: "object", properties: { id: { type: "string", pattern: "(a)\\1" } }, required: ["id"] },
      },
      /inputSchema/,
    ],
    [
      "a slot without an argument",
      "x",
      { ...RECORD, source: { ...SOURCE, url: "https://api.example.com/{who}" } },
      /source\.url: \{who\}/,
    ],
    ["plain http", "x", { ...RECORD, source: { ...SOURCE, url: "http://api.example.com/{id}" } }, /source\.url/],
    ["an address", "x", { ...RECORD, source: { ...SOURCE, url: "https://169.254.169.254/{id}" } }, /source\.url/],
    ["hidden characters", "x", { ...RECORD, description: "Finds\u200b a user\u{E0041}." }, /hidden|U\+200B/i],
  ])("refuses %s", async (_, name, record, detail) => {
    const gate = openGate();
    expect(await put(gate, name, record)).toMatchObject({
      status: 400,
      body: { code: "invalid_body", detail: expect.stringMatching(detail) },
    });
    expect(await read(gate, "/tools")).toMatchObject({ body: { version: 1 } });
  });

  it("allows dots to who asks for them", async () => {
    expect((await put(openGate(), "a.b", { ...RECORD, allowDots: true })).status).toBe(201);
  });

  it.each([".", ".."])("refuses %s, which no route could reach", async (name) => {
    const gate = openGate();
    const change = { op: "put", name, record: { ...RECORD, allowDots: true } };
    expect(await readAnswer(await gate.admin("POST", "/tools", { changes: [change] }))).toMatchObject({
      status: 400,
      body: { code: "invalid_body", detail: expect.stringContaining(`changes.0 (${name}): name: expected `) },
    });
    expect(await read(gate, "/tools")).toMatchObject({ body: { version: 1 } });
  });

  it("leaves the code's tools alone", async () => {
    expect(await put(openGate(), "tone")).toMatchObject({ status: 409, body: { code: "builtin_tool" } });
  });

  it("takes If-Match", async () => {
    const gate = openGate();
    expect((await put(gate, "x", RECORD, { "if-match": '"1"' })).status).toBe(201);
    expect(await put(gate, "x", { ...RECORD, title: "new" }, { "if-match": '"1"' })).toMatchObject({ status: 412 });
  });

  it("needs the scope admin", async () => {
    const gate = openGate();
    const headers = { authorization: `Bearer ${await gate.mint({ scopes: ["admin:read"] })}` };
    expect((await put(gate, "x", RECORD, headers)).status).toBe(403);
  });
});

describe("a tool that came as data", () => {
  it("is shown as it was put", async () => {
    const gate = openGate();
    const record = { ...RECORD, annotations: { readOnlyHint: true }, timeoutMs: 5_000, cost: 2, sanitize: false };
    await put(gate, "find_user", record);
    expect(await read(gate, "/tools/find_user")).toEqual({
      status: 200,
      body: { version: 2, name: "find_user", ...record, enabled: true },
    });
    expect(await read(gate, "/tools")).toMatchObject({
      body: { tools: expect.arrayContaining([expect.objectContaining({ name: "find_user", source: SOURCE })]) },
    });
  });

  it("is disabled, annotated and deleted like any, and remembered", async () => {
    const gate = openGate();
    await put(gate, "find_user");
    const patch = { enabled: false, annotations: { readOnlyHint: true } };
    expect((await gate.admin("PATCH", "/tools/find_user", patch)).status).toBe(200);
    const caller = gate.caller(await gate.mint());
    expect(await caller.ask("2025-11-25", "tools/call", { name: "find_user" })).toMatchObject({
      body: { error: { code: -32602, message: "Unknown tool: find_user" } },
    });
    expect((await gate.admin("DELETE", "/tools/find_user")).status).toBe(200);
    expect((await gate.admin("DELETE", "/tools/find_user")).status).toBe(404);
    expect(await read(gate, "/tools/find_user")).toMatchObject({ status: 404 });
    expect(await read(gate, "/tools/find_user/history")).toMatchObject({
      body: {
        versions: [
          { version: 4, who: "admin", deleted: true },
          { version: 3, tool: { enabled: false, annotations: { readOnlyHint: true } } },
          { version: 2, tool: { title: "Find user", inputSchema: INPUT, enabled: true } },
        ],
      },
    });
  });
});

describe("PUT /tools/{name} of a tool that is there", () => {
  it("keeps whether it is enabled, unless the record says so, and says when it is not", async () => {
    const gate = openGate();
    await put(gate, "x");
    await gate.admin("PATCH", "/tools/x", { enabled: false });
    const kept = { status: 200, body: { version: 4, enabled: false, warnings: expect.any(Array) } };
    expect(await put(gate, "x", { ...RECORD, title: "New" })).toEqual(kept);
    expect(await read(gate, "/tools/x")).toMatchObject({ body: { title: "New", enabled: false } });
    const told = { status: 200, body: { version: 5, warnings: expect.any(Array) } };
    expect(await put(gate, "x", { ...RECORD, enabled: true })).toEqual(told);
    await gate.admin("PATCH", "/tools/x", { enabled: false });
    await gate.admin("DELETE", "/tools/x");
    await put(gate, "x");
    expect(await read(gate, "/tools/x")).toMatchObject({ body: { enabled: true } });
  });
});

describe("GET /tools/{name}/history/{version}", () => {
  const source = { kind: "code", module: "export default () => 'first'" };
  const record = { description: "Says which it is.", inputSchema: { type: "object" }, source };

  it("is that version, a code tool's with its module", async () => {
    const gate = openGate();
    await put(gate, "which", record);
    await put(gate, "which", { ...record, source: { ...source, module: "export default () => 'second'" } });
    expect(await read(gate, "/tools/which/history/2")).toEqual({
      status: 200,
      body: {
        version: 2,
        at: expect.any(String),
        who: "admin",
        tool: { name: "which", ...record, enabled: true, source: { ...source, hash: expect.any(String) } },
      },
    });
    await gate.admin("DELETE", "/tools/which");
    expect(await read(gate, "/tools/which/history/4")).toMatchObject({ body: { deleted: true } });
  });

  it.each(["/tools/tone/history/7", "/tools/none/history/1", "/tools/x/history/03", "/tools/x/history/x"])(
    "is not found: %s",
    async (path) => {
      const gate = openGate();
      await put(gate, "x");
      await put(gate, "x", { ...RECORD, title: "New" });
      expect(await read(gate, path)).toMatchObject({ status: 404, body: { code: "not_found" } });
    },
  );
});

const change = async (gate: Gate, changes: unknown) => readAnswer(await gate.admin("POST", "/tools", { changes }));
const deletionsOf = (count: number) => Array.from({ length: count }, (_, i) => ({ op: "delete", name: `t${i}` }));

describe("POST /tools", () => {
  it("makes several changes one version, or none", async () => {
    const gate = openGate();
    const changes = [
      { op: "put", name: "a", record: RECORD },
      { op: "put", name: "b", record: RECORD },
      { op: "patch", name: "tone", patch: { enabled: false } },
    ];
    expect(await change(gate, [...changes, { op: "delete", name: "none" }])).toMatchObject({ status: 404 });
    expect(await read(gate, "/tools")).toMatchObject({ body: { version: 1 } });
    expect(await change(gate, changes)).toMatchObject({ status: 200, body: { version: 2 } });
  });

  it("says which of them is wrong", async () => {
    const wrong = { op: "put", name: "b", record: { ...RECORD, description: "" } };
    expect(await change(openGate(), [{ op: "put", name: "a", record: RECORD }, wrong])).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^changes\.1 \(b\): description/) },
    });
  });

  it(`takes ${LIMITS.toolEdits} of them, and not one more`, async () => {
    const gate = openGate();
    expect(await change(gate, deletionsOf(LIMITS.toolEdits))).toMatchObject({ status: 404 });
    expect(await change(gate, deletionsOf(LIMITS.toolEdits + 1))).toMatchObject({ status: 400 });
    expect(await change(gate, [])).toMatchObject({ status: 400 });
  });
});

describe("a code tool", () => {
  const source = { kind: "code", module: "export default async ({ n }) => ({ structuredContent: { twice: 2 * n } })" };
  const record = {
    description: "Doubles a number.",
    inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    outputSchema: { type: "object", properties: { twice: { type: "number" } }, required: ["twice"] },
    source,
  };

  it("runs as soon as it is put, and is shown with its module", async () => {
    const gate = openGate();
    expect((await put(gate, "double", record)).status).toBe(201);
    const caller = gate.caller(await gate.mint());
    expect(await caller.ask("2025-11-25", "tools/call", { name: "double", arguments: { n: 21 } })).toMatchObject({
      body: { result: { structuredContent: { twice: 42 } } },
    });
    expect(await read(gate, "/tools/double")).toMatchObject({
      body: { source: { ...source, hash: expect.any(String) } },
    });
  });

  it.each([
    ["does not parse", "export default async () => {", /source\.module: .*SyntaxError/],
    ["fails to start", "throw new Error('no'); export default () => 1", /source\.module: .*no/],
    ["exports no function", "export default 7", /source\.module: expected a function/],
  ])("is refused when its module %s", async (_, module, detail) => {
    const gate = openGate();
    expect(await put(gate, "bad", { ...record, source: { kind: "code", module } })).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(detail) },
    });
  });

  it("is refused where there is no loader", async () => {
    const gate = openGate(undefined, { LOADER: undefined } as unknown as Partial<Env>);
    expect(await put(gate, "double", record)).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/source\.module: /) },
    });
  });
});

const META = JSON.stringify({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
});

describe("PUT /tools/{name}?dryRun=true", () => {
  it("says what putting it would come to, and stores nothing", async () => {
    const gate = openGate();
    const first = await put(gate, "find_user?dryRun=true");
    const before = await read(gate, "/tools/find_user");
    await put(gate, "find_user");
    const second = await put(gate, "find_user?dryRun=true", { ...RECORD, title: "Another" });
    const after = await read(gate, "/tools/find_user");
    expect([first, before.status, second, after]).toEqual([
      { status: 200, body: { dryRun: true, change: "create", faults: [], warnings: expect.any(Array) } },
      404,
      {
        status: 200,
        body: { dryRun: true, change: "update", changed: ["title"], faults: [], warnings: expect.any(Array) },
      },
      { status: 200, body: expect.objectContaining({ version: 2, title: "Find user" }) },
    ]);
  });

  it.each<[string, object, string[]]>([
    ["the same", {}, []],
    ["members that come, go and change", { title: undefined, timeoutMs: 5, cost: 2 }, ["timeoutMs", "cost", "title"]],
    ["enabled: false", { enabled: false }, ["enabled"]],
    ["another schema", { inputSchema: { ...RECORD.inputSchema, title: "x" } }, ["inputSchema"]],
    ["a member of its source", { source: { ...SOURCE, url: `${SOURCE.url}?a=1` } }, ["source.url"]],
    ["a source of another kind", { source: { kind: "code", module: "export default () => 1" } }, ["source"]],
  ])("names what %s would change", async (_, more, changed) => {
    const gate = openGate();
    await put(gate, "find_user");
    const { body } = await put(gate, "find_user?dryRun=true", { ...RECORD, ...more });
    expect(body).toMatchObject({ change: "update", changed, faults: [] });
  });

  it("takes a tool that stays disabled for unchanged", async () => {
    const gate = openGate();
    await put(gate, "find_user", { ...RECORD, enabled: false });
    expect((await put(gate, "find_user?dryRun=true")).body).toMatchObject({ changed: [], enabled: false });
  });

  it("tells what is wrong one by one, each with its place", async () => {
    const source = { ...SOURCE, url: "https://api.example.com/users/{whom}", headers: { "x-a": "{nobody}" } };
    expect(await put(openGate(), "find_user?dryRun=true", { ...RECORD, source })).toEqual({
      status: 200,
      body: {
        dryRun: true,
        faults: [
          { path: "source.url", message: expect.stringContaining("whom") },
          { path: "source.headers.x-a", message: expect.stringContaining("nobody") },
        ],
        warnings: [],
      },
    });
  });

  it("tells that a name is one of the server's own", async () => {
    expect(await put(openGate(), "calculate?dryRun=true")).toMatchObject({
      status: 200,
      body: { faults: [{ path: "name", message: expect.stringContaining("in the server's code") }] },
    });
  });

  it.each(["dryRun=yes", "dryrun=true"])("refuses %s", async (query) => {
    expect(await put(openGate(), `find_user?${query}`)).toMatchObject({ status: 400, body: { code: "invalid_query" } });
  });
});
