import { describe, expect, it } from "vitest";
import { factsOf, type KeyRecord } from "../../src/keys/key-record.ts";
import { LIMITS } from "../../src/lib/limits.ts";

const CHANGED_AT_MS = 1_000_000;
const COUNTS_AT_MS = CHANGED_AT_MS + LIMITS.leaseLifeMs;
const FORGOTTEN_AT_MS = COUNTS_AT_MS + LIMITS.listTtlMs * (1 + LIMITS.ttlJitterShare);

const record = (more: Partial<KeyRecord>): KeyRecord => ({
  id: "kaaa",
  name: "test",
  place: "header",
  digest: "d",
  scopes: ["mcp"],
  tools: {},
  calls: { perMinute: 60, burst: 60 },
  createdAtMs: 0,
  ...more,
});
const facts = { keyId: "kaaa", name: "test", scopes: ["mcp"], tools: {} };

describe("a key's changes", () => {
  it.each([
    ["the first, while leases from before may live", 1, COUNTS_AT_MS - 1, {}],
    ["the first, once none does", 1, COUNTS_AT_MS, { changes: 1, changedOfLate: true }],
    ["a later one, while leases from before may live", 3, COUNTS_AT_MS - 1, { changes: 2 }],
    ["a later one, while lists from before may", 3, FORGOTTEN_AT_MS - 1, { changes: 3, changedOfLate: true }],
    ["a later one, once no list does", 3, FORGOTTEN_AT_MS, { changes: 3 }],
  ])("count: %s", (_, changes, nowMs, counted) => {
    expect(factsOf(record({ changes, changedAtMs: CHANGED_AT_MS }), nowMs)).toEqual({
      ...facts,
      edition: changes,
      ...counted,
    });
  });

  it("count where the record does not say when they were", () => {
    expect(factsOf(record({ changes: 2 }), CHANGED_AT_MS)).toEqual({ ...facts, edition: 2, changes: 2 });
  });
});
