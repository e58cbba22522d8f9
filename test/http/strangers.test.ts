// Who comes with keys that nobody minted: told nothing, and costing next to nothing.

import { reset } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../src/env.ts";
import { addressOf } from "../../src/http/credentials.ts";
import { randomText } from "../../src/lib/random.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { GUARDS, errorOf, openGate, request, type Gate } from "../support/app.ts";
import { countingEnv } from "../support/counting-env.ts";

// Ten thousand guesses take their time on a slow machine.
vi.setConfig({ testTimeout: 60_000 });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2030-01-01T00:00:00Z") });
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await reset();
});

const pass = (ms: number): void => {
  vi.setSystemTime(Date.now() + ms);
};

const ADDRESS = "192.0.2.1";
const CEILING = 5;

/** The platform's counter: so many an address, until it is cleared. */
function createLimiter() {
  const counts = new Map<string, number>();
  const limit = async ({ key }: { key: string }) => {
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return { success: count < CEILING };
  };
  return { STRANGERS: { limit } as RateLimit, counts };
}

const knock = (gate: Gate, key: string | undefined, address: string | null = ADDRESS, path = "/mcp") =>
  gate.fetch(path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(address !== null && { "cf-connecting-ip": address }),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(request("ping")),
  });

const guess = (): string => `tg_k${randomText(15)}_${randomText(48)}`;

const statuses = async (gate: Gate, count: number, address?: string): Promise<number[]> => {
  const all: number[] = [];
  for (let i = 0; i < count; i++) all.push((await knock(gate, guess(), address)).status);
  return all;
};

const repeat = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

/** A key spoilt at one place, or put together wrongly. */
function nearMisses(key: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    if (i % 4 === 0) return guess();
    if (i % 4 === 1) return randomText(Math.floor(i / 100));
    const at = i % key.length;
    const spoilt = key.slice(0, at) + (key[at] === "a" ? "b" : "a") + key.slice(at + 1);
    return i % 4 === 2 ? spoilt : key.slice(0, 20) + randomText(48);
  });
}

it("answers 10,000 guesses with the same bytes, and asks no object about any", async () => {
  const { env, calls } = countingEnv();
  const { API_KEY, TOOL_REGISTRY, SESSION_HUB } = env;
  const gate = openGate(undefined, { API_KEY, TOOL_REGISTRY, SESSION_HUB });
  const key = await gate.mint();
  expect((await knock(gate, key)).status).toBe(200);
  calls.length = 0;
  const answers = new Set<string>();
  for (const near of nearMisses(key, 10_000)) {
    const response = await knock(gate, near, null);
    answers.add(JSON.stringify([response.status, [...response.headers], await response.text()]));
  }
  expect([answers.size, calls]).toEqual([1, []]);
  expect([...answers][0]).toContain("401");
});

const open = (bindings: Partial<Env> = {}) => {
  const { STRANGERS, counts } = createLimiter();
  const { env, calls } = countingEnv();
  const { API_KEY, TOOL_REGISTRY } = env;
  const gate = openGate(undefined, { API_KEY, TOOL_REGISTRY, STRANGERS, ...bindings });
  return { gate, counts, calls, another: () => openGate(undefined, { STRANGERS }) };
};

const fail = (): Promise<never> => Promise.reject(new Error("out of order"));

