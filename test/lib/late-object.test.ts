import { runInDurableObject, reset } from "cloudflare:test";
import { DurableObject } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { auditLogStub, type Env } from "../../src/env.ts";
import { lateObject, type ObjectClass } from "../../src/lib/late-object.ts";
import { ApiKey, AuditLog, CallRelay, CatalogueReplica, SessionHub, ToolRegistry } from "../../src/index.ts";
import { testEnv } from "../support/counting-env.ts";

afterEach(() => reset());

class Counter extends DurableObject<Env> {
  #total = 0;

  add(amount: number): number {
    return (this.#total += amount);
  }

  async read(): Promise<number> {
    return this.#total;
  }

  override alarm(): void {
    this.#total = 0;
  }
}

const METHODS = { add: true, read: true, alarm: true } as const;

/** Runs inside an object of another class, and with its state. */
const withState = <T>(run: (ctx: DurableObjectState) => Promise<T>): Promise<T> =>
  runInDurableObject(auditLogStub(testEnv, 0) as unknown as DurableObjectStub, (_, ctx) => run(ctx));

const loadCounter = async (): Promise<ObjectClass<Counter>> => Counter;

/** A class that is loaded late, and how often it was. */
function open(load = loadCounter) {
  const seen = { loads: 0 };
  const Late = lateObject(() => (seen.loads++, load()), METHODS);
  const wake = async (ctx: DurableObjectState): Promise<Counter> => {
    const object = new Late(ctx, testEnv);
    await ctx.blockConcurrencyWhile(async () => undefined);
    return object;
  };
  return { Late, seen, wake };
}

describe("an object whose class is loaded late", () => {
  it("does in the same turn what it is asked to, and answers what the class does", async () => {
    const { wake } = open();
    await withState(async (ctx) => {
      const object = await wake(ctx);
      const read = object.read();
      expect([object.add(2), object.add(3), read, await read, await object.read()]).toEqual([
        2,
        5,
        expect.any(Promise),
        0,
        5,
      ]);
      object.alarm();
      expect(await object.read()).toBe(0);
    });
  });

  it("is there at once where its class was loaded before, and that happens once", async () => {
    const { Late, seen, wake } = open();
    await withState(async (ctx) => {
      await wake(ctx);
      expect([new Late(ctx, testEnv).add(1), seen.loads]).toEqual([1, 1]);
    });
  });

  it("is reset when its class can't be loaded, and loads it when it wakes anew", async () => {
    const failures = [new Error("no such module")];
    const { wake } = open(async () => {
      const failure = failures.pop();
      if (failure) throw failure;
      return Counter;
    });
    await expect(withState(wake)).rejects.toThrow("no such module");
    expect(await withState(async (ctx) => (await wake(ctx)).add(1))).toBe(1);
  });

  it("has every method by its type, and no other", () => {
    // @ts-expect-error `alarm` is missing: the runtime would not deliver it.
    lateObject(loadCounter, { add: true, read: true });
    // @ts-expect-error `fetch` is none of the class: the runtime would deliver requests to it.
    lateObject(loadCounter, { ...METHODS, fetch: true });
    const { prototype } = open().Late;
    const names = ["add", "read", "alarm", "fetch", "connect", "webSocketMessage", "webSocketClose", "webSocketError"];
    expect(names.filter((name) => name in prototype)).toEqual(["add", "read", "alarm"]);
  });
});

describe("the deployed class", () => {
  it.each(Object.entries({ ApiKey, AuditLog, CallRelay, CatalogueReplica, SessionHub, ToolRegistry }))(
    "%s is loaded late",
    async (_, Class) => {
      expect(await withState(async (ctx) => "loaded" in new Class(ctx, testEnv))).toBe(true);
    },
  );
});
