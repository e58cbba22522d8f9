import { reset } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { openGate, readAnswer, type Gate } from "../../support/app.ts";

const NOW = "2030-01-01T00:00:00.000Z";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(NOW) });
});
afterEach(async () => {
  vi.useRealTimers();
  await reset();
});

interface KeyView {
  id: string;
  key: string;
}

const create = async (gate: Gate, input: object): Promise<KeyView> => (await gate.admin("POST", "/keys", input)).json();

const read = async (gate: Gate, method: string, path: string) => readAnswer(await gate.admin(method, path));

const faulty = (detail: unknown, status = 400) => ({
  status,
  body: { type: "about:blank", title: "Invalid body", status, code: "invalid_body", detail },
});

const noKey = (id: string) => ({
  status: 404,
  body: { type: "about:blank", title: "Not found", status: 404, code: "not_found", detail: `There is no key "${id}"` },
});

const DEFAULTS = {
  status: "active",
  urlKey: false,
  scopes: ["mcp"],
  createdAt: NOW,
  tools: {},
  limits: { perMinute: 600, burst: 600 },
};

const FULL = {
  name: "full",
  tools: { allow: ["a_*", "b"], deny: ["a_x"] },
  limits: { perMinute: 10, burst: 3 },
  expiresAt: "2031-02-03T04:05:06Z",
  urlKey: true,
  scopes: ["mcp", "admin:read", "admin"],
};

describe("POST /keys", () => {
  it("mints a key with defaults and shows it this once", async () => {
    const gate = openGate();
    const response = await gate.admin("POST", "/keys", { name: "  plain " });
    const body = await response.json<KeyView>();
    const { status, headers } = response;
    expect({ status, cache: headers.get("cache-control"), body }).toEqual({
      status: 201,
      cache: "no-store",
      body: {
        ...DEFAULTS,
        id: expect.stringMatching(/^k[a-z2-7]{15}$/),
        key: expect.stringMatching(`^tg_${body.id}_[a-z2-7]{48}$`),
        name: "plain",
      },
    });
    expect(await read(gate, "GET", `/keys/${body.id}`)).toEqual({
      status: 200,
      body: { ...DEFAULTS, id: body.id, name: "plain" },
    });
  });

  it("keeps all that it was given", async () => {
    const gate = openGate();
    const { id, key } = await create(gate, FULL);
    expect([id[0], key.slice(0, 20)]).toEqual(["u", `tg_${id}_`]);
    const { name, scopes, urlKey, tools, limits } = FULL;
    const view = { name, scopes, urlKey, tools, limits, status: "active", createdAt: NOW };
    const body = { ...view, id, expiresAt: "2031-02-03T04:05:06.000Z" };
    expect(await read(gate, "GET", `/keys/${id}`)).toEqual({ status: 200, body });
  });

  it.each<[object, string[]]>([
    [{}, ["name"]],
    [{ name: "" }, ["name"]],
    [{ name: "   " }, ["name"]],
    [{ name: 7 }, ["name"]],
    [{ name: "n".repeat(LIMITS.keyNameChars + 1) }, ["name"]],
    [{ name: "n", extra: 1 }, ["extra"]],
    [{ name: "n", tools: { allow: "x" } }, ["tools.allow"]],
    [{ name: "n", tools: { allow: ["a", ""] } }, ["tools.allow.1"]],
    [{ name: "n", tools: { deny: Array.from({ length: LIMITS.keyGlobs + 1 }, () => "x") } }, ["tools.deny"]],
    [{ name: "n", tools: { deny: ["x".repeat(LIMITS.keyGlobChars + 1)] } }, ["tools.deny.0"]],
    [{ name: "n", tools: { only: ["x"] } }, ["tools.only"]],
    [{ name: "n", limits: {} }, ["limits.perMinute"]],
    [{ name: "n", limits: { perMinute: 0 } }, ["limits.perMinute"]],
    [{ name: "n", limits: { perMinute: 1.5 } }, ["limits.perMinute"]],
    [{ name: "n", limits: { perMinute: "60" } }, ["limits.perMinute"]],
    [{ name: "n", limits: { perMinute: LIMITS.perMinuteMax + 1 } }, ["limits.perMinute"]],
    [{ name: "n", limits: { perMinute: 1, burst: -1 } }, ["limits.burst"]],
    [{ name: "n", expiresAt: "tomorrow" }, ["expiresAt"]],
    [{ name: "n", expiresAt: 1_900_000_000 }, ["expiresAt"]],
    [{ name: "n", expiresAt: "2030-13-01T00:00:00Z" }, ["expiresAt"]],
    [{ name: "n", expiresAt: "2029-12-31T23:59:59Z" }, ["expiresAt"]],
    [{ name: "n", expiresAt: NOW }, ["expiresAt"]],
    [{ name: "n", urlKey: "yes" }, ["urlKey"]],
    [{ name: "n", scopes: [] }, ["scopes"]],
    [{ name: "n", scopes: ["mcp", "root"] }, ["scopes.1"]],
    [{ name: 7, urlKey: 7, scopes: ["x"] }, ["name", "urlKey", "scopes.0"]],
  ])("names the fault in %j", async (input, fields) => {
    const gate = openGate();
    const { status, body } = await readAnswer(await gate.admin("POST", "/keys", input));
    expect({ status, body }).toEqual(faulty(expect.any(String)));
    const { detail } = body as { detail: string };
    expect(detail.split("; ").map((fault) => fault.split(": ")[0])).toEqual(fields);
    expect(await read(gate, "GET", "/keys")).toEqual({ status: 200, body: { keys: [] } });
  });

  // ISO 8601 has offsets of hours alone. A key whose end can't be read must not become one without an end.
  it("stores no key with a date that it can't read", async () => {
    const gate = openGate();
    const response = await gate.admin("POST", "/keys", { name: "n", expiresAt: "2031-01-01T00:00:00+05" });
    expect(await readAnswer(response)).toEqual(faulty(expect.stringMatching(/^expiresAt: /)));
    expect(await read(gate, "GET", "/keys")).toEqual({ status: 200, body: { keys: [] } });
  });

  it.each([
    ["", "The body must be JSON"],
    ["{", "The body must be JSON"],
    ["[]", expect.stringMatching(/^name: /)],
    ["null", expect.stringMatching(/^body: /)],
  ])("wants a JSON object, not %j", async (text, detail) => {
    expect(await readAnswer(await openGate().admin("POST", "/keys", text))).toEqual(faulty(detail));
  });

  it("wants it as JSON, of a bounded length", async () => {
    const gate = openGate();
    const form = await gate.admin("POST", "/keys", "name=n", { "content-type": "application/x-www-form-urlencoded" });
    expect(await readAnswer(form)).toEqual(faulty(expect.stringContaining("application/json"), 415));
    const long = await gate.admin("POST", "/keys", { name: "n".repeat(LIMITS.bodyBytes) });
    expect(await readAnswer(long)).toEqual(faulty(expect.stringContaining("1048576 bytes"), 413));
  });
});

