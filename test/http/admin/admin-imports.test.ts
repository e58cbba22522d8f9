import { reset } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { importOpenApi } from "../../openapi/import-at-once.ts";
import { branchingDocument } from "../../openapi/large-documents.ts";
import { openGate, readAnswer, type Gate } from "../../support/app.ts";
import { harbourApi } from "../../support/harbour-api.ts";

afterEach(() => reset());

const post = async (query: string, document: unknown = harbourApi(), headers = {}) =>
  readAnswer(await openGate().admin("POST", `/imports/openapi${query}`, document, headers));

const problem = (status: number, code: string, title: string, detail: unknown) => ({
  status,
  body: { type: "about:blank", title, status, code, detail },
});

/** A document that is one byte longer than `bytes` says, or as long. */
const documentOf = (bytes: number): string => {
  const empty = JSON.stringify({ openapi: "3.1.0", info: { title: "Long" }, paths: {}, x: "" });
  return empty.replace('""', JSON.stringify("x".repeat(bytes - empty.length)));
};

describe("POST /imports/openapi?dryRun=true", () => {
  it("says what would become of the document", async () => {
    const { tools, ...rest } = importOpenApi(harbourApi());
    expect(await post("?dryRun=true")).toEqual({
      status: 200,
      body: {
        dryRun: true,
        version: 1,
        ...rest,
        secrets: rest.secrets.map((slot) => ({ ...slot, set: false })),
        tools: tools.map((tool) => ({ ...tool, change: "create" })),
        gone: [],
        warnings: expect.any(Array),
      },
    });
  });

  it("takes options from the query", async () => {
    const lists = "&includeTags=ships&includeTags=signals&excludeTags=x&includePaths=/s*&excludePaths=/ships*";
    const more =
      "&includeOperations=s*&excludeOperations=x&prefix=h_&server=http://127.0.0.1:99/v2&maxTools=1&deprecated=true";
    const rest = "&api=port&outputSchemas=on&headers=X-A:%20b:c&headers=x-d:e";
    const { tools, ...told } = importOpenApi(harbourApi(), {
      api: "port",
      includeTags: ["ships", "signals"],
      includePaths: ["/s*"],
      excludePaths: ["/ships*"],
      includeOperations: ["s*"],
      prefix: "h_",
      server: "http://127.0.0.1:99/v2",
      maxTools: 1,
      deprecated: true,
      outputSchemas: "on",
      headers: { "X-A": "b:c", "x-d": "e" },
    });
    expect(tools.map(({ name }) => name)).toEqual(["h_sendSignal"]);
    expect(await post(`?dryRun=true${lists}${more}${rest}`)).toEqual({
      status: 200,
      body: {
        dryRun: true,
        version: 1,
        ...told,
        secrets: told.secrets.map((slot) => ({ ...slot, set: false })),
        tools: tools.map((tool) => ({ ...tool, change: "create" })),
        gone: [],
        warnings: expect.any(Array),
      },
    });
  });

  it("tells what lint has against the tools, but for notes, up to a number", async () => {
    const parameters = [{ name: "n", in: "query", schema: { type: "integer", exclusiveMinimum: 0 } }];
    const paths = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`/p${at}`, { get: { parameters } }]));
    const counts = [];
    for (const count of [LIMITS.importWarnings - 1, LIMITS.importWarnings, LIMITS.importWarnings + 1]) {
      const servers = [{ url: "https://a.example" }];
      const { body } = await post("?dryRun=true", {
        openapi: "3.1.0",
        info: { title: "L" },
        servers,
        paths: paths(count),
      });
      counts.push((body as { warnings: object[] }).warnings.length);
    }
    expect(counts).toEqual([LIMITS.importWarnings - 1, LIMITS.importWarnings, LIMITS.importWarnings]);
  });

  it("does not take the name of a tool in the code", async () => {
    const document = {
      openapi: "3.1.0",
      info: { title: "Sums" },
      servers: [{ url: "https://sums.example" }],
      paths: { "/": { get: { operationId: "calculate" } } },
    };
    const { body } = await post("?dryRun=true", document);
    expect(body).toMatchObject({ tools: [{ name: "calculate", change: "conflict" }] });
  });

  it.each([
    [
      "",
      [expect.stringMatching(/^calls are refused, unless EGRESS_ALLOW names the server: .*127\.0\.0\.1:8991 opens/)],
    ],
    ["127.0.0.1:8990", [expect.stringMatching(/^calls are refused/)]],
    ["127.0.0.1:8990,127.0.0.1:8991", []],
  ])("notes that a server is refused only where it is: EGRESS_ALLOW=%s", async (EGRESS_ALLOW, notes) => {
    const document = {
      openapi: "3.1.0",
      info: { title: "Near" },
      servers: [{ url: "http://127.0.0.1:8991" }],
      paths: { "/": { get: { operationId: "near" } } },
    };
    const gate = openGate(undefined, { EGRESS_ALLOW });
    const { body } = await readAnswer(await gate.admin("POST", "/imports/openapi?dryRun=true", document));
    expect(body).toMatchObject({ notes: notes.map((note) => ({ operation: "GET /", note })) });
  });

  it.each([
    ["?dryRun=perhaps", /^dryRun: /],
    ["?dryRun=true&nope=1", /^nope: /],
    ["?dryRun=true&prefix=a&prefix=b", /^prefix: /],
    ["?dryRun=true&prefix=a.b", "prefix: expected at most 32 of A-Z, a-z, 0-9, _ and -"],
    ["?dryRun=true&api=A", "api: expected 1 to 32 of a-z, 0-9 and -"],
    ["?dryRun=true&server=/v1", "server: expected an http or https URL without user, query or fragment"],
    [
      "?dryRun=true&server=https://a:b@c.example",
      "server: expected an http or https URL without user, query or fragment",
    ],
    ["?dryRun=true&maxTools=0", /^maxTools: /],
    [`?dryRun=true&maxTools=${LIMITS.importTools + 1}`, /^maxTools: /],
    ["?dryRun=true&headers=no", "headers.no: expected a value after the header's name"],
    ["?dryRun=true&outputSchemas=maybe", /^outputSchemas: /],
    [`?dryRun=true&includeTags=${"x".repeat(LIMITS.importGlobChars + 1)}`, /^includeTags.0: /],
    [`?dryRun=true${"&includeTags=x".repeat(LIMITS.importGlobs + 1)}`, /^includeTags: /],
  ])("refuses %s", async (query, detail) => {
    expect(await post(query)).toEqual(problem(400, "invalid_query", "Invalid query", expect.stringMatching(detail)));
  });

  it.each([
    ["{", "The body must be JSON"],
    [{ swagger: "2.0" }, 'expected OpenAPI 3.0 or 3.1, received "swagger" 2.0: convert the document first'],
    [`${"[".repeat(LIMITS.jsonDepth + 1)}${"]".repeat(LIMITS.jsonDepth + 1)}`, /^The body has nesting too deep/],
    [`[${"0,".repeat(LIMITS.importMembers)}0]`, /^The body has too many members/],
  ])("refuses such a body", async (body, detail) => {
    expect(await post("?dryRun=true", body)).toEqual(
      problem(400, "invalid_body", "Invalid body", expect.stringMatching(detail)),
    );
  });

  it("takes a document up to the limit", async () => {
    expect(await post("?dryRun=true", documentOf(LIMITS.importBytes))).toMatchObject({ status: 200 });
    expect(await post("?dryRun=true", documentOf(LIMITS.importBytes + 1))).toEqual(
      problem(
        413,
        "invalid_body",
        "Invalid body",
        `Invalid request: the body is longer than ${LIMITS.importBytes} bytes`,
      ),
    );
  });

  it("is for admins", async () => {
    expect(await post("?dryRun=true", harbourApi(), { authorization: "Bearer nobody" })).toMatchObject({ status: 401 });
  });
});

