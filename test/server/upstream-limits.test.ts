// How long listing an upstream's tools may take, how much it may be, and how often it is tried: at and beyond each.

import { reset } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { registryStub, type Env } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { planUpstream } from "../../src/registry/upstream-plan.ts";
import { takeTurns } from "../../src/lib/take-turns.ts";
import { listUpstreamTools } from "../../src/tools/upstream/list-upstream-tools.ts";
import { openGate, readAnswer, type Gate } from "../support/app.ts";
import { testEnv } from "../support/counting-env.ts";
import { narrow } from "../support/narrow.ts";
import { discovery, linkTo, result, scriptUpstream, TARGET, UPSTREAM_URL } from "../support/scripted-upstream.ts";

const tool = { name: "a", description: "A.", inputSchema: { type: "object" } };
const script = { "server/discover": discovery, "tools/list": () => result({ tools: [tool] }) };

beforeEach(() => {
  const { fetcher } = scriptUpstream(script);
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) =>
    init?.signal?.aborted ? Promise.reject(init.signal.reason as Error) : fetcher(input, init),
  );
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const add = async (gate: Gate) => readAnswer(await gate.admin("PUT", "/upstreams/up", { url: UPSTREAM_URL }));

/** Has what was to take at most so long take longer. */
function endAtOnce(timeoutMs: number): number[] {
  const asked: number[] = [];
  const { timeout } = AbortSignal;
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    asked.push(ms);
    return ms === timeoutMs ? AbortSignal.abort(new DOMException("timed out", "TimeoutError")) : timeout(ms);
  });
  return asked;
}

describe("listing an upstream's tools", () => {
  it("is over after a time, which the status says", async () => {
    endAtOnce(LIMITS.upstreamRefreshMs);
    const reason = `Listing its tools took longer than ${LIMITS.upstreamRefreshMs} ms.`;
    expect(await add(openGate([]))).toMatchObject({ status: 201, body: { status: { state: "failing", reason } } });
  });

  it("gives each request a part of that", async () => {
    const timeouts: (number | undefined)[] = [];
    const upstream = scriptUpstream(script);
    const link = linkTo(upstream);
    await listUpstreamTools(TARGET, {
      ...link,
      fetch: (url, init) => {
        timeouts.push(init?.timeoutMs);
        return link.fetch(url, init);
      },
    });
    expect(timeouts).toEqual([LIMITS.upstreamHandshakeMs, LIMITS.upstreamHandshakeMs]);
  });

  it.each([
    [0, "listed"],
    [-1, "The response is too large"],
  ])("takes so many characters, here %i more than there are: %s", async (more, outcome) => {
    let chars = 0;
    const counting = {
      ...script,
      "tools/list": (...call: Parameters<typeof discovery>) => {
        const [{ message }] = call;
        const body = JSON.stringify({ jsonrpc: "2.0", id: message.id, ...result({ tools: [tool] }) });
        chars = body.length;
        return new Response(body, { headers: { "content-type": "application/json" } });
      },
    };
    await listUpstreamTools(TARGET, linkTo(scriptUpstream(counting)));
    narrow({ upstreamBytes: chars + more });
    const listed = listUpstreamTools(TARGET, linkTo(scriptUpstream(counting)));
    expect(
      await listed.then(
        () => "listed",
        ({ message }: Error) => message,
      ),
    ).toContain(outcome);
  });

  it.each([
    [LIMITS.upstreamRounds - 1, "applied"],
    [LIMITS.upstreamRounds, "not applied"],
  ])("is tried anew when the catalogue changed meanwhile, here %i times: %s", async (changes, outcome) => {
    let left = changes;
    const { TOOL_REGISTRY } = testEnv;
    const busy = {
      idFromName: (name: string) => TOOL_REGISTRY.idFromName(name),
      get: (id: DurableObjectId) =>
        new Proxy(TOOL_REGISTRY.get(id), {
          get:
            (stub, method) =>
            async (...args: unknown[]) => {
              if (method === "applyUpstream" && left-- > 0) return { v: 1, outcome: "version_mismatch", version: 0 };
              return (stub as unknown as Record<string | symbol, (...args: unknown[]) => unknown>)[method]?.(...args);
            },
        }),
    };
    await add(openGate([], { TOOL_REGISTRY: busy as unknown as Env["TOOL_REGISTRY"] }));
    const { rows = [] } = await registryStub(testEnv).readSnapshot(-1);
    const isListed = rows.some(({ name, row }) => name === "up_a" && row !== null);
    expect(isListed ? "applied" : "not applied").toBe(outcome);
  });
});

/** How long the reason is why a tool is not served. */
async function skipAtLength(): Promise<number[]> {
  const description = "\u{E0041}".repeat(400);
  const schema = { type: "object" };
  const tools = [{ definition: { name: "a", description, inputSchema: schema }, inputSchema: JSON.stringify(schema) }];
  const row = {
    name: "up",
    record: { url: UPSTREAM_URL },
    edition: 1,
    status: { state: "ok", sinceMs: 0, triedAtMs: 0, tools: 0, skipped: [], warnings: [] },
  } as const;
  const session = { era: "modern", revision: "2026-07-28" } as const;
  const base = { rows: [], isBuiltin: () => false, deployment: "d" };
  const { skipped } = await takeTurns(planUpstream(row as never, { ...base, list: { session, tools } }));
  return skipped.map(({ reason }) => reason.length);
}

it("why a tool of an upstream's is not served is told in so many characters", async () => {
  const [whole = 0] = await skipAtLength();
  const told: number[][] = [];
  for (const upstreamReasonChars of [whole + 1, whole, whole - 1]) {
    narrow({ upstreamReasonChars });
    told.push(await skipAtLength());
  }
  expect(told).toEqual([[whole], [whole], [whole - 1]]);
});