describe("an address that sends too many bad keys", () => {
  it("is told to wait, and looked at again then", async () => {
    const { gate } = open();
    expect(await statuses(gate, CEILING + 2)).toEqual([...repeat(CEILING, 401), 429, 429]);
    pass(1_500);
    const response = await knock(gate, guess());
    expect({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.json(),
    }).toEqual({
      status: 429,
      headers: {
        ...GUARDS,
        "content-type": "application/json",
        "retry-after": "9",
      },
      body: errorOf(429, null, "Too many keys from this address were refused: retry in 9 s", {
        retryAfterSeconds: 9,
        scope: "address",
      }),
    });
  });

  it("costs no HMAC, no counter and no object meanwhile", async () => {
    const { gate, counts, calls } = open();
    await statuses(gate, CEILING + 1);
    const sign = vi.spyOn(crypto.subtle, "sign");
    expect(await statuses(gate, 50)).toEqual(repeat(50, 429));
    expect([sign.mock.calls.length, counts.get(ADDRESS), calls]).toEqual([0, CEILING + 1, []]);
    pass(LIMITS.strangerRestMs);
    expect(await statuses(gate, 1)).toEqual([429]);
    expect(sign.mock.calls.length).toBeGreaterThan(0);
  });

  it("is known to every isolate at its next failure", async () => {
    const { gate, another } = open();
    await statuses(gate, CEILING + 1);
    expect(await statuses(another(), 2)).toEqual([429, 429]);
  });

  it("keeps nobody out whose key its isolate knows, and others for the wait alone", async () => {
    const { gate, another } = open();
    const key = await gate.mint();
    expect((await knock(gate, key)).status).toBe(200);
    await statuses(gate, CEILING + 1);
    expect((await knock(gate, key)).status).toBe(200);
    const elsewhere = another();
    expect((await knock(elsewhere, key)).status).toBe(200);
    const fresh = await gate.mint();
    expect((await knock(gate, fresh)).status).toBe(429);
    pass(LIMITS.strangerRestMs);
    expect((await knock(gate, fresh)).status).toBe(200);
  });

  it("is one address, and no other", async () => {
    const { gate } = open();
    await statuses(gate, CEILING + 1);
    expect(await statuses(gate, 1, "192.0.2.2")).toEqual([401]);
  });

  it("is counted for keys that were sent and not minted here: not for none, nor for one in the wrong place", async () => {
    const { gate, counts } = open();
    for (let i = 0; i < 20; i++) expect((await knock(gate, undefined)).status).toBe(401);
    const urlKey = await gate.mint({ urlKey: true });
    expect((await knock(gate, urlKey)).status).toBe(401);
    expect((await knock(gate, undefined, ADDRESS, `/k/${urlKey}/mcp`)).status).toBe(200);
    expect(counts.size).toBe(0);
  });

  it.each(["/k/KEY/mcp", "/sse", "/k/KEY/sse"])("is refused at %s too", async (path) => {
    const { gate } = open();
    await statuses(gate, CEILING + 1);
    const key = guess().replace("tg_k", "tg_u");
    const headers = { "cf-connecting-ip": ADDRESS, authorization: `Bearer ${guess()}` };
    expect((await gate.fetch(path.replace("KEY", key), { headers })).status).toBe(429);
  });

  it("is refused at the admin API, but for the deployment's own admin key", async () => {
    const { gate } = open();
    const ask = (key: string) =>
      gate.fetch("/admin/v1/keys", { headers: { authorization: `Bearer ${key}`, "cf-connecting-ip": ADDRESS } });
    for (let i = 0; i < CEILING; i++) expect((await ask("wrong")).status).toBe(401);
    const response = await ask("wrong");
    expect([response.status, response.headers.get("retry-after"), await response.json()]).toEqual([
      429,
      "10",
      {
        type: "about:blank",
        title: "Rate limited",
        status: 429,
        code: "rate_limited",
        detail: "Too many keys from this address were refused: retry in 10 s",
      },
    ]);
    const { status } = await gate.admin("GET", "/keys", undefined, { "cf-connecting-ip": ADDRESS });
    expect(status).toBe(200);
  });

  it("is not counted where the counter is out of order", async () => {
    const { gate } = open({ STRANGERS: { limit: fail } as RateLimit });
    expect(await statuses(gate, CEILING + 5)).toEqual(repeat(CEILING + 5, 401));
  });
});

describe("an address", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:DB8:1:2::6", "2001:db8:1:2"],
    ["2001:db8::6", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["2001:db8:1::", "2001:db8:1:0"],
  ])("of %s is %s", (address, network) => {
    expect(addressOf(new Headers({ "cf-connecting-ip": address }))).toBe(network);
  });

  it("is unknown without a header", () => {
    expect(addressOf(new Headers())).toBeUndefined();
  });
});
