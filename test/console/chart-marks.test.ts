import { expect, test } from "vitest";
import { barOf, levelsOf, runsOf } from "../../src/console/parts/chart-marks.ts";

const edgeOf = (at: number): number => at * 10;
const heightOf = (value: number): number => 100 - value;

test("a span between empty ones, and the last one, have a level as wide as the span", () => {
  const runs = runsOf([null, 5, null, 7, 9, null, 3]);
  expect(runs.map((run) => levelsOf(run, edgeOf, heightOf))).toEqual([
    [
      [10, 95],
      [20, 95],
    ],
    [
      [30, 93],
      [40, 93],
      [40, 91],
      [50, 91],
    ],
    [
      [60, 97],
      [70, 97],
    ],
  ]);
});

test.each([
  { shows: "a pixel of ground between wide bars", right: 18, high: 50, width: 7, height: 50 },
  { shows: "none between narrow ones", right: 13, high: 50, width: 3, height: 50 },
  { shows: "a bar of one pixel where spans are narrower", right: 10.3, high: 50, width: 1, height: 50 },
  { shows: "little that can still be seen", right: 18, high: 99.9, width: 7, height: 2 },
])("$shows", ({ right, high, width, height }) => {
  expect(barOf(10, right, 100, high, 1)).toEqual({ x: 10, y: 100 - height, width, height });
});
