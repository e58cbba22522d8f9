import { createExecutionContext, reset, waitOnExecutionContext } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import * as v from "valibot";
import { composeWorker } from "../../src/compose.ts";
import { registryStub, type Env } from "../../src/env.ts";
import { sealSecret } from "../../src/secrets/secret-box.ts";
import { SecretCache } from "../../src/secrets/secret-cache.ts";
import { builtinTools } from "../../src/tools/builtin/catalog.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { compileHttpTool } from "../../src/tools/http-tool/compile-http-tool.ts";
import { countingEnv, testEnv, type ObjectCall } from "../support/counting-env.ts";

afterEach(() => reset());

type App = ReturnType<typeof composeWorker>["app"];
const { app } = composeWorker(builtinTools);

/** A lease that nobody needs yet is a renewal: it is asked for while a call runs, and no call waits for it. */
const isWaitedFor = ({ method, args: [ask] }: ObjectCall): boolean =>
  method !== "lease" || (ask as { need: number }).need > 0;

async function post(env: Env, path: string, key: string | undefined, body: unknown, to: App = app) {
  const ctx = createExecutionContext();
  const response = await to.fetch(
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

it("makes none for the secrets of an HTTP tool, either", async () => {
  const SECRETS_KEY = "the-secrets-key-of-this-test";
  const { env, calls } = countingEnv({ ...testEnv, SECRETS_KEY });
  const secrets = new SecretCache();
  const run = compileHttpTool(
    { kind: "http", method: "GET", url: "https://api.example.com/", headers: { "x-token": "{{secret:TOKEN}}" } },
    { readSecret: (name) => secrets.read(env, () => undefined, name) },
  );
  const read = defineTool({ name: "read", description: "Reads.", input: v.looseObject({}), run });
  const { app } = composeWorker([read]);
  const fetcher = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
  const sealed = await sealSecret({ current: SECRETS_KEY }, "TOKEN", "s3cret-s3cret");
  await registryStub(testEnv).writeSecret("TOKEN", sealed, Date.now());
  const limits = { perMinute: 1_000_000, burst: 100_000 };
  const minted = await post(env, "/admin/v1/keys", env.ADMIN_KEY, { name: "warm", limits }, app);
  const { key } = await minted.response.json<{ key: string }>();
  calls.length = 0;
  const onThePath: string[] = [];
  for (let id = 0; id < 100; id++) {
    const message = { jsonrpc: "2.0", id, method: "tools/call", params: { name: "read", arguments: {} } };
    const { response, background } = await post(env, "/mcp", key, message, app);
    expect(await response.text()).toContain('"text":"ok"');
    onThePath.push(...calls.filter(isWaitedFor).map(({ method }) => method));
    calls.length = 0;
    await background();
  }
  const sent = fetcher.mock.calls.map(([, init]) => new Headers(init?.headers).get("x-token"));
  fetcher.mockRestore();
  expect([onThePath, new Set(sent)]).toEqual([["lease", "readSnapshot", "readSecrets"], new Set(["s3cret-s3cret"])]);
});
