import { createExecutionContext, reset, waitOnExecutionContext } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi, onTestFinished } from "vitest";
import { composeWorker } from "../../src/compose.ts";
import { registryStub, type Env } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { sealSecret } from "../../src/secrets/secret-box.ts";
import { builtinTools } from "../../src/tools/builtin/catalog.ts";
import { countingEnv, testEnv, type ObjectCall } from "../support/counting-env.ts";

vi.setConfig({ testTimeout: 60_000 });

// However slow the machine is: a call every 2 ms.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(async () => {
  vi.useRealTimers();
  await reset();
});

/** Rows of calls are written in the background: no answer waits for them, as the test below shows. */
const isOfAudit = ({ binding }: ObjectCall): boolean => binding === "AUDIT_LOG";

/** A lease that nobody needs yet is a renewal: it is asked for while a call runs, and no call waits for it. */
const isRenewal = ({ method, args: [ask] }: ObjectCall): boolean =>
  method === "lease" && (ask as { need: number }).need === 0;

/** That a call uses a slot which its isolate kept, and that it ended, is told after the fact: nobody waits for that. */
const isTold = ({ method, args: [ask] }: ObjectCall, id: number): boolean =>
  method === "hold" && (id > 0 || (ask as { running: number }).running === 0);

async function post(
  { app }: ReturnType<typeof composeWorker>,
  env: Env,
  path: string,
  key: string | undefined,
  body: unknown,
) {
  const ctx = createExecutionContext();
  const response = await app.fetch(
    new Request(`https://toolgate.example${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    }),
    env,
    ctx,
  );
  return { response, background: () => waitOnExecutionContext(ctx) };
}

const RATE = { perMinute: 1_000_000, burst: 100_000 };

it.each([
  [1_000, "a rate alone", RATE, 2],
  [1_000, "limits of every kind", { ...RATE, perDay: 1_000_000, tools: { "calc*": RATE, "*": RATE } }, 2],
  // The first call learns of the bound, and then asks for the slot that the next ones use again.
  [200, "a bound on running calls", { ...RATE, concurrent: 8 }, 3],
])(
  "makes no object call on the answer's path after the first of %i warm calls: %s",
  async (count, _, limits, first) => {
    const worker = composeWorker(builtinTools);
    const { env, calls } = countingEnv({ ...testEnv, AUDIT_FLUSH_MS: "1000" });
    const minted = await post(worker, env, "/admin/v1/keys", env.ADMIN_KEY, { name: "warm", limits });
    const { key } = await minted.response.json<{ key: string }>();
    calls.length = 0;
    const fetcher = vi.spyOn(globalThis, "fetch");
    onTestFinished(() => fetcher.mockRestore());
    const backgrounds: Promise<void>[] = [];
    let onThePath = 0;
    let [inTheBackground, writes] = [0, 0];
    for (let id = 0; id < count; id++) {
      const params = { name: "calculate", arguments: { expression: `${id} + 1` } };
      const { response, background } = await post(worker, env, "/mcp", key, {
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params,
      });
      const answer = await response.json<{ id: number; result: { content: [{ text: string }] } }>();
      expect([answer.id, answer.result.content[0].text]).toEqual([id, `${id} + 1 = ${id + 1}`]);
      const waited = calls.filter((asked) => !isRenewal(asked) && !isTold(asked, id) && !isOfAudit(asked)).length;
      onThePath += waited;
      inTheBackground += calls.filter(isRenewal).length;
      writes += calls.filter(isOfAudit).length;
      calls.length = 0;
      backgrounds.push(background());
      vi.setSystemTime(Date.now() + 2);
    }
    await Promise.all(backgrounds);
    writes += calls.filter(isOfAudit).length;
    // The first call's lease and its snapshot of the catalogue.
    expect(onThePath).toBe(first);
    expect(inTheBackground).toBeLessThan(50);
    expect(writes).toBeGreaterThanOrEqual(count / LIMITS.auditBatchRows);
    expect(writes).toBeLessThan(50);
    // A call's only requests are its tool's.
    expect(fetcher).not.toHaveBeenCalled();
  },
);

it("asks the registry once for all lists of a tenth of a second", async () => {
  const worker = composeWorker(builtinTools);
  const { env, calls } = countingEnv({ ...testEnv, AUDIT_FLUSH_MS: "1000" });
  const minted = await post(worker, env, "/admin/v1/keys", env.ADMIN_KEY, { name: "warm" });
  const { key } = await minted.response.json<{ key: string }>();
  calls.length = 0;
  for (let id = 0; id < 50; id++) {
    const { response } = await post(worker, env, "/mcp", key, { jsonrpc: "2.0", id, method: "tools/list" });
    expect(await response.text()).toContain('"name":"calculate"');
    vi.setSystemTime(Date.now() + LIMITS.listLeaseMs / 25);
  }
  expect(calls.filter(({ method }) => method === "readSnapshot")).toHaveLength(2);
});

it("answers calls whether or not a log takes their rows", async () => {
  const worker = composeWorker(builtinTools);
  const silent = { idFromName: () => "", get: () => ({ write: () => new Promise(() => undefined) }) };
  const env = { ...testEnv, AUDIT_LOG: silent as unknown as DurableObjectNamespace };
  const minted = await post(worker, env, "/admin/v1/keys", env.ADMIN_KEY, { name: "warm" });
  const { key } = await minted.response.json<{ key: string }>();
  const params = { name: "calculate", arguments: { expression: "1" } };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const statuses = new Set<number>();
  for (let n = 0; n < LIMITS.auditBatchRows + 1; n++) {
    const { response } = await post(worker, env, "/mcp", key, message);
    statuses.add(response.status);
    await response.text();
  }
  expect([...statuses]).toEqual([200]);
});

it("makes none for the secrets of an HTTP tool, either", async () => {
  const SECRETS_KEY = "the-secrets-key-of-this-test";
  const { env, calls } = countingEnv({ ...testEnv, SECRETS_KEY });
  const worker = composeWorker(builtinTools);
  const source = {
    kind: "http",
    method: "GET",
    url: "https://api.example.com/",
    headers: { "x-token": "{{secret:TOKEN}}" },
  };
  const record = { description: "Reads.", inputSchema: { type: "object", properties: {} }, source };
  await post(worker, env, "/admin/v1/tools", env.ADMIN_KEY, { changes: [{ op: "put", name: "read", record }] });
  const fetcher = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
  const sealed = await sealSecret({ current: SECRETS_KEY }, "TOKEN", "s3cret-s3cret");
  await registryStub(testEnv).writeSecret("TOKEN", sealed, Date.now());
  const limits = { perMinute: 1_000_000, burst: 100_000 };
  const minted = await post(worker, env, "/admin/v1/keys", env.ADMIN_KEY, { name: "warm", limits });
  const { key } = await minted.response.json<{ key: string }>();
  calls.length = 0;
  const onThePath: string[] = [];
  for (let id = 0; id < 100; id++) {
    const message = { jsonrpc: "2.0", id, method: "tools/call", params: { name: "read", arguments: {} } };
    const { response, background } = await post(worker, env, "/mcp", key, message);
    expect(await response.text()).toContain('"text":"ok"');
    onThePath.push(...calls.filter((call) => !isRenewal(call) && !isOfAudit(call)).map(({ method }) => method));
    calls.length = 0;
    await background();
  }
  const sent = fetcher.mock.calls.map(([, init]) => new Headers(init?.headers).get("x-token"));
  fetcher.mockRestore();
  expect([onThePath, new Set(sent)]).toEqual([["readSnapshot", "lease", "readSecrets"], new Set(["s3cret-s3cret"])]);
});
