import { reset } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { signingSecrets } from "../../../src/env.ts";
import { changeRecord } from "../../../src/keys/key-input.ts";
import { LIMITS } from "../../../src/lib/limits.ts";
import { decodeCursor, encodeCursor } from "../../../src/protocol/cursor.ts";
import { openRequestState, sealRequestState } from "../../../src/protocol/request-state.ts";
import { countingEnv, testEnv } from "../../support/counting-env.ts";
import { CLIENT, openGate, readAnswer, request, resultOf, type Gate } from "../../support/app.ts";

const NOW = "2030-01-01T00:00:00.000Z";
const PONG = { status: 200, body: resultOf({}) };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(NOW) });
});
afterEach(async () => {
  vi.useRealTimers();
  await reset();
});

const pass = (ms: number): void => {
  vi.setSystemTime(Date.now() + ms);
};

interface Minted {
  id: string;
  key: string;
}

const mint = async (gate: Gate, input: object = {}): Promise<Minted> =>
  (await gate.admin("POST", "/keys", { name: "n", ...input })).json();

const ask = async (gate: Gate, method: string, path: string, body?: unknown) =>
  readAnswer(await gate.admin(method, path, body));

const patch = (gate: Gate, id: string, body: unknown) => ask(gate, "PATCH", `/keys/${id}`, body);

const rotate = async (gate: Gate, id: string, body: unknown = {}): Promise<string> =>
  (await (await gate.admin("POST", `/keys/${id}/rotate`, body)).json<Minted>()).key;

/** A ping in an isolate that knows nothing of the key yet. */
const ping = (key: string) => openGate().caller(key).post(request("ping"));

const problemOf = (status: number, code: string, title: string, detail: unknown) => ({
  status,
  body: { type: "about:blank", title, status, code, detail },
});

const VIEW = {
  name: "n",
  status: "active",
  urlKey: false,
  scopes: ["mcp"],
  createdAt: NOW,
  tools: {},
  limits: { perMinute: 600, burst: 600 },
};

