// What `npm run soak` makes of the heaps that it has seen.

import { describe, expect, it } from "vitest";
import { describeHeaps, describeProcess, findKept, type Sample } from "../bench/soak/memory.ts";

const heapOf = (usedMiB: number) => ({ isolate: "main", usedMiB, totalMiB: 2 * usedMiB, buffersMiB: 0, runtimeMiB: 0 });

const sampleOf = (usedMiB: number, rssMiB = 100): Sample => ({
  atMs: 0,
  rssMiB,
  calls: 0,
  open: 0,
  heaps: [heapOf(usedMiB)],
});

/** 16 looks: four to warm up, and twelve of which the first and the last four count. */
const grownTo = (lateMiB: number): Sample[] =>
  [1, 1, 1, 1, 10, 10, 10, 10, 0, 0, 0, 0, lateMiB, lateMiB, lateMiB, lateMiB].map((usedMiB) => sampleOf(usedMiB));

describe("what is reachable in an isolate", () => {
  it.each([
    [9, false],
    [13, false],
    [13.1, true],
  ])("went from 10 to %d MiB: grows %s", (lateMiB, isGrowing) => {
    expect(describeHeaps(grownTo(lateMiB))).toEqual([
      { isolate: "main", firstMiB: 1, earlyMiB: 10, lateMiB: expect.closeTo(lateMiB), isGrowing },
    ]);
  });

  it.each([
    [9, []],
    [9.1, [heapOf(9.1)]],
  ])("is %d MiB after all left, of 1 MiB at first", (usedMiB, kept) => {
    expect(findKept(describeHeaps(grownTo(10)), [heapOf(usedMiB)])).toEqual(kept);
  });

  it("can't be told where nobody looked", () => {
    expect([describeHeaps([]), findKept([], [])]).toEqual([[], []]);
  });
});

it("tells what the process held, and of that V8's heaps as they were last", () => {
  const rss = [50, 60, 70, 80, 100, 100, 100, 100, 200, 200, 200, 200, 210, 210, 210, 250];
  expect(describeProcess(rss.map((rssMiB, nth) => sampleOf(nth, rssMiB)))).toEqual({
    firstMiB: 50,
    lastMiB: 250,
    peakMiB: 250,
    heapsMiB: 30,
    lateOverEarlier: 1.1,
  });
});
