import { createExecutionContext, reset, waitOnExecutionContext } from "cloudflare:test";
import { afterEach, expect, it } from "vitest";
import { composeWorker } from "../../src/compose.ts";
import type { Env } from "../../src/env.ts";
import { builtinTools } from "../../src/tools/builtin/catalog.ts";
import { countingEnv, type ObjectCall } from "../support/counting-env.ts";

afterEach(() => reset());

const { app } = composeWorker(builtinTools);

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
  const { env, calls } = countingEnv();
  const limits = { perMinute: 1_000_000, burst: 100_000 };
  const minted = await post(env, "/admin/v1/keys", env.ADMIN_KEY, { name: "warm", limits });
  const { key } = await minted.response.json<{ key: string }>();
  calls.length = 0;
  let onThePath = 0;
  let inTheBackground = 0;
  for (let id = 0; id < 1_000; id++) {
    const params = { name: "calculate", arguments: { expression: `${id} + 1` } };
    const { response, background } = await post(env, "/mcp", key, { jsonrpc: "2.0", id, method: "tools/call", params });
    const answer = await response.json<{ id: number; result: { content: [{ text: string }] } }>();
    expect([answer.id, answer.result.content[0].text]).toEqual([id, `${id} + 1 = ${id + 1}`]);
    const waited = calls.filter(isWaitedFor).length;
    onThePath += waited;
    inTheBackground += calls.length - waited;
    calls.length = 0;
    await background();
  }
  // The first call's lease and its snapshot of the catalogue.
  expect(onThePath).toBe(2);
  expect(inTheBackground).toBeLessThan(50);
});