describe("GET /keys", () => {
  it("lists what GET /keys/{id} shows, without rules on tools", async () => {
    const gate = openGate();
    const { id } = await create(gate, FULL);
    const { name, scopes, urlKey } = FULL;
    const at = { createdAt: NOW, expiresAt: "2031-02-03T04:05:06.000Z" };
    const row = { id, name, scopes, urlKey, status: "active", limits: FULL.limits, ...at };
    expect(await read(gate, "GET", "/keys")).toEqual({ status: 200, body: { keys: [row] } });
    vi.setSystemTime(Date.parse(FULL.expiresAt));
    expect(await read(gate, "GET", "/keys")).toEqual({ status: 200, body: { keys: [{ ...row, status: "expired" }] } });
  });

  it("goes through all of them in pages, each once, in the order of ids", async () => {
    const gate = openGate();
    const created = await Promise.all(
      Array.from({ length: LIMITS.keyPageItems + 5 }, (_, i) => create(gate, { name: `${i}` })),
    );
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const response = await gate.admin(
        "GET",
        `/keys${cursor === undefined ? "" : `?cursor=${encodeURIComponent(cursor)}`}`,
      );
      const page = await response.json<{ keys: KeyView[]; nextCursor?: string }>();
      pages.push(page.keys.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(pages.map((page) => page.length)).toEqual([LIMITS.keyPageItems, 5]);
    expect(pages.flat()).toEqual(created.map(({ id }) => id).toSorted());
  });

  it("has a page that is full and the last", async () => {
    const gate = openGate();
    await Promise.all(Array.from({ length: LIMITS.keyPageItems }, () => create(gate, { name: "n" })));
    const page = await (await gate.admin("GET", "/keys")).json<{ keys: KeyView[] }>();
    expect([page.keys.length, "nextCursor" in page]).toEqual([LIMITS.keyPageItems, false]);
  });
});

describe("DELETE /keys/{id}", () => {
  it("revokes for good, and again with the same answer", async () => {
    const gate = openGate();
    const { id } = await create(gate, { name: "n" });
    const revoked = { status: 200, body: { id, status: "revoked" } };
    expect(await read(gate, "DELETE", `/keys/${id}`)).toEqual(revoked);
    vi.setSystemTime(Date.now() + 1_000);
    expect(await read(gate, "DELETE", `/keys/${id}`)).toEqual(revoked);
    const view = { ...DEFAULTS, id, name: "n", status: "revoked", revokedAt: NOW };
    expect(await read(gate, "GET", `/keys/${id}`)).toEqual({ status: 200, body: view });
    const { tools: _, ...row } = view;
    expect(await read(gate, "GET", "/keys")).toEqual({ status: 200, body: { keys: [row] } });
  });
});

describe("a key that is not there", () => {
  it.each(["kaaaaaaaaaaaaaaa", "uaaaaaaaaaaaaaaa", "x", "k", "KAAAAAAAAAAAAAAA", "__proto__"])("%s", async (id) => {
    const gate = openGate();
    expect(await read(gate, "GET", `/keys/${id}`)).toEqual(noKey(id));
    expect(await read(gate, "DELETE", `/keys/${id}`)).toEqual(noKey(id));
  });

  it("is told with its id cut to size", async () => {
    expect(await read(openGate(), "GET", `/keys/${"x".repeat(5_000)}`)).toEqual(noKey("x".repeat(LIMITS.keyChars)));
  });
});

it("never shows a digest, nor the key a second time", async () => {
  const gate = openGate();
  const { id, key, ...rest } = await create(gate, FULL);
  const texts = [JSON.stringify(rest)];
  for (const path of ["/keys", `/keys/${id}`]) texts.push(await (await gate.admin("GET", path)).text());
  texts.push(await (await gate.admin("DELETE", `/keys/${id}`)).text());
  const secret = key.slice(20);
  for (const text of texts) expect(text).not.toMatch(new RegExp(`digest|${secret}|"key"`));
});
