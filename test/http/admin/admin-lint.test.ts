import { reset } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { lintCatalogue } from "../../../src/lint/lint-catalogue.ts";
import { lintTool } from "../../../src/lint/lint-tool.ts";
import { builtinTools } from "../../../src/tools/builtin/catalog.ts";
import { qrCode } from "../../../src/tools/builtin/qr-code.ts";
import { openGate, readAnswer } from "../../support/app.ts";
import { atOnce } from "../../support/at-once.ts";

afterEach(() => reset());

const BAD = {
  name: "list_rows",
  description: "Lists rows.",
  inputSchema: { type: "object", properties: { rows: { type: "array" } } },
};
const DEFINITIONS = builtinTools.map(({ definition }) => definition);

const list = (count: number) => Array.from({ length: count }, () => ({}));

const lint = async (path: string, body?: unknown, gate = openGate()) =>
  readAnswer(await gate.admin("POST", path, body));
const problem = (status: number, code: string, title: string, detail: unknown) => ({
  status,
  body: { type: "about:blank", title, status, code, detail },
});

describe("POST /lint", () => {
  it("tells what clients make of a definition, with a place in it", async () => {
    const { status, body } = await lint("/lint", BAD);
    expect({ status, body }).toEqual({ status: 200, body: lintTool(BAD) });
    expect(body).toContainEqual({
      client: "gemini",
      path: "/inputSchema/properties/rows/items",
      rule: "array-items",
      level: "warning",
      message: expect.any(String),
    });
  });

  it("takes a list, and tells of each by its name", async () => {
    const body = [BAD, { ...BAD, name: "a b" }];
    expect(await lint("/lint", body)).toEqual({ status: 200, body: atOnce(lintCatalogue(body)) });
    expect(await lint("/lint", [])).toEqual({ status: 200, body: [] });
  });

  it("without a body is about the catalogue, disabled tools and an operator's annotations included", async () => {
    const gate = openGate();
    expect(await lint("/lint", undefined, gate)).toEqual({ status: 200, body: atOnce(lintCatalogue(DEFINITIONS)) });
    await gate.admin("PATCH", "/tools/tone", { enabled: false, annotations: { destructiveHint: true } });
    const { body } = await lint("/lint", undefined, gate);
    expect(body).toContainEqual(expect.objectContaining({ tool: "tone", rule: "readonly-destructive" }));
  });

  it("stores nothing", async () => {
    const gate = openGate();
    await lint("/lint", BAD, gate);
    await lint("/tools/list_rows/lint", BAD, gate);
    expect((await gate.admin("GET", "/tools/list_rows")).status).toBe(404);
    expect(await (await gate.admin("GET", "/tools")).json()).toMatchObject({ version: 1 });
  });

  it("takes as many definitions as there may be", async () => {
    expect((await lint("/lint", list(LIMITS.lintedTools))).status).toBe(200);
    const fault = `body: expected at most ${LIMITS.lintedTools} definitions, received ${LIMITS.lintedTools + 1}`;
    const tooMany = problem(400, "invalid_body", "Invalid body", fault);
    expect(await lint("/lint", list(LIMITS.lintedTools + 1))).toEqual(tooMany);
  });

  it.each<[unknown, unknown]>([
    ["7", expect.stringMatching(/^body: expected a tool's definition/)],
    ["null", expect.stringMatching(/^body: expected a tool's definition/)],
    ["[7]", expect.stringMatching(/^body: expected a tool's definition/)],
    ["{", "The body must be JSON"],
  ])("names the fault in %s", async (body, detail) => {
    expect(await lint("/lint", body)).toEqual(problem(400, "invalid_body", "Invalid body", detail));
  });
});

describe("POST /tools/{name}/lint", () => {
  it("without a body is about the tool of that name", async () => {
    expect(await lint("/tools/qr_code/lint")).toEqual({ status: 200, body: lintTool(qrCode.definition) });
  });

  it("with a body is about that, under the name", async () => {
    const { name: _, ...record } = BAD;
    expect(await lint("/tools/list_rows/lint", record)).toEqual({ status: 200, body: lintTool(BAD) });
    const { body } = await lint("/tools/a.b/lint", { ...BAD, allowDots: true });
    expect(body).toEqual(lintTool({ ...BAD, name: "a.b" }, { allowDots: true }));
  });

  it("knows only tools that there are", async () => {
    const detail = 'There is no tool "nothing"';
    expect(await lint("/tools/nothing/lint")).toEqual(problem(404, "not_found", "Not found", detail));
  });

  it.each([
    ["[]", "an array"],
    ["7", "a number"],
  ])("takes one definition, not %s", async (body, received) => {
    const detail = `body: expected a tool's definition, an object, received ${received}`;
    expect(await lint("/tools/x/lint", body)).toEqual(problem(400, "invalid_body", "Invalid body", detail));
  });
});
