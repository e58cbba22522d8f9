// A secret that an operator pastes into the wrong place of a body comes back to them, who sent it, and goes nowhere else.

import { reset } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openGate, readAnswer, type Gate } from "../../support/app.ts";

const SECRET = "s3cret-v4lue";
const SCHEMA = { type: "object" };
const SOURCE = { kind: "http", method: "GET", url: "https://api.example.com/" };

const logged: string[] = [];
beforeEach(() => {
  logged.length = 0;
  for (const level of ["error", "warn", "log"] as const) {
    vi.spyOn(console, level).mockImplementation((...line: unknown[]) => void logged.push(line.map(String).join(" ")));
  }
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

/** All that an admin key is shown of what was done and what there is. */
async function readTraces(gate: Gate): Promise<string> {
  const paths = ["/audit", "/keys", "/tools", "/upstreams", "/secrets"];
  const texts = await Promise.all(paths.map(async (path) => (await gate.admin("GET", path)).text()));
  return texts.join();
}

it.each<[string, string, unknown]>([
  ["POST", "/keys", { name: "a", [SECRET]: 1 }],
  ["POST", "/keys", { name: "a", scopes: [SECRET] }],
  ["POST", "/keys", { name: "a", limits: { perMinute: SECRET } }],
  ["POST", "/keys", { name: "a", expiresAt: SECRET }],
  ["POST", "/keys", SECRET],
  ["PATCH", `/keys/${SECRET}`, { name: "a" }],
  ["PUT", "/tools/a", { description: "A.", inputSchema: SCHEMA, source: SOURCE, [SECRET]: 1 }],
  ["PUT", "/tools/a", { description: "A.", inputSchema: SCHEMA, source: { ...SOURCE, method: SECRET } }],
  [
    "PUT",
    "/tools/a",
    { description: "A.", inputSchema: SCHEMA, source: { ...SOURCE, headers: { [`${SECRET} x`]: "a" } } },
  ],
  [
    "PUT",
    "/tools/a",
    { description: "A.", inputSchema: SCHEMA, source: { ...SOURCE, headers: { a: `{{secret:${SECRET}}}` } } },
  ],
  ["PATCH", "/tools/tone", { [SECRET]: true }],
  ["PUT", "/upstreams/a", { url: "https://up.example/mcp", headers: { [`${SECRET} x`]: "a" } }],
  ["PUT", "/upstreams/a", { url: `https://user:${SECRET}@up.example/mcp` }],
  ["PUT", "/upstreams/a", { url: "https://up.example/mcp", include: [[SECRET]] }],
  ["PUT", `/secrets/${SECRET}`, { value: "12345678" }],
  ["GET", `/audit?outcome=${SECRET}`, undefined],
  ["POST", "/imports/openapi", { document: { openapi: SECRET } }],
])("%s %s %j", async (method, path, body) => {
  const gate = openGate(undefined, { SECRETS_KEY: crypto.randomUUID() });
  const { status } = await readAnswer(await gate.admin(method, path, body));
  const traces = await readTraces(gate);
  expect([status >= 400 && status < 500, traces.includes(SECRET), logged.join().includes(SECRET)]).toEqual([
    true,
    false,
    false,
  ]);
});
