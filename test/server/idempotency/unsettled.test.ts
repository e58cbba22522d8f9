// Idempotency keys of calls that did not run, or of which nobody knows.

import { reset } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { text } from "../../../src/tools/content.ts";
import { elicit } from "../../../src/tools/input-request.ts";
import {
  COMPLETE,
  errorOf,
  META,
  modernHeaders,
  openCaller,
  openGate,
  request,
  resultOf,
  type Caller,
  type Gate,
} from "../../support/app.ts";
import { apiKeyStub } from "../../../src/env.ts";
import { severedEnv, testEnv } from "../../support/counting-env.ts";
import {
  ask,
  counted,
  KEY,
  LEGACY_REVISION,
  numbered,
  order,
  refused,
  REPLAYED,
  told,
  toldAgain,
  UNKNOWN,
} from "../../support/order-tool.ts";
import { silentEnv } from "../../support/lost-calls.ts";
import { narrow } from "../../support/narrow.ts";
import type { ToolContext } from "../../../src/tools/context.ts";

const logged: string[] = [];
beforeEach(() => {
  logged.length = 0;
  vi.spyOn(console, "error").mockImplementation((line: string) => void logged.push(line));
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await reset();
});

const { _meta: SERVER } = COMPLETE;

describe("a key stays free", () => {
  it("when its object does not say in time whether it is", async () => {
    const { tool, runs } = numbered();
    const { env, silence, find } = silentEnv();
    narrow({ claimTimeoutMs: LIMITS.objectTimeoutMs - 1 });
    const caller = await openCaller([tool], env);
    silence("API_KEY", "claimCall");
    const late = await ask(caller, LEGACY_REVISION, order("k"));
    const timeouts = vi.mocked(setTimeout).mock.calls.map(([, ms]) => ms);
    find("API_KEY", "claimCall");
    expect([late.status, runs(), timeouts.includes(LIMITS.claimTimeoutMs)]).toEqual([503, 0, true]);
    expect(await ask(caller, LEGACY_REVISION, order("k"))).toEqual(told("order 1"));
  });

  it("when the arguments are not what the tool takes", async () => {
    const { tool, runs } = numbered();
    const caller = await openCaller([tool]);
    const wrong = await ask(caller, LEGACY_REVISION, order("k", { arguments: { count: "two" } }));
    expect(wrong.body).toMatchObject({ result: { isError: true } });
    expect([await ask(caller, LEGACY_REVISION, order("k")), runs()]).toEqual([told("order 1"), 1]);
  });

  it("when there is no such tool, or too many calls", async () => {
    const { tool } = numbered();
    const gate = openGate([tool]);
    const caller = gate.caller(await gate.mint({ limits: { perMinute: 1, burst: 2 } }));
    expect((await ask(caller, LEGACY_REVISION, order("k", { name: "none" }))).body).toEqual(errorOf(-32602));
    await ask(caller, LEGACY_REVISION, order("j"));
    expect((await ask(caller, LEGACY_REVISION, order("k"))).status).toBe(429);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 60_000);
    expect(await ask(caller, LEGACY_REVISION, order("k"))).toEqual(told("order 2"));
  });

  it("when its API key's object can't be asked: nothing runs", async () => {
    const { tool, runs } = numbered();
    const { env, sever } = severedEnv();
    const caller = await openCaller([tool], { API_KEY: env.API_KEY });
    await ask(caller, LEGACY_REVISION, { name: "order" });
    sever(true);
    const answer = await ask(caller, LEGACY_REVISION, order("k"));
    expect([answer, runs()]).toEqual([refused(503, { retryAfterSeconds: 2 }), 1]);
    sever(false);
    expect([await ask(caller, LEGACY_REVISION, order("k")), runs()]).toEqual([told("order 2"), 2]);
  });

  it("when its API key's object is overloaded: it is not asked again", async () => {
    const { tool, runs } = numbered();
    const stub = { claimCall: () => Promise.reject(Object.assign(new Error("too much"), { overloaded: true })) };
    const { API_KEY } = testEnv;
    let claims = 0;
    const get = (id: DurableObjectId) =>
      new Proxy(API_KEY.get(id), {
        get: (object, method) => {
          claims += Number(method === "claimCall");
          return method === "claimCall" ? stub.claimCall : Reflect.get(object, method);
        },
      });
    const namespace = { idFromName: (name: string) => API_KEY.idFromName(name), get };
    const caller = await openCaller([tool], { API_KEY: namespace as unknown as DurableObjectNamespace });
    expect(await ask(caller, LEGACY_REVISION, order("k"))).toEqual(refused(503, { retryAfterSeconds: 2 }));
    expect([claims, runs()]).toEqual([1, 0]);
  });

  it("when as many calls under keys run as may", async () => {
    const { tool, runs } = numbered();
    const caller = await openCaller([tool]);
    const stub = apiKeyStub(testEnv, caller.key.split("_")[1] ?? "");
    const claimOne = (n: number) =>
      stub.claimCall({ v: 1, keyHash: `${n}`, callHash: "call", claim: `${n}`, lifeMs: 60_000 });
    for (let n = 1; n < LIMITS.openClaims; n++) await claimOne(n);
    expect(await ask(caller, LEGACY_REVISION, order("last"))).toEqual(told("order 1"));
    await claimOne(LIMITS.openClaims);
    expect([await ask(caller, LEGACY_REVISION, order("k")), runs()]).toEqual([
      refused(429, { retryAfterSeconds: 1 }),
      1,
    ]);
  });

  it("for the call that goes on with the client's answers", async () => {
    const { tool, runs } = counted(async (_, ctx) => {
      const { name } = await ctx.requireInput({ name: elicit("Name?", { type: "object", properties: {} }) });
      return `for ${name.action === "accept" ? JSON.stringify(name.content) : name.action}`;
    });
    const caller = await openCaller([tool]);
    const capabilities = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } };
    const send = (more: object = {}) => {
      const params = { ...order("k"), ...more, _meta: { ...META, ...capabilities, [KEY]: "k" } };
      return caller.post(request("tools/call", params), modernHeaders("tools/call", params));
    };
    const rounds = [await send(), await send()];
    const [requestState, other] = rounds.map(
      ({ body }) => (body as { result: { requestState: string } }).result.requestState,
    );
    expect([rounds.map(({ status }) => status), runs()]).toEqual([[200, 200], 2]);
    const inputResponses = { name: { action: "accept", content: { n: 1 } } };
    const last = await send({ requestState, inputResponses });
    expect(last.body).toEqual(resultOf({ ...COMPLETE, content: [text('for {"n":1}')] }));
    // Any round of it: the key was for the call as a whole.
    const again = resultOf({
      ...COMPLETE,
      content: [text('for {"n":1}')],
      _meta: { ...SERVER, ...REPLAYED },
    });
    for (const more of [
      { requestState, inputResponses },
      { requestState: other, inputResponses: { name: { action: "decline" } } },
      { requestState: "over or altered" },
      {},
    ]) {
      expect((await send(more)).body).toEqual(again);
    }
    expect(runs()).toBe(3);
  });
});

