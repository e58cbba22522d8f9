import { reset } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { GUARDS, errorOf, openGate, readAnswer, request, resultOf, unreadStream, type Gate } from "../support/app.ts";

afterEach(() => reset());

const PONG = { status: 200, body: resultOf({}) };

const UNAUTHORIZED = {
  status: 401,
  headers: {
    ...GUARDS,
    "content-type": "application/json",
    "www-authenticate": 'Bearer realm="toolgate"',
  },
  body: errorOf(
    401,
    null,
    "A valid API key is required: send it as `Authorization: Bearer <key>` or `X-API-Key: <key>`",
  ),
};

/** The whole answer to a POST whose body must not be read. */
async function knock(gate: Gate, headers: [string, string][], path = "/mcp") {
  const init = { method: "POST", headers: [...headers, ["content-type", "application/json"]], body: unreadStream() };
  const response = await gate.fetch(path, init as RequestInit);
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.json() };
}

/** A ping that is meant to pass. */
const ping = async (gate: Gate, headers: Record<string, string>, path = "/mcp") => {
  const body = JSON.stringify(request("ping"));
  const init = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body };
  return readAnswer(await gate.fetch(path, init));
};

const bearer = (key: string): [string, string][] => [["authorization", `Bearer ${key}`]];

describe("a key is taken from", () => {
  it.each([
    ["Authorization: Bearer", (key: string) => ({ authorization: `Bearer ${key}` })],
    ["a scheme in lower case", (key: string) => ({ authorization: `bearer ${key}` })],
    ["a scheme in capitals, spaces after it", (key: string) => ({ authorization: `BEARER   ${key}` })],
    ["X-API-Key", (key: string) => ({ "x-api-key": key })],
    ["both when they agree", (key: string) => ({ authorization: `Bearer ${key}`, "x-api-key": key })],
  ])("%s", async (_, headersOf) => {
    const gate = openGate();
    expect(await ping(gate, headersOf(await gate.mint()))).toEqual(PONG);
  });

  it("the path, if it was minted for it, whatever the headers say", async () => {
    const gate = openGate();
    const path = `/k/${await gate.mint({ urlKey: true })}/mcp`;
    expect(await ping(gate, {}, path)).toEqual(PONG);
    expect(await ping(gate, { authorization: "Bearer nonsense" }, `${path}/`)).toEqual(PONG);
  });
});

/** The last character of the text replaced by another of the alphabet. */
const spoilEnd = (key: string): string => key.slice(0, -1) + (key.endsWith("a") ? "b" : "a");

const FOREIGN = "tg_kaaaaaaaaaaaaaaa_" + "b".repeat(48);

describe("one answer, with the body unread, for", () => {
  it.each<[string, (key: string) => [string, string][]]>([
    ["no key", () => []],
    ["an empty Authorization", () => [["authorization", ""]]],
    ["a scheme alone", () => [["authorization", "Bearer"]]],
    ["a scheme and spaces", () => [["authorization", "Bearer   "]]],
    ["another scheme", (key) => [["authorization", `Basic ${key}`]]],
    ["no scheme", (key) => [["authorization", key]]],
    ["no space", (key) => [["authorization", `Bearer${key}`]]],
    ["a tab for the space", (key) => [["authorization", `Bearer\t${key}`]]],
    ["more behind the key", (key) => [["authorization", `Bearer ${key} x`]]],
    ["two Authorization headers", (key) => [...bearer(key), ...bearer(key)]],
    ["two keys that differ", (key) => [...bearer(key), ["x-api-key", FOREIGN]]],
    ["a good X-API-Key and a bad Bearer", (key) => [...bearer(FOREIGN), ["x-api-key", key]]],
    ["an empty X-API-Key and a good Bearer", (key) => [...bearer(key), ["x-api-key", ""]]],
    ["an empty X-API-Key", () => [["x-api-key", ""]]],
    [
      "two X-API-Key headers",
      (key) => [
        ["x-api-key", key],
        ["x-api-key", key],
      ],
    ],
    ["a made-up key", () => bearer(FOREIGN)],
    ["a key in capitals", (key) => bearer(key.toUpperCase())],
    ["a wrong MAC", (key) => bearer(spoilEnd(key))],
    ["a wrong secret under the right id", (key) => bearer(`${key.slice(0, 20)}${"z".repeat(32)}${key.slice(-16)}`)],
    ["a key cut short", (key) => bearer(key.slice(0, -1))],
    ["a key and more", (key) => bearer(`${key}a`)],
    ["a key in quotes", (key) => bearer(`"${key}"`)],
    ["64 KB", () => bearer("k".repeat(65_536))],
    ["64 KB that begin with a key", (key) => bearer(key.padEnd(65_536, "a"))],
    ["a key that is not ASCII", () => [["x-api-key", "tg_ключ"]]],
    ["a key in a cookie", (key) => [["cookie", `key=${key}`]]],
  ])("%s", async (_, headersOf) => {
    const gate = openGate();
    expect(await knock(gate, headersOf(await gate.mint()))).toEqual(UNAUTHORIZED);
  });

  it.each<[string, (key: string) => string]>([
    ["a key in the query", (key) => `/mcp?api_key=${key}&key=${key}`],
    ["a header key in the path", (key) => `/k/${key}/mcp`],
    ["a made-up key in the path", () => `/k/${FOREIGN.replace("_k", "_u")}/mcp`],
  ])("%s", async (_, pathOf) => {
    const gate = openGate();
    expect(await knock(gate, [], pathOf(await gate.mint()))).toEqual(UNAUTHORIZED);
  });

  it.each<[string, (key: string) => string]>([
    ["a space behind it", (key) => `${key}%20`],
    ["a NUL behind it", (key) => `${key}%00`],
    ["a line end behind it", (key) => `${key}%0a`],
    ["a slash in it", (key) => `${key}%2f`],
    ["a wrong MAC", spoilEnd],
  ])("a key in the path with %s", async (_, spoil) => {
    const gate = openGate();
    expect(await knock(gate, [], `/k/${spoil(await gate.mint({ urlKey: true }))}/mcp`)).toEqual(UNAUTHORIZED);
  });

  it("a key for the path in a header", async () => {
    const gate = openGate();
    const key = await gate.mint({ urlKey: true });
    expect(await knock(gate, bearer(key))).toEqual(UNAUTHORIZED);
    expect(await knock(gate, [["x-api-key", key]])).toEqual(UNAUTHORIZED);
  });

  it("a header key in the path, with the same key in the header", async () => {
    const gate = openGate();
    const key = await gate.mint();
    expect(await knock(gate, bearer(key), `/k/${key}/mcp`)).toEqual(UNAUTHORIZED);
  });

  it("the admin key", async () => {
    const gate = openGate();
    expect(await knock(gate, bearer("admin-key-of-these-tests"))).toEqual(UNAUTHORIZED);
  });

  it("a key that another deployment minted", async () => {
    const key = await openGate(undefined, { SIGNING_SECRET: "another" }).mint();
    expect(await knock(openGate(), bearer(key))).toEqual(UNAUTHORIZED);
  });
});

