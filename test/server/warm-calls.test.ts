import { createExecutionContext, reset, waitOnExecutionContext } from "cloudflare:test";
import { afterEach, expect, it } from "vitest";
import { composeWorker } from "../../src/compose.ts";
import type { Env } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { builtinTools } from "../../src/tools/builtin/catalog.ts";
import { countingEnv, testEnv, type ObjectCall } from "../support/counting-env.ts";

afterEach(() => reset());

const { app } = composeWorker(builtinTools);

/** Rows of calls are written in the background: no answer waits for them, as the test below shows. */
const isOfAudit = ({ binding }: ObjectCall): boolean => binding === "AUDIT_LOG";

/** A lease that nobody needs yet is a renewal: it is asked for while a call runs, and no call waits for it. */
const isWaitedFor = ({ method, args: [ask] }: ObjectCall): boolean =>
  method !== "lease" || (ask as { need: number }).need > 0;

async function post(env: Env, path: string, key: string | undefined, body: unknown) {
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

it("makes no object call on the answer's path after the first of 1,000 warm calls", async () => {
  const { env, calls } = countingEnv({ ...testEnv, AUDIT_FLUSH_MS: "1000" });
  const limits = { perMinute: 1_000_000, burst: 100_000 };
  const minted = await post(env, "/admin/v1/keys", env.ADMIN_KEY, { name: "warm", limits });
  const { key } = await minted.response.json<{ key: string }>();
  calls.length = 0;
  let [onThePath, inTheBackground, writes] = [0, 0, 0];
  const backgrounds: Promise<void>[] = [];
  for (let id = 0; id < 1_000; id++) {
    const params = { name: "calculate", arguments: { expression: `${id} + 1` } };
    const { response, background } = await post(env, "/mcp", key, { jsonrpc: "2.0", id, method: "tools/call", params });
    const answer = await response.json<{ id: number; result: { content: [{ text: string }] } }>();
    expect([answer.id, answer.result.content[0].text]).toEqual([id, `${id} + 1 = ${id + 1}`]);
    writes += calls.filter(isOfAudit).length;
    const others = calls.filter((call) => !isOfAudit(call));
    const waited = others.filter(isWaitedFor).length;
    onThePath += waited;
    inTheBackground += others.length - waited;
    calls.length = 0;
    backgrounds.push(background());
  }
  await Promise.all(backgrounds);
  writes += calls.filter(isOfAudit).length;
  // The first call's lease and its snapshot of the catalogue.
  expect(onThePath).toBe(2);
  expect(inTheBackground).toBeLessThan(50);
  expect(writes).toBeGreaterThanOrEqual(1_000 / LIMITS.auditBatchRows);
  expect(writes).toBeLessThan(50);
});

it("answers calls whether or not a log takes their rows", async () => {
  const silent = { idFromName: () => "", get: () => ({ write: () => new Promise(() => undefined) }) };
  const env = { ...testEnv, AUDIT_LOG: silent as unknown as DurableObjectNamespace };
  const minted = await post(env, "/admin/v1/keys", env.ADMIN_KEY, { name: "warm" });
  const { key } = await minted.response.json<{ key: string }>();
  const params = { name: "calculate", arguments: { expression: "1" } };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const statuses = new Set<number>();
  for (let n = 0; n < LIMITS.auditBatchRows + 1; n++) {
    const { response } = await post(env, "/mcp", key, message);
    statuses.add(response.status);
    await response.text();
  }
  expect([...statuses]).toEqual([200]);
});