const importInto = async (gate: Gate, query = "", document: unknown = harbourApi(), headers = {}) => {
  const { status, body } = await readAnswer(await gate.admin("POST", `/imports/openapi${query}`, document, headers));
  return { status, body: body as Record<string, unknown> };
};
const read = async (gate: Gate, path: string) =>
  (await readAnswer(await gate.admin("GET", path))).body as Record<string, unknown>;
const namesOf = (tools: unknown): string[] => (tools as { name: string }[]).map(({ name }) => name);

describe("POST /imports/openapi", () => {
  it("puts the tools into the catalogue as one version, which clients see", async () => {
    const gate = openGate();
    const { tools } = importOpenApi(harbourApi());
    const { status, body } = await importInto(gate);
    expect([status, body["version"], namesOf(body["tools"])]).toEqual([200, 2, namesOf(tools)]);
    const listed = await gate.caller(await gate.mint()).ask("2025-11-25", "tools/list");
    const { result } = listed.body as { result: { tools: { name: string; inputSchema: unknown }[] } };
    for (const { name, record } of tools) {
      expect(result.tools.find((tool) => tool.name === name)?.inputSchema).toEqual(record.inputSchema);
    }
    const { rows } = (await read(gate, "/audit?kind=admin&limit=2")) as { rows: object[] };
    expect(rows[1]).toMatchObject({ action: "tool.import", target: "harbour-api", outcome: "changed", version: 2 });
  });

  it("has unknown arguments refused by a schema that says so only at the call", async () => {
    const gate = openGate();
    await importInto(gate);
    const caller = gate.caller(await gate.mint());
    const { inputSchema } = (await read(gate, "/tools/listShips")) as { inputSchema: object };
    expect(Object.keys(inputSchema)).toEqual(["type", "properties"]);
    const params = { name: "listShips", arguments: { limit: 1, limits: 2, nope: 3 } };
    const known = "flag, sort, berths, filter_name, filter_min_length, limit, X_Trace";
    const fault = (name: string) => `${name} (additionalProperties): unknown argument: expected ${known}`;
    const text = `Invalid arguments for tool listShips: ${fault("limits")}; ${fault("nope")}`;
    expect(await caller.ask("2025-11-25", "tools/call", params)).toMatchObject({
      body: { result: { isError: true, content: [{ type: "text", text }] } },
    });
  });

  it("leaves an argument that an operator's own schema takes to it", async () => {
    vi.spyOn(globalThis, "fetch").mockImplementation(() => Promise.resolve(new Response("some")));
    const gate = openGate();
    const source = { kind: "http", method: "GET", url: "https://ships.example/" };
    const inputSchema = { type: "object", allOf: [{ properties: { a: { type: "string" } } }] };
    const record = { description: "Ships.", inputSchema, origin: "openapi:ships", source };
    expect((await gate.admin("PUT", "/tools/ships", record)).status).toBe(201);
    const caller = gate.caller(await gate.mint());
    const call = (args: object) => caller.ask("2025-11-25", "tools/call", { name: "ships", arguments: args });
    expect(JSON.stringify(await call({ a: 1 }))).toContain("a (type)");
    expect(await call({ a: "x" })).toMatchObject({ body: { result: { content: [{ type: "text", text: "some" }] } } });
    vi.restoreAllMocks();
  });

  it("changes nothing when it is done again, and keeps what operators set", async () => {
    const gate = openGate();
    const { body: first } = await importInto(gate);
    const [name = ""] = namesOf(first["tools"]);
    await gate.admin("PATCH", `/tools/${name}`, { enabled: false, cost: 3 });
    const { body } = await importInto(gate);
    expect(body).toMatchObject({
      version: 3,
      tools: expect.arrayContaining([expect.objectContaining({ change: "unchanged" })]),
    });
    expect(await read(gate, `/tools/${name}`)).toMatchObject({ enabled: false, cost: 3 });
  });

  it("removes what went away only when it is asked to", async () => {
    const gate = openGate();
    await importInto(gate);
    const one = "?includeOperations=listShips";
    const { body: kept } = await importInto(gate, one);
    expect([kept["removed"], (kept["gone"] as string[]).length > 0]).toEqual([[], true]);
    const { body: removed } = await importInto(gate, `${one}&removeGone=true`);
    expect(removed["removed"]).toEqual(kept["gone"]);
    expect(namesOf((await read(gate, "/tools"))["tools"])).not.toContain((kept["gone"] as string[])[0]);
  });

  it("is refused when the catalogue changed since it was looked at", async () => {
    const gate = openGate();
    expect(await importInto(gate, "", harbourApi(), { "if-match": '"7"' })).toMatchObject({
      status: 412,
      body: { code: "version_mismatch" },
    });
  });
});

it("others are served while a large document is imported", async () => {
  const gate = openGate();
  const importing = gate.admin("POST", "/imports/openapi?dryRun=true", branchingDocument(80));
  const done = importing.then(() => "done");
  let served = 0;
  // An event of its own each, as requests are.
  while ((await Promise.race([done, scheduler.wait(0)])) !== "done") {
    expect((await gate.fetch("/healthz")).status).toBe(200);
    served++;
  }
  expect((await importing).status).toBe(200);
  expect(served).toBeGreaterThan(20);
});