/** A call of 2026-07-28 whose client hangs up once its tool runs; settles when the server has done with it. */
async function hangUp(caller: Gate & Caller, started: Promise<void>): Promise<void> {
  const controller = new AbortController();
  const params = { ...order("k"), _meta: { ...META, [KEY]: "k" } };
  const fields = { ...modernHeaders("tools/call", params), "content-type": "application/json" };
  const headers = { ...fields, authorization: `Bearer ${caller.key}` } as Record<string, string>;
  const body = JSON.stringify(request("tools/call", params));
  const answer = caller.fetch("/mcp", { method: "POST", signal: controller.signal, headers, body });
  await started;
  controller.abort();
  await answer.catch(() => undefined);
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve()));

describe("a call that was cancelled", () => {
  it.each<[string, (ctx: ToolContext) => Promise<unknown>, unknown, number]>([
    [
      "has an unknown outcome",
      async ({ signal }) => {
        await aborted(signal);
        throw new Error("stopped");
      },
      UNKNOWN,
      1,
    ],
    ["has an unknown outcome when its tool never ends", () => new Promise(() => undefined), UNKNOWN, 1],
    [
      "has the answer that its tool gave nevertheless",
      async ({ signal }) => {
        await aborted(signal);
        return "ordered";
      },
      toldAgain("ordered"),
      1,
    ],
    [
      "may be made when its tool came to a question first",
      async (ctx) => {
        await aborted(ctx.signal);
        return ctx.requireInput({ name: elicit("Name?", { type: "object", properties: {} }) });
      },
      told("ordered again"),
      2,
    ],
  ])("%s", async (_, run, again, count) => {
    const started = Promise.withResolvers<void>();
    const { tool, runs } = counted(
      (_input, ctx, nth) => {
        started.resolve();
        return nth === 1 ? run(ctx) : "ordered again";
      },
      { timeoutMs: 200 },
    );
    const caller = await openCaller([tool]);
    await hangUp(caller, started.promise);
    expect([await ask(caller, LEGACY_REVISION, order("k")), runs()]).toEqual([again, count]);
  });
});

describe("what can't be stored", () => {
  it("is answered all the same, and unknown to who asks again", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { env, sever, attempts } = severedEnv();
    const { tool, runs } = counted(() => {
      sever(true);
      return "ordered";
    });
    const caller = await openCaller([tool], { API_KEY: env.API_KEY });
    expect(await ask(caller, LEGACY_REVISION, order("k"))).toEqual(told("ordered"));
    expect(logged.map((line) => (JSON.parse(line) as { event: string }).event)).toContain("settle_failed");
    expect(attempts()).toBeGreaterThanOrEqual(LIMITS.lostCallAttempts);
    sever(false);
    expect(await ask(caller, LEGACY_REVISION, order("k"))).toMatchObject({
      status: 409,
      body: { error: { data: { idempotency: "running" } } },
    });
    vi.setSystemTime(Date.now() + tool.timeoutMs + LIMITS.claimMarginMs);
    expect([await ask(caller, LEGACY_REVISION, order("k")), runs()]).toEqual([UNKNOWN, 1]);
  });

  it("is tried again", async () => {
    const { env, sever } = severedEnv();
    const { tool, runs } = counted(() => {
      sever(true);
      setTimeout(() => sever(false), LIMITS.lostCallRetryMs / 2);
      return "ordered";
    });
    const caller = await openCaller([tool], { API_KEY: env.API_KEY });
    await ask(caller, LEGACY_REVISION, order("k"));
    expect([await ask(caller, LEGACY_REVISION, order("k")), runs()]).toEqual([toldAgain("ordered"), 1]);
  });
});