describe("PATCH /keys/{id}", () => {
  it.each<[string, object, object, object]>([
    ["the name", {}, { name: " other " }, { name: "other" }],
    ["the scopes", {}, { scopes: ["admin:read"] }, { scopes: ["admin:read"] }],
    ["the expiry", {}, { expiresAt: "2031-01-01T00:00:00Z" }, { expiresAt: "2031-01-01T00:00:00.000Z" }],
    ["no expiry", { expiresAt: "2031-01-01T00:00:00Z" }, { expiresAt: null }, {}],
    [
      "one list of rules",
      { tools: { allow: ["a"] } },
      { tools: { deny: ["b"] } },
      { tools: { allow: ["a"], deny: ["b"] } },
    ],
    [
      "no list of rules",
      { tools: { allow: ["a"], deny: ["b"] } },
      { tools: { allow: null } },
      { tools: { deny: ["b"] } },
    ],
    ["the rate, and the burst with it", {}, { limits: { perMinute: 60 } }, { limits: { perMinute: 60, burst: 60 } }],
    [
      "the rate, and not a burst of its own",
      { limits: { perMinute: 600, burst: 5 } },
      { limits: { perMinute: 60 } },
      { limits: { perMinute: 60, burst: 5 } },
    ],
    ["the burst", {}, { limits: { burst: 5 } }, { limits: { perMinute: 600, burst: 5 } }],
    [
      "no burst of its own",
      { limits: { perMinute: 60, burst: 5 } },
      { limits: { burst: null } },
      { limits: { perMinute: 60, burst: 60 } },
    ],
    [
      "the rate of some tools, and not their burst",
      { limits: { perMinute: 600, tools: { "a*": { perMinute: 6, burst: 2 }, b: { perMinute: 6 } } } },
      { limits: { tools: { "a*": { perMinute: 5 }, b: { perMinute: 5 } } } },
      { limits: { ...VIEW.limits, tools: { "a*": { perMinute: 5, burst: 2 }, b: { perMinute: 5, burst: 5 } } } },
    ],
    [
      "the burst of some tools, and not their rate",
      { limits: { perMinute: 600, tools: { "a*": { perMinute: 6, burst: 2 }, b: { perMinute: 6 } } } },
      { limits: { tools: { "a*": { burst: null }, b: { burst: 3 } } } },
      { limits: { ...VIEW.limits, tools: { "a*": { perMinute: 6, burst: 6 }, b: { perMinute: 6, burst: 3 } } } },
    ],
    [
      "the limit of some tools anew, or none",
      { limits: { perMinute: 600, tools: { "a*": { perMinute: 6, burst: 2 } } } },
      { limits: { tools: { "a*": null, b: { perMinute: 5 } } } },
      { limits: { ...VIEW.limits, tools: { b: { perMinute: 5, burst: 5 } } } },
    ],
    ["no rules", { tools: { allow: ["a"], deny: ["b"] } }, { tools: null }, { tools: {} }],
    [
      "no limits of its own",
      {
        limits: { perMinute: 60, burst: 5, perDay: 9, concurrent: 2, streams: 3, tools: { "a*": { perMinute: 6 } } },
      },
      { limits: null },
      { limits: VIEW.limits },
    ],
  ])("sets %s and leaves the rest", async (_, input, change, shown) => {
    const gate = openGate();
    const { id, key: _key, ...before } = await mint(gate, input);
    const { expiresAt: _end, usedToday: _used, ...rest } = before as { expiresAt?: string; usedToday?: number };
    const view = { status: 200, body: { ...VIEW, ...rest, ...shown, id } };
    expect(await patch(gate, id, change)).toEqual(view);
    expect(await ask(gate, "GET", `/keys/${id}`)).toEqual(view);
    const { tools: _tools, ...row } = view.body;
    expect(await ask(gate, "GET", "/keys")).toEqual({ status: 200, body: { keys: [row] } });
  });

  it("keeps a burst that was given, also where it once was the whole minute", async () => {
    const gate = openGate();
    const { id } = await mint(gate, {
      limits: { perMinute: 60, burst: 10, tools: { a: { perMinute: 60, burst: 10 } } },
    });
    const bursts: unknown[] = [];
    for (const perMinute of [10, 600]) {
      const { body } = await patch(gate, id, { limits: { perMinute, tools: { a: { perMinute } } } });
      bursts.push((body as { limits: unknown }).limits);
    }
    expect(bursts).toEqual(
      [10, 600].map((perMinute) => ({ perMinute, burst: 10, tools: { a: { perMinute, burst: 10 } } })),
    );
  });

  it("takes a burst that equals the rate for none in records of before", async () => {
    const old = {
      id: "k",
      name: "n",
      place: "header",
      digest: "d",
      scopes: ["mcp"],
      tools: {},
      createdAtMs: 0,
    } as const;
    const change = { limits: { perMinute: 600 } };
    const burstAfter = (perMinute: number, burst: number): unknown => {
      const changed = changeRecord({ ...old, scopes: ["mcp"], calls: { perMinute, burst } }, change, 0);
      return "record" in changed && changed.record.calls;
    };
    expect([burstAfter(60, 60), burstAfter(60, 10)]).toEqual([
      { perMinute: 600, burst: 600 },
      { perMinute: 600, burst: 10, ownBurst: true },
    ]);
  });

  it.each<[unknown, string]>([
    [{}, "body"],
    [{ scopes: null }, "scopes"],
    [{ limits: { tools: { "a*": {} } } }, "limits.tools.a\\*.perMinute"],
    [{ limits: { tools: { "a*": { burst: 1 } } } }, "limits.tools.a\\*.perMinute"],
    [{ limits: { tools: { "a*": { perMinute: null } } } }, "limits.tools.a\\*.perMinute"],
    [JSON.parse('{"limits":{"tools":{"__proto__":{"perMinute":1}}}}'), "limits.tools"],
    [{ limits: { tools: { constructor: { perMinute: 1 } } } }, "limits.tools"],
    [JSON.parse('{"__proto__":{"name":"m"}}'), "__proto__"],
    [{ name: "" }, "name"],
    [{ name: null }, "name"],
    [{ urlKey: true }, "urlKey"],
    [{ region: "weur" }, "region"],
    [{ limits: { perMinute: null } }, "limits.perMinute"],
    [{ limits: { perMinute: 0 } }, "limits.perMinute"],
    [{ tools: { allow: "a" } }, "tools.allow"],
    [{ scopes: [] }, "scopes"],
    [{ expiresAt: NOW }, "expiresAt"],
  ])("names the fault in %j", async (change, field) => {
    const gate = openGate();
    const { id } = await mint(gate);
    const detail = expect.stringMatching(`^${field}: `);
    expect(await patch(gate, id, change)).toEqual(problemOf(400, "invalid_body", "Invalid body", detail));
    expect(await ask(gate, "GET", `/keys/${id}`)).toEqual({ status: 200, body: { ...VIEW, id } });
  });

  it("changes what clients may do within the life of a lease", async () => {
    const gate = openGate();
    const { id, key } = await mint(gate);
    const caller = gate.caller(key);
    const call = request("tools/call", { name: "calculate", arguments: { expression: "1" } });
    expect((await caller.post(call)).body).toHaveProperty("result");
    await patch(gate, id, { tools: { deny: ["calc*"] } });
    pass(LIMITS.leaseLifeMs + 1);
    expect((await caller.post(call)).body).toMatchObject({
      error: { code: -32602, message: "Unknown tool: calculate" },
    });
    const { body } = await caller.post(request("tools/list"));
    expect(JSON.stringify(body)).not.toContain('"calculate"');
  });

  it("brings back a key that has expired, and never one that is revoked", async () => {
    const gate = openGate();
    const { id, key } = await mint(gate, { expiresAt: "2030-01-01T00:00:10Z" });
    pass(10_000);
    expect((await ping(key)).status).toBe(401);
    await patch(gate, id, { expiresAt: null });
    expect(await ping(key)).toEqual(PONG);
    await gate.admin("DELETE", `/keys/${id}`);
    const refused = problemOf(
      409,
      "key_revoked",
      "Key is revoked",
      `The key "${id}" is revoked, which can't be undone`,
    );
    expect(await patch(gate, id, { name: "m" })).toEqual(refused);
    expect(await ask(gate, "POST", `/keys/${id}/rotate`, {})).toEqual(refused);
  });

  it("knows no key that is not there", async () => {
    const id = "kaaaaaaaaaaaaaaa";
    const missing = problemOf(404, "not_found", "Not found", `There is no key "${id}"`);
    expect(await patch(openGate(), id, { name: "m" })).toEqual(missing);
    expect(await ask(openGate(), "POST", `/keys/${id}/rotate`, {})).toEqual(missing);
  });
});

