import { reset } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { builtinTools } from "../../../src/tools/builtin/catalog.ts";
import { calculate } from "../../../src/tools/builtin/calculate.ts";
import { errorOf, openCaller, openGate, readAnswer, type Gate, type HeaderFields } from "../../support/app.ts";

afterEach(() => reset());

const viewOf = ({ definition, timeoutMs }: (typeof builtinTools)[number]) => ({
  ...definition,
  enabled: true,
  timeoutMs,
  source: { kind: "builtin" },
});

const VIEWS = builtinTools.map(viewOf);
const CALCULATE = viewOf(calculate);

const problem = (status: number, code: string, title: string, detail: unknown) => ({
  status,
  body: { type: "about:blank", title, status, code, detail },
});
const noTool = (name: string) => problem(404, "not_found", "Not found", `There is no tool ${JSON.stringify(name)}`);

async function read(gate: Gate, method: string, path: string, body?: unknown, headers?: HeaderFields) {
  const response = await gate.admin(method, path, body, headers);
  return { etag: response.headers.get("etag"), ...(await readAnswer(response)) };
}

const changed = (version: number) => ({ etag: `"${version}"`, status: 200, body: { version } });

describe("GET /tools", () => {
  it("lists all tools in the order of their names, with the catalogue's version", async () => {
    const answer = { etag: '"1"', status: 200, body: { version: 1, tools: VIEWS } };
    expect(await read(openGate(), "GET", "/tools")).toEqual(answer);
    expect(await read(openGate(), "GET", "/tools/")).toEqual(answer);
  });

  it("lists those that are disabled, too", async () => {
    const gate = openGate();
    await gate.admin("PATCH", "/tools/calculate", { enabled: false });
    const tools = VIEWS.map((view) => (view.name === "calculate" ? { ...view, enabled: false } : view));
    expect(await read(gate, "GET", "/tools")).toEqual({ etag: '"2"', status: 200, body: { version: 2, tools } });
  });
});

describe("GET /tools/{name}", () => {
  it("says which gives back what it likes, in the code and as data", async () => {
    const gate = openGate([{ ...calculate, sanitize: false }]);
    const source = { kind: "http", method: "GET", url: "https://api.example.com/" };
    const record = { description: "d", inputSchema: { type: "object", properties: {} }, sanitize: false, source };
    expect((await gate.admin("PUT", "/tools/as_data", record)).status).toBe(201);
    const { body } = await read(gate, "GET", "/tools");
    const { tools } = body as { tools: { name: string; sanitize?: boolean }[] };
    expect(tools.map(({ name, sanitize }) => [name, sanitize])).toEqual([
      ["as_data", false],
      ["calculate", false],
    ]);
  });

  it("shows one", async () => {
    const answer = { etag: '"1"', status: 200, body: { version: 1, ...CALCULATE } };
    expect(await read(openGate(), "GET", "/tools/calculate")).toEqual(answer);
  });

  it.each(["nothing", "Calculate", "__proto__", "constructor", "calculate%20", "x".repeat(65)])(
    "%s is not there",
    async (name) => {
      const answer = await readAnswer(await openGate().admin("GET", `/tools/${name}`));
      expect(answer).toEqual(noTool(decodeURIComponent(name).slice(0, 64)));
    },
  );
});

