// What limits promise, over random schedules of isolates, clocks and failures.

import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Rate } from "../../src/keys/token-bucket.ts";
import { refillBucket } from "../../src/keys/token-bucket.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { createSlotWorld, createWorld, type Travel, type World, type WorldOptions } from "../support/limit-world.ts";

// Many small worlds take their time on a slow machine.
vi.setConfig({ testTimeout: 60_000 });

const travelOf = fc.record(
  {
    thereMs: fc.integer({ min: 0, max: 400 }),
    backMs: fc.integer({ min: 0, max: 400 }),
    lost: fc.constantFrom("request" as const, "answer" as const),
  },
  { requiredKeys: ["thereMs", "backMs"] },
);

const rateOf = fc.record({ perMinute: fc.integer({ min: 1, max: 6_000 }), burst: fc.integer({ min: 1, max: 200 }) });

/** Calls with their pauses, here and there; and now and then the object loses its memory. */
const scheduleOf = fc.record({
  clockOffsetsMs: fc.array(fc.integer({ min: -5_000, max: 5_000 }), { minLength: 1, maxLength: 6 }),
  steps: fc.array(
    fc.record({ pauseMs: fc.integer({ min: 0, max: 300 }), isolate: fc.nat(), calls: fc.integer({ min: 1, max: 8 }) }),
    { minLength: 20, maxLength: 120 },
  ),
  travels: fc.array(travelOf, { minLength: 1, maxLength: 40 }),
  restarts: fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 3 }),
  cost: fc.integer({ min: 1, max: 3 }),
});
type Schedule = typeof scheduleOf extends fc.Arbitrary<infer T> ? T : never;

function worldOf(record: WorldOptions["record"], schedule: Schedule): World {
  const { clockOffsetsMs, steps, travels, restarts, cost } = schedule;
  let message = 0;
  const travel = (): Travel => travels[message++ % travels.length] as Travel;
  const world = createWorld({ record, clockOffsetsMs, travel, cost });
  let atMs = 0;
  for (const { pauseMs, isolate, calls } of steps) {
    atMs += pauseMs;
    for (let call = 0; call < calls; call++) world.callAt(atMs, isolate % clockOffsetsMs.length);
  }
  for (const restartMs of restarts) world.restartAt(restartMs);
  return world;
}

const travelEvenly = (): Travel => ({ thereMs: 5, backMs: 5 });

/** Evenly spread numbers from 0 up to 1: what fast-check makes prefers the ends. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The window in which most was admitted beyond the bound, in tokens: above 0 it was broken. */
function worstExcess(admittedAtMs: readonly number[], { perMinute, burst }: Rate, cost: number): number {
  let worst = -Infinity;
  for (const [from, startMs] of admittedAtMs.entries()) {
    for (let to = from; to < admittedAtMs.length; to++) {
      const windowMs = (admittedAtMs[to] ?? 0) - startMs;
      const bound = burst + (perMinute * (windowMs + LIMITS.leaseLifeMs)) / 60_000;
      worst = Math.max(worst, (to - from + 1) * Math.min(cost, burst) - bound);
    }
  }
  return worst;
}

describe("a bucket", () => {
  it("never holds more than its burst, nor fills faster than its rate, whatever the clock does", () => {
    fc.assert(
      fc.property(rateOf, fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1 }), (rate, times) => {
        let bucket = { tokens: 0, atMs: 0 };
        let newestMs = 0;
        for (const nowMs of times) {
          bucket = refillBucket(bucket, rate, nowMs);
          newestMs = Math.max(newestMs, nowMs);
          expect(bucket.tokens).toBeLessThanOrEqual(Math.min(rate.burst, (newestMs * rate.perMinute) / 60_000) + 1e-6);
        }
      }),
    );
  });
});