describe("POST /keys/{id}/rotate", () => {
  it("shows a new secret this once, and when the old one ends", async () => {
    const gate = openGate();
    const { id, key } = await mint(gate);
    const response = await gate.admin("POST", `/keys/${id}/rotate`, { overlapSeconds: 60 });
    const body = await response.json<Minted>();
    expect({ status: response.status, cache: response.headers.get("cache-control"), body }).toEqual({
      status: 200,
      cache: "no-store",
      body: { ...VIEW, id, key: body.key, previousEndsAt: "2030-01-01T00:01:00.000Z" },
    });
    expect(body.key).toMatch(new RegExp(`^tg_${id}_[a-z2-7]{48}$`));
    expect(body.key).not.toBe(key);
  });

  it("lets both work during the overlap, then the new one alone within a lease's life", async () => {
    const gate = openGate();
    const { id, key } = await mint(gate);
    const next = await rotate(gate, id, { overlapSeconds: 60 });
    const warm = gate.caller(key);
    expect([await warm.post(request("ping")), await ping(key), await ping(next)]).toEqual([PONG, PONG, PONG]);
    pass(59_999);
    expect([await warm.post(request("ping")), await ping(key), await ping(next)]).toEqual([PONG, PONG, PONG]);
    pass(1);
    expect([(await ping(key)).status, await ping(next)]).toEqual([401, PONG]);
    pass(LIMITS.leaseLifeMs);
    expect((await warm.post(request("ping"))).status).toBe(401);
    expect(await ask(gate, "GET", `/keys/${id}`)).toEqual({ status: 200, body: { ...VIEW, id } });
  });

  it("ends every earlier secret at once with an overlap of 0", async () => {
    const gate = openGate();
    const { id, key } = await mint(gate);
    const second = await rotate(gate, id, { overlapSeconds: 60 });
    const third = await rotate(gate, id, { overlapSeconds: 0 });
    expect([(await ping(key)).status, (await ping(second)).status, await ping(third)]).toEqual([401, 401, PONG]);
  });

  it("keeps what a secret may do where it is: a URL key stays one", async () => {
    const gate = openGate();
    const { id } = await mint(gate, { urlKey: true });
    const next = await rotate(gate, id);
    const init = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request("ping")),
    };
    expect((await gate.fetch(`/k/${next}/mcp`, init)).status).toBe(200);
    expect((await ping(next)).status).toBe(401);
  });

  it("keeps sessions, cursors and all else that is bound to the key's id", async () => {
    const gate = openGate();
    const { id, key } = await mint(gate);
    const session = await gate.caller(key).openSession("2025-11-25");
    const next = gate.caller(await rotate(gate, id, { overlapSeconds: 0 }));
    const headers = { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
    expect(await next.post(request("ping"), headers)).toEqual(PONG);
  });

  it("has an hour of overlap unless told, and at most so many secrets at a time", async () => {
    const gate = openGate();
    const { id, key } = await mint(gate);
    for (let secret = 0; secret < LIMITS.keyPriorSecrets; secret++) await rotate(gate, id);
    pass(3_599_999);
    expect(await ping(key)).toEqual(PONG);
    const detail = expect.stringContaining(`${LIMITS.keyPriorSecrets} earlier secrets of this key still work`);
    expect(await ask(gate, "POST", `/keys/${id}/rotate`, {})).toEqual(
      problemOf(409, "too_many_secrets", "Too many secrets", detail),
    );
    pass(1);
    expect((await ask(gate, "POST", `/keys/${id}/rotate`, {})).status).toBe(200);
  });

  it.each([[-1], [1.5], ["60"], [LIMITS.keyOverlapSeconds + 1]])("takes no overlap of %j", async (overlapSeconds) => {
    const gate = openGate();
    const { id } = await mint(gate);
    const detail = expect.stringMatching(/^overlapSeconds: /);
    expect(await ask(gate, "POST", `/keys/${id}/rotate`, { overlapSeconds })).toEqual(
      problemOf(400, "invalid_body", "Invalid body", detail),
    );
  });
});

