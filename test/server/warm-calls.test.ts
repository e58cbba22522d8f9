import { createExecutionContext, reset, waitOnExecutionContext } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { composeWorker } from "../../src/compose.ts";
import type { Env } from "../../src/env.ts";
import { builtinTools } from "../../src/tools/builtin/catalog.ts";
import { countingEnv, type ObjectCall } from "../support/counting-env.ts";

vi.setConfig({ testTimeout: 60_000 });

// However slow the machine is: a call every 2 ms.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(async () => {
  vi.useRealTimers();
  await reset();
});

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
    const { env, calls } = countingEnv();
    const minted = await post(worker, env, "/admin/v1/keys", env.ADMIN_KEY, { name: "warm", limits });
    const { key } = await minted.response.json<{ key: string }>();
    calls.length = 0;
    let onThePath = 0;
    let inTheBackground = 0;
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
      const waited = calls.filter((asked) => !isRenewal(asked) && !isTold(asked, id)).length;
      onThePath += waited;
      inTheBackground += calls.filter(isRenewal).length;
      calls.length = 0;
      await background();
      vi.setSystemTime(Date.now() + 2);
    }
    // The first call's lease and its snapshot of the catalogue.
    expect(onThePath).toBe(first);
    expect(inTheBackground).toBeLessThan(50);
  },
);