describe("a rate", () => {
  it("is never exceeded: admitted in any window w ≤ burst + rate × (w + lease life)", async () => {
    await fc.assert(
      fc.asyncProperty(rateOf, scheduleOf, async (calls, schedule) => {
        const world = worldOf({ calls }, schedule);
        await world.run();
        expect(worstExcess(world.admittedAtMs, calls, schedule.cost)).toBeLessThanOrEqual(1e-6);
      }),
      { numRuns: 150 },
    );
  });

  it("gives 99 % to ten isolates that ask for 0.8 of it", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 60, max: 3_000 }),
        fc.constantFrom(1, 2),
        fc.integer(),
        async (perMinute, share, seed) => {
          const next = randomOf(seed);
          const travel = (): Travel => ({ thereMs: 5 + 20 * next(), backMs: 5 + 20 * next() });
          const clockOffsetsMs = Array.from({ length: 10 }, () => 1_000 * next());
          const calls = { perMinute, burst: Math.ceil(perMinute / share) };
          const world = createWorld({ record: { calls }, clockOffsetsMs, travel });
          const count = Math.min(1_500, 5 * perMinute);
          let atMs = 0;
          for (let call = 0; call < count; call++) {
            atMs += (-Math.log(1 - next()) * 60_000) / (0.8 * perMinute);
            world.callAt(atMs, Math.floor(10 * next()));
          }
          await world.run();
          expect(world.admittedAtMs.length / count).toBeGreaterThanOrEqual(0.99);
        },
      ),
      { numRuns: 20 },
    );
  });

  it("asks the object at most once an isolate and half second under a hundredfold load, and is used up", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 600 }),
        fc.integer({ min: 1, max: 10 }),
        fc.integer(),
        async (perMinute, isolates, seed) => {
          const next = randomOf(seed);
          const burst = Math.max(1, Math.floor(perMinute / 20));
          const travel = (): Travel => ({ thereMs: 2 + 10 * next(), backMs: 2 + 10 * next() });
          const clockOffsetsMs = Array.from({ length: isolates }, () => 0);
          const world = createWorld({ record: { calls: { perMinute, burst } }, clockOffsetsMs, travel });
          const lastsMs = 12_000;
          const everyMs = 600 / perMinute;
          for (let atMs = 0; atMs < lastsMs; atMs += everyMs) world.callAt(atMs, Math.floor(isolates * next()));
          await world.run();
          const { askedAtMs, admittedAtMs } = world;
          const settledMs = 4_000;
          for (let fromMs = settledMs; fromMs < lastsMs; fromMs += 500) {
            const asked = askedAtMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + 500).length;
            expect(asked, `from ${fromMs} ms`).toBeLessThanOrEqual(isolates);
          }
          const due = (perMinute * (lastsMs - settledMs)) / 60_000;
          const had = admittedAtMs.filter((atMs) => atMs >= settledMs).length;
          expect(had).toBeGreaterThanOrEqual(Math.floor(0.9 * due) - 2);
        },
      ),
      { numRuns: 8 },
    );
  });
});

describe("a day's quota", () => {
  it("is never exceeded, through every loss and restart, and what is counted as used was given out", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 300 }), rateOf, scheduleOf, async (perDay, calls, schedule) => {
        const world = worldOf({ calls: { ...calls, burst: 10_000 }, perDay }, schedule);
        await world.run();
        const spent = world.admittedAtMs.length * Math.min(schedule.cost, perDay);
        expect(spent).toBeLessThanOrEqual(world.usedToday());
        expect(world.usedToday()).toBeLessThanOrEqual(perDay);
      }),
      { numRuns: 150 },
    );
  });

  it("is used up to the last call by one isolate that is not interrupted", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 400 }),
        fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1 }),
        async (perDay, pauses) => {
          const world = createWorld({
            record: { calls: { perMinute: 100_000, burst: 100_000 }, perDay },
            clockOffsetsMs: [0],
            travel: travelEvenly,
          });
          let atMs = 0;
          for (let call = 0; call < perDay; call++) world.callAt((atMs += pauses[call % pauses.length] ?? 0), 0);
          // What the last lease did not use comes back with the next request.
          for (let call = 0; call < 100; call++) world.callAt((atMs += LIMITS.leaseLifeMs), 0);
          await world.run();
          expect([world.admittedAtMs.length, world.usedToday()]).toEqual([perDay, perDay]);
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe("a bound on running calls", () => {
  it("is never exceeded while isolates and object hear from each other within 400 ms", async () => {
    const stepOf = fc.record({
      pauseMs: fc.integer({ min: 0, max: 700 }),
      isolate: fc.integer({ min: 0, max: 4 }),
      lastsMs: fc.integer({ min: 0, max: 3_000 }),
    });
    const delays = fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.array(stepOf, { maxLength: 80 }),
        delays,
        async (limit, steps, delays) => {
          const world = createSlotWorld(limit, delays);
          let atMs = 0;
          for (const { pauseMs, isolate, lastsMs } of steps) world.callAt((atMs += pauseMs), isolate, lastsMs);
          await world.run();
          expect(world.mostRunning()).toBeLessThanOrEqual(limit);
          expect(world.running()).toBe(0);
        },
      ),
      {
        numRuns: 150,
        // A call's slot was used again while the object gave it to another isolate.
        examples: [
          [
            1,
            [
              { pauseMs: 0, isolate: 2, lastsMs: 0 },
              { pauseMs: 1, isolate: 0, lastsMs: 0 },
              { pauseMs: 0, isolate: 2, lastsMs: 1 },
            ],
            [0, 0, 0, 1],
          ],
        ],
      },
    );
  });
});
