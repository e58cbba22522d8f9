// The table of costs in docs/operations.md says what the prices and the server's own numbers come to.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { costOf, PRICES, usageOf, type Month } from "../support/monthly-cost.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/operations.md"), "utf8");
const NOTHING: Month = { calls: 0, keys: 0, isolates: 0, cpuMsPerCall: 1, listeners: 0 };

it.each<[string, Partial<Month>]>([
  ["100,000 calls, 10 keys", { calls: 1e5, keys: 10, isolates: 1 }],
  ["1 million calls, 10 keys, 2 isolates at any time", { calls: 1e6, keys: 10, isolates: 2 }],
  ["10 million calls, 50 keys, 5 isolates at any time", { calls: 1e7, keys: 50, isolates: 5 }],
  ["100 million calls, 100 keys, 20 isolates at any time", { calls: 1e8, keys: 100, isolates: 20 }],
  ["100,000 WebSocket sessions that listen and make no calls", { listeners: 1e5 }],
])("%s", (label, month) => {
  const dollars = costOf(usageOf({ ...NOTHING, ...month })).toFixed(2);
  const [, told] = new RegExp(`^\\| ${label} +\\| (\\S+) +\\|$`, "m").exec(PAGE) ?? [];
  expect(told).toBe(dollars);
});

it("costs the plan alone up to what it includes, and what is beyond it by the million", () => {
  const included = {
    workerRequests: 10e6,
    workerCpuMs: 30e6,
    objectRequests: 1e6,
    objectGbSeconds: 4e5,
    rowsWritten: 50e6,
  };
  expect(costOf(included)).toBe(PRICES.plan);
  expect(costOf({ ...included, workerRequests: 12e6 })).toBeCloseTo(5.6);
});
