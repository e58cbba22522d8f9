import { reset } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { registryStub, type Env } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { sealSecret } from "../../src/secrets/secret-box.ts";
import { SecretCache, SecretUnavailable } from "../../src/secrets/secret-cache.ts";
import { countingEnv, testEnv } from "../support/counting-env.ts";
import { narrow } from "../support/narrow.ts";

const KEY = "the-key-of-these-tests";

/** A cache before the real registry, whose calls are counted; `down` makes it throw. */
function setUp(bindings: Partial<Env> = {}) {
  const { env, calls } = countingEnv({ ...testEnv, SECRETS_KEY: KEY, ...bindings });
  const state = { down: false };
  const namespace = env.TOOL_REGISTRY;
  const get = (id: DurableObjectId) => {
    if (state.down) throw new Error("registry is down");
    return namespace.get(id);
  };
  const TOOL_REGISTRY = { idFromName: (name: string) => namespace.idFromName(name), get };
  const broken = { ...env, TOOL_REGISTRY } as unknown as Env;
  const cache = new SecretCache();
  const background: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>): number => background.push(work);
  const read = (name = "TOKEN"): Promise<string> => cache.read(broken, waitUntil, name);
  return { state, calls, read, settle: () => Promise.all(background.splice(0)) };
}

const set = async (value: string, key = KEY): Promise<unknown> =>
  registryStub(testEnv).writeSecret("TOKEN", await sealSecret({ current: key }, "TOKEN", value), 1);

const pass = (ms: number): void => {
  vi.setSystemTime(Date.now() + ms);
};

describe("SecretCache", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    return reset();
  });

  it("asks once, and nobody while it is fresh", async () => {
    await set("first");
    const { read, calls } = setUp();
    await read();
    pass(LIMITS.secretFreshMs);
    for (let call = 0; call < 100; call++) expect(await read()).toBe("first");
    expect(calls).toEqual([{ binding: "TOOL_REGISTRY", method: "readSecrets", args: [["TOKEN"]] }]);
  });

  it("holds so many secrets, and asks again for the one used longest ago", async () => {
    narrow({ cachedSecrets: 2 });
    const { read, calls } = setUp();
    for (const name of ["A", "B", "A", "B", "C", "B", "A"]) await expect(read(name)).rejects.toThrow(SecretUnavailable);
    expect(calls.map(({ args }) => args)).toEqual([[["A"]], [["B"]], [["C"]], [["A"]]]);
  });

  it("opens nothing under a key that is too short", async () => {
    await set("value", "x".repeat(LIMITS.secretsKeyMinChars));
    const { read } = setUp({ SECRETS_KEY: "x".repeat(LIMITS.secretsKeyMinChars) });
    expect(await read()).toBe("value");
    const short = setUp({ SECRETS_KEY: "x".repeat(LIMITS.secretsKeyMinChars - 1) });
    await expect(short.read()).rejects.toThrow(`expected at least ${LIMITS.secretsKeyMinChars} characters`);
  });

  it("serves on while it asks again beside the call, once", async () => {
    await set("first");
    const { read, calls, settle } = setUp();
    await read();
    await set("second");
    pass(LIMITS.secretFreshMs + 1);
    expect([await read(), await read()]).toEqual(["first", "first"]);
    await settle();
    expect([await read(), calls.length]).toEqual(["second", 2]);
  });

  it("never serves one that is older than its bound", async () => {
    await set("first");
    const { read } = setUp();
    await read();
    await set("second");
    pass(LIMITS.snapshotStaleMs);
    expect(await read()).toBe("first");
    pass(1);
    expect(await read()).toBe("second");
  });

  it("goes on with the one that it has while the registry can't be reached, for a time", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    await set("first");
    const { read, state } = setUp();
    await read();
    state.down = true;
    pass(LIMITS.snapshotUsableMs);
    expect(await read()).toBe("first");
    pass(1);
    await expect(read()).rejects.toThrow(new SecretUnavailable("the registry can't be reached"));
    state.down = false;
    expect(await read()).toBe("first");
  });

  it("knows one that was deleted no longer, and one that was set again", async () => {
    await set("first");
    const { read } = setUp();
    await read();
    await registryStub(testEnv).deleteSecret("TOKEN");
    pass(LIMITS.snapshotStaleMs + 1);
    await expect(read()).rejects.toThrow(new SecretUnavailable("it is not set"));
    await set("again");
    pass(LIMITS.unknownToolFloorMs + 1);
    expect(await read()).toBe("again");
  });

  it("has one that was missing within a second of its being set", async () => {
    const { read } = setUp();
    await expect(read()).rejects.toThrow("it is not set");
    await set("at last");
    pass(LIMITS.unknownToolFloorMs + 1);
    expect(await read()).toBe("at last");
  });

  it("asks for one that is not set once a second at most", async () => {
    const { read, calls } = setUp();
    for (let call = 0; call < 10; call++) await expect(read()).rejects.toThrow("it is not set");
    expect(calls).toHaveLength(1);
  });

  it("says why one can't be had", async () => {
    await set("first", "another-key-of-these-tests");
    const other = new SecretUnavailable("SECRETS_KEY is not the one that it was set under");
    await expect(setUp().read()).rejects.toThrow(other);
    await expect(setUp({ SECRETS_KEY: "" }).read()).rejects.toThrow(/^SECRETS_KEY is not set/);
  });

  it("reads one that was sealed under the previous key", async () => {
    await set("first", "another-key-of-these-tests");
    expect(await setUp({ SECRETS_KEY_PREVIOUS: "another-key-of-these-tests" }).read()).toBe("first");
  });
});