it("serves nothing in the path where URL keys are off", async () => {
  const key = await openGate().mint({ urlKey: true });
  const gate = openGate(undefined, { URL_KEYS: "off" });
  const { status } = await gate.fetch(`/k/${key}/mcp`, { method: "POST", body: unreadStream() });
  expect(status).toBe(404);
});

it("finds no key in the answer to one that is refused", async () => {
  const gate = openGate();
  const key = spoilEnd(await gate.mint());
  expect(JSON.stringify(await knock(gate, bearer(key)))).not.toContain(key.slice(3, 19));
});

const pass = (ms: number): void => {
  vi.setSystemTime(Date.now() + ms);
};
const revoke = (gate: Gate, key: string) => gate.admin("DELETE", `/keys/${key.split("_")[1]}`);

/** The answer to a POST with a good body, in the shape of `knock`. */
const post = async (gate: Gate, key: string, body: unknown = request("ping")) => {
  const response = await gate.caller(key).send(body);
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.json() };
};

describe("a key that ends", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2030-01-01T00:00:00Z") });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("by revocation is refused at once where it was not known", async () => {
    const gate = openGate();
    const key = await gate.mint();
    await revoke(gate, key);
    expect(await post(openGate(), key)).toEqual(UNAUTHORIZED);
  });

  it("by revocation is refused everywhere within the life of a lease, for every kind of message", async () => {
    const gate = openGate();
    const key = await gate.mint();
    expect(await ping(gate, { "x-api-key": key })).toEqual(PONG);
    await revoke(gate, key);
    pass(LIMITS.leaseLifeMs + 1);
    expect(await post(gate, key)).toEqual(UNAUTHORIZED);
    const call = request("tools/call", { name: "calculate", arguments: { expression: "1+1" } });
    expect(await post(gate, key, call)).toEqual(UNAUTHORIZED);
    expect(await post(gate, key, { jsonrpc: "2.0", method: "notifications/initialized" })).toEqual(UNAUTHORIZED);
    expect(await post(gate, key, [request("ping")])).toEqual(UNAUTHORIZED);
  });

  it("by its date is refused from then on", async () => {
    const gate = openGate();
    const key = await gate.mint({ expiresAt: "2030-01-01T00:00:10Z" });
    expect(await ping(gate, { "x-api-key": key })).toEqual(PONG);
    pass(9_999);
    expect(await ping(openGate(), { "x-api-key": key })).toEqual(PONG);
    pass(1);
    expect(await post(openGate(), key)).toEqual(UNAUTHORIZED);
  });
});

const forbidden = (id: unknown = 1) => errorOf(403, id, "Forbidden: this key lacks the scope mcp");

describe("a key without the scope mcp", () => {
  it.each(["initialize", "ping", "tools/list", "tools/call", "no/such"])("may not ask for %s", async (method) => {
    const gate = openGate();
    const { post } = gate.caller(await gate.mint({ scopes: ["admin", "admin:read"] }));
    const message = request(method, { protocolVersion: "2025-11-25", name: "calculate" });
    expect(await post(message)).toEqual({ status: 403, body: forbidden() });
  });

  it("gets no session", async () => {
    const gate = openGate();
    const { send } = gate.caller(await gate.mint({ scopes: ["admin"] }));
    const response = await send(request("initialize", { protocolVersion: "2025-11-25" }));
    expect(response.headers.has("mcp-session-id")).toBe(false);
  });

  it("may ask for nothing in a batch, either", async () => {
    const gate = openGate();
    const { post } = gate.caller(await gate.mint({ scopes: ["admin:read"] }));
    const batch = [request("ping", {}, "a"), request("tools/list", {}, "b")];
    expect(await post(batch)).toEqual({ status: 200, body: [forbidden("a"), forbidden("b")] });
  });
});
