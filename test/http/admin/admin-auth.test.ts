import { reset } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { sha256Hex } from "../../../src/lib/signing.ts";
import { ADMIN_KEY, openGate, unreadStream, type Gate } from "../../support/app.ts";

afterEach(() => reset());

const problem = (status: number, code: string, title: string, detail: string) => ({
  status,
  type: "application/problem+json",
  body: { type: "about:blank", title, status, code, detail },
});

const unauthorized = (detail: string) => problem(401, "unauthorized", "Unauthorized", detail);
const MISSING = unauthorized("An admin key is required: send it as `Authorization: Bearer <admin key>`");
const REFUSED = unauthorized(
  "The key that was sent does not open the admin API here: expected this deployment's admin key, or a key with the scope admin or admin:read",
);
const lacks = (scope: string) => problem(403, "forbidden", "Forbidden", `This key lacks the scope ${scope}`);

const notFound = (what: string) => problem(404, "not_found", "Not found", `There is no ${what}`);

/** A request to the admin API under some key; `status` alone where it is let through. */
async function knock(gate: Gate, key: string | undefined, method: string, path: string) {
  const headers = { "content-type": "application/json", ...(key !== undefined && { authorization: `Bearer ${key}` }) };
  const response = await gate.fetch(`/admin/v1${path}`, { method, headers, ...(method !== "GET" && { body: "{}" }) });
  if (response.ok || response.status === 400) return response.status;
  return { status: response.status, type: response.headers.get("content-type"), body: await response.json() };
}

describe("the admin key", () => {
  it.each([
    ["in clear", async () => ({ ADMIN_KEY })],
    ["by its hash", async () => ({ ADMIN_KEY: "", ADMIN_KEY_HASH: await sha256Hex(ADMIN_KEY) })],
    [
      "by its hash in capitals",
      async () => ({ ADMIN_KEY: "", ADMIN_KEY_HASH: (await sha256Hex(ADMIN_KEY)).toUpperCase() }),
    ],
  ])("%s opens", async (_, bindings) => {
    const gate = openGate(undefined, await bindings());
    expect(await knock(gate, ADMIN_KEY, "GET", "/keys")).toBe(200);
    expect(await knock(gate, `${ADMIN_KEY}x`, "GET", "/keys")).toEqual(REFUSED);
  });

  it("in clear opens nothing where there is a hash", async () => {
    const gate = openGate(undefined, { ADMIN_KEY_HASH: await sha256Hex("another") });
    expect(await knock(gate, ADMIN_KEY, "GET", "/keys")).toEqual(REFUSED);
    expect(await knock(gate, "another", "GET", "/keys")).toBe(200);
  });

  it.each<[string, string | undefined]>([
    ["is missing", undefined],
    ["is empty", ""],
    ["is wrong", "wrong"],
    ["is the hash itself", "8c6976e5b5410415bde908bd4dee15dfb167a9c873fc4bb8a81f6f2ab448a918"],
    ["is cut short", ADMIN_KEY.slice(0, -1)],
  ])("opens nothing when it %s", async (_, key) => {
    const gate = openGate();
    for (const path of ["/keys", "/tools", "/nowhere", ""]) {
      expect(await knock(gate, key, "GET", path)).toEqual(key ? REFUSED : MISSING);
    }
  });

  it("opens nothing where none is set", async () => {
    const gate = openGate(undefined, { ADMIN_KEY: "", ADMIN_KEY_HASH: "" });
    expect(await knock(gate, "", "GET", "/keys")).toEqual(MISSING);
    expect(await knock(gate, "undefined", "GET", "/keys")).toEqual(REFUSED);
  });

  it("is asked for by a challenge, before the body is read", async () => {
    const { status, headers } = await openGate().fetch("/admin/v1/keys", { method: "POST", body: unreadStream() });
    const fields = [headers.get("www-authenticate"), headers.get("cache-control")];
    expect([status, ...fields]).toEqual([401, 'Bearer realm="toolgate admin"', "no-store"]);
  });
});

describe("a minted key", () => {
  it("with the scope admin may do everything", async () => {
    const gate = openGate();
    const key = await gate.mint({ scopes: ["admin"] });
    expect(await knock(gate, key, "GET", "/keys")).toBe(200);
    expect(await knock(gate, key, "POST", "/keys")).toBe(400);
    expect(await knock(gate, key, "PATCH", "/tools/calculate")).toBe(400);
  });

  it("with the scope admin:read may read", async () => {
    const gate = openGate();
    const key = await gate.mint({ scopes: ["mcp", "admin:read"] });
    expect(await knock(gate, key, "GET", "/keys")).toBe(200);
    expect(await knock(gate, key, "GET", "/tools/calculate")).toBe(200);
    expect(await knock(gate, key, "POST", "/keys")).toEqual(lacks("admin"));
    expect(await knock(gate, key, "DELETE", "/keys/kaaaaaaaaaaaaaaa")).toEqual(lacks("admin"));
    expect(await knock(gate, key, "PATCH", "/tools/calculate")).toEqual(lacks("admin"));
  });

  it("with the scope mcp alone may do nothing here", async () => {
    const gate = openGate();
    const key = await gate.mint();
    expect(await knock(gate, key, "GET", "/keys")).toEqual(lacks("admin:read"));
    expect(await knock(gate, key, "POST", "/keys")).toEqual(lacks("admin"));
  });

  it("for URLs may do nothing here, whatever its scopes", async () => {
    const gate = openGate();
    const key = await gate.mint({ urlKey: true, scopes: ["admin"] });
    expect(await knock(gate, key, "GET", "/keys")).toEqual(REFUSED);
  });

  it("that is revoked may do nothing any more", async () => {
    const gate = openGate();
    const key = await gate.mint({ scopes: ["admin"] });
    await gate.admin("DELETE", `/keys/${key.split("_")[1]}`);
    expect(await knock(openGate(), key, "GET", "/keys")).toEqual(REFUSED);
  });
});

it("knows no other route", async () => {
  const gate = openGate();
  expect(await knock(gate, ADMIN_KEY, "GET", "/nowhere")).toEqual(notFound("GET /admin/v1/nowhere"));
  expect(await knock(gate, ADMIN_KEY, "PUT", "/keys")).toEqual(notFound("PUT /admin/v1/keys"));
});