describe("a new signing secret", () => {
  const OLD = { SIGNING_SECRET: "the old secret" };
  const NEW = { SIGNING_SECRET: "the new secret", SIGNING_SECRET_PREVIOUS: OLD.SIGNING_SECRET };

  it("leaves keys and sessions of the previous one as they are", async () => {
    const key = await openGate(undefined, OLD).mint();
    const sessionId = await openGate(undefined, OLD).caller(key).openSession("2025-11-25");
    const caller = openGate(undefined, NEW).caller(key);
    const headers = { "mcp-session-id": sessionId, "mcp-protocol-version": "2025-11-25" };
    expect(await caller.post(request("ping"), headers)).toEqual(PONG);
    expect(
      (await openGate(undefined, { SIGNING_SECRET: NEW.SIGNING_SECRET }).caller(key).post(request("ping"))).status,
    ).toBe(401);
  });

  it("leaves cursors and calls that wait for input as they are", async () => {
    const [old, present] = [OLD, NEW].map((bindings) => signingSecrets({ ...testEnv, ...bindings }));
    if (!old || !present) throw new Error("no secrets");
    const cursor = await encodeCursor(old, "k1", "tool");
    expect(await decodeCursor(present, "k1", cursor)).toBe("tool");
    const call = { keyId: "k1", toolName: "tool", args: {} };
    const state = await sealRequestState(old, call, new Map([["who", { action: "accept" }]]), Date.now());
    expect([...(await openRequestState(present, call, state, Date.now()))]).toEqual([["who", { action: "accept" }]]);
  });

  it("signs what is rotated, which then needs no previous one", async () => {
    const { id, key } = await mint(openGate(undefined, OLD));
    const next = await rotate(openGate(undefined, NEW), id, { overlapSeconds: 60 });
    expect(await openGate(undefined, NEW).caller(key).post(request("ping"))).toEqual(PONG);
    const alone = openGate(undefined, { SIGNING_SECRET: NEW.SIGNING_SECRET });
    expect(
      await alone
        .caller(next)
        .post(request("initialize", { protocolVersion: "2025-11-25", clientInfo: CLIENT, capabilities: {} })),
    ).toMatchObject({ status: 200 });
    expect((await alone.caller(key).post(request("ping"))).status).toBe(401);
  });

  it("without a previous one ends a key until it is rotated, under its id and with its limits", async () => {
    const { id, key } = await mint(openGate(undefined, OLD), { limits: { perMinute: 60, perDay: 7 } });
    const gate = openGate(undefined, { SIGNING_SECRET: NEW.SIGNING_SECRET });
    const { status: ended } = await gate.caller(key).post(request("ping"));
    const next = await rotate(gate, id, { overlapSeconds: 0 });
    expect([ended, await gate.caller(next).post(request("ping"))]).toEqual([401, PONG]);
    expect(await ask(gate, "GET", `/keys/${id}`)).toMatchObject({ body: { id, limits: { perDay: 7 } } });
  });
});

it("asks for the key's object to be made in the region that was named, and shows it", async () => {
  const { env, hints } = countingEnv();
  const gate = openGate(undefined, { API_KEY: env.API_KEY });
  const { id } = await mint(gate, { region: "apac" });
  expect(hints).toEqual([{ binding: "API_KEY", locationHint: "apac" }]);
  expect(await ask(gate, "GET", `/keys/${id}`)).toMatchObject({ body: { region: "apac" } });
  const { status } = await ask(gate, "POST", "/keys", { name: "n", region: "mars" });
  expect(status).toBe(400);
});
