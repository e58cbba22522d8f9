import { reset } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openGate, readAnswer, type Gate } from "../../support/app.ts";

let gate: Gate;

beforeEach(async () => {
  gate = openGate([], { SECRETS_KEY: "the-secrets-key-of-these-tests" });
  await gate.admin("PUT", "/secrets/THERE", { value: "s3cret-value" });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const ask = async (method: string, path: string, body: unknown) =>
  (await readAnswer(await gate.admin(method, path, body))).body as Record<string, unknown>;

const headers = { authorization: "Bearer {{secret:THERE}}", "x-a": "{{secret:GONE}}", "x-b": "{{secret:GONE}}" };
const source = { kind: "http", method: "GET", url: "https://api.example.com/", headers };
const record = { description: "d", inputSchema: { type: "object", properties: {} }, source };

const warning = (secret: string, tool: string) => ({
  client: "all",
  path: "/source",
  rule: "secret-unset",
  level: "warning",
  message: `The secret ${secret} is not set: calls fail until it is.`,
  tool,
});

const unsetIn = ({ warnings }: Record<string, unknown>): unknown[] =>
  (warnings as { rule: string }[]).filter(({ rule }) => rule === "secret-unset");

it("are told when a tool is put, and no more once they are set", async () => {
  expect(unsetIn(await ask("PUT", "/tools/a", record))).toEqual([warning("GONE", "a")]);
  const module = "export default () => 1";
  const code = { ...record, source: { kind: "code", module, secrets: ["THERE", "ALSO"] } };
  expect(unsetIn(await ask("PUT", "/tools/b", code))).toEqual([warning("ALSO", "b")]);
  await gate.admin("PUT", "/secrets/GONE", { value: "s3cret-value" });
  expect(unsetIn(await ask("PUT", "/tools/a", { ...record, title: "A" }))).toEqual([]);
});

it("are told of each tool that is put with others", async () => {
  const changes = ["a", "b"].map((name) => ({ op: "put", name, record }));
  expect(unsetIn(await ask("POST", "/tools", { changes }))).toEqual([warning("GONE", "a"), warning("GONE", "b")]);
});

it("are told of an import, next to those that are set", async () => {
  const document = {
    openapi: "3.1.0",
    info: { title: "x" },
    servers: [{ url: "https://x.example" }],
    components: { securitySchemes: { there: { type: "apiKey", in: "header", name: "x-key" } } },
    security: [{ there: [] }],
    paths: { "/b": { get: { operationId: "b", responses: {} } } },
  };
  await gate.admin("PUT", "/secrets/X_THERE", { value: "s3cret-value" });
  const query = new URLSearchParams({ dryRun: "true", headers: "x-a: {{secret:GONE}}" });
  expect(await ask("POST", `/imports/openapi?${query.toString()}`, document)).toMatchObject({
    secrets: [
      { name: "X_THERE", expects: expect.any(String), in: "header", field: "x-key", set: true },
      { name: "GONE", set: false },
    ],
  });
});

it("are told of an upstream", async () => {
  vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("no route"));
  const url = "https://up.example/mcp";
  expect(await ask("PUT", "/upstreams/up", { url, headers })).toMatchObject({ unsetSecrets: ["GONE"] });
  expect(await ask("PUT", "/upstreams/up", { url })).not.toHaveProperty("unsetSecrets");
});
