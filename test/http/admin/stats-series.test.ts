import { reset } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Tally } from "../../../src/audit/audit-contract.ts";
import { slotOf } from "../../../src/audit/tally.ts";
import { auditLogStub } from "../../../src/env.ts";
import { openGate, readAnswer } from "../../support/app.ts";
import { testEnv } from "../../support/counting-env.ts";

const NOW_MS = Date.parse("2030-01-01T12:00:00.000Z");
const SLOT = slotOf(NOW_MS);

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS }));
afterEach(async () => {
  vi.useRealTimers();
  await reset();
});

/** Has a log count calls, as if an isolate had told it. */
const count = (shard: number, tallies: Tally[]) =>
  auditLogStub(testEnv, shard).write({
    v: 1,
    isolate: "i",
    seq: 1,
    parts: [],
    tallies: JSON.stringify(tallies),
    lost: { full: 0, refused: 0, unsent: 0, queue: 0 },
  });

async function readSeries(query: string): Promise<unknown> {
  const { body } = await readAnswer(await openGate().admin("GET", `/stats?${query}`));
  return (body as { series?: unknown }).series;
}

const latencyMs = (p50: number | null, p90: number | null, p99: number | null) => ({ p50, p90, p99 });

it("counts calls by span where that is asked for, over all logs, and of one key or tool alone", async () => {
  await count(1, [
    [SLOT, "k1", "tone", "ok", 2, 3],
    [SLOT, "k1", "tone", "limited", 0, 1],
    [SLOT - 2, "k222222222222222", "tone", "failed", 3, 1],
    [SLOT - 13, "k1", "tone", "ok", 0, 1],
  ]);
  await count(5, [[SLOT, "k222222222222222", "qr_code", "ok", 4, 1]]);
  const failed = {
    at: "2030-01-01T11:50:00.000Z",
    calls: 1,
    errors: 1,
    denied: 0,
    outcomes: { failed: 1 },
    latencyMs: latencyMs(10, 10, 10),
  };
  const now = { at: "2030-01-01T12:00:00.000Z", errors: 0 };
  const both = { ...now, calls: 5, denied: 1, outcomes: { ok: 4, limited: 1 }, latencyMs: latencyMs(5, 20, 20) };
  const one = { ...now, calls: 1, denied: 0, outcomes: { ok: 1 }, latencyMs: latencyMs(20, 20, 20) };
  expect({
    hour: await readSeries("series=true"),
    one: await readSeries("series=true&key=k222222222222222&tool=qr_code"),
    nobody: await readSeries("series=true&key=k333333333333333"),
    unasked: await readSeries("series=false"),
  }).toEqual({
    hour: { spanSeconds: 300, points: [failed, both] },
    one: { spanSeconds: 300, points: [one] },
    nobody: { spanSeconds: 300, points: [] },
    unasked: undefined,
  });
  expect(await readSeries("window=day&series=true")).toMatchObject({
    points: [{ calls: 1 }, { calls: 1 }, { calls: 5 }],
  });
});