describe("PATCH /tools/{name}", () => {
  it("takes a tool out of the list and out of reach, and puts it back", async () => {
    const gate = await openCaller();
    const params = { name: "calculate", arguments: { expression: "1+1" } };
    const listed = async (): Promise<boolean> =>
      JSON.stringify(await gate.ask("2025-11-25", "tools/list")).includes('"calculate"');
    expect(await read(gate, "PATCH", "/tools/calculate", { enabled: false })).toEqual(changed(2));
    expect(await listed()).toBe(false);
    const unknown = { status: 200, body: errorOf(-32602, 1, "Unknown tool: calculate") };
    expect(await gate.ask("2025-11-25", "tools/call", params)).toEqual(unknown);
    expect(await read(gate, "PATCH", "/tools/calculate", { enabled: true })).toEqual(changed(3));
    expect(await listed()).toBe(true);
    expect(await gate.ask("2025-11-25", "tools/call", params)).toMatchObject({ body: { result: {} } });
  });

  it("lays annotations over the tool's own, one by one", async () => {
    const gate = openGate();
    await gate.admin("PATCH", "/tools/calculate", { annotations: { title: "Sums", readOnlyHint: false } });
    expect(await read(gate, "PATCH", "/tools/calculate", { annotations: { openWorldHint: true } })).toEqual(changed(3));
    const annotations = { ...CALCULATE.annotations, title: "Sums", readOnlyHint: false, openWorldHint: true };
    const body = { version: 3, ...CALCULATE, annotations };
    expect(await read(gate, "GET", "/tools/calculate")).toEqual({ etag: '"3"', status: 200, body });
  });

  it.each([{ enabled: true }, { annotations: {} }, { enabled: true, annotations: {} }])(
    "makes no version of %j, which changes nothing",
    async (patch) => {
      expect(await read(openGate(), "PATCH", "/tools/calculate", patch)).toEqual(changed(1));
    },
  );

  it("makes no version of what is so already", async () => {
    const gate = openGate();
    const patch = { enabled: false, annotations: { title: "Sums" } };
    expect(await read(gate, "PATCH", "/tools/calculate", patch)).toEqual(changed(2));
    expect(await read(gate, "PATCH", "/tools/calculate", patch)).toEqual(changed(2));
  });

  it.each<[unknown, unknown]>([
    [{}, expect.stringContaining('expected "enabled", "annotations" or "cost"')],
    [{ enabled: "no" }, expect.stringMatching(/^enabled: /)],
    [{ enabled: null }, expect.stringMatching(/^enabled: /)],
    [{ enabled: true, description: "x" }, expect.stringMatching(/^description: /)],
    [{ annotations: { readOnlyHint: 1 } }, expect.stringMatching(/^annotations\.readOnlyHint: /)],
    [{ annotations: { colour: "red" } }, expect.stringMatching(/^annotations\.colour: /)],
    ["[]", expect.stringMatching(/^body: /)],
    ["", "The body must be JSON"],
  ])("names the fault in %j", async (patch, detail) => {
    const gate = openGate();
    const answer = await readAnswer(await gate.admin("PATCH", "/tools/calculate", patch));
    expect(answer).toEqual(problem(400, "invalid_body", "Invalid body", detail));
    expect(await read(gate, "GET", "/tools/calculate")).toMatchObject({ etag: '"1"' });
  });

  it("knows only tools that there are", async () => {
    expect(await readAnswer(await openGate().admin("PATCH", "/tools/nothing", { enabled: false }))).toEqual(
      noTool("nothing"),
    );
  });
});

describe("If-Match", () => {
  it.each(['"1"', "*", undefined])("%s lets the change through", async (value) => {
    const answer = await read(openGate(), "PATCH", "/tools/calculate", { enabled: false }, { "if-match": value });
    expect(answer).toEqual(changed(2));
  });

  it.each([0, 2])("%i, when the catalogue is at 1, stops it", async (version) => {
    const gate = openGate();
    const headers = { "if-match": `"${version}"` };
    const detail = "The catalogue is at version 1 by now";
    const answer = await readAnswer(await gate.admin("PATCH", "/tools/calculate", { enabled: false }, headers));
    expect(answer).toEqual(problem(412, "version_mismatch", "Version mismatch", detail));
    expect(await read(gate, "GET", "/tools/calculate")).toMatchObject({ body: { enabled: true, version: 1 } });
  });

  it.each(["", "1", 'W/"1"', '"1", "2"', '"x"', '"-1"', '"9999999999999999"'])("%j is no version", async (value) => {
    const gate = openGate();
    const answer = await readAnswer(
      await gate.admin("PATCH", "/tools/calculate", { enabled: false }, { "if-match": value }),
    );
    const detail = 'If-Match must be a version such as "7", quotes included';
    expect(answer).toEqual(problem(400, "invalid_body", "Invalid body", detail));
  });

  it("lets one of two through that saw the same version", async () => {
    const gate = openGate();
    const patch = (name: string) => gate.admin("PATCH", `/tools/${name}`, { enabled: false }, { "if-match": '"1"' });
    const responses = await Promise.all([patch("calculate"), patch("tone")]);
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 412]);
  });
});
