import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { AuditBatch, AuditQuery } from "../../src/audit/audit-contract.ts";
import { readCalls } from "../../src/audit/audit-queries.ts";
import { prune, trim } from "../../src/audit/audit-store.ts";
import { slotOf } from "../../src/audit/tally.ts";
import { auditLogStub } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { NOTHING_LOST } from "../support/audit.ts";
import { testEnv } from "../support/counting-env.ts";

const DAY_MS = 86_400_000;
// In the real future: an alarm that is due by the real clock runs by itself.
const NOW_MS = Date.parse("2100-01-01T00:00:00Z");

const log = () => auditLogStub(testEnv, 0);
const stub = (): DurableObjectStub => log() as unknown as DurableObjectStub;
const alarm = (): Promise<boolean> => runDurableObjectAlarm(stub());
const inObject = <T>(run: (sql: SqlStorage) => T): Promise<T> =>
  runInDurableObject(stub(), (_, { storage }) => run(storage.sql));

interface Call {
  atMs: number;
  id: string;
  key?: string;
  tool?: string;
  outcome?: string;
}

const rowOf = ({ key = "k1", tool = "t", outcome = "ok" }: Call) => ({ key, tool, outcome });

const batchOf = (calls: Call[], more: Partial<AuditBatch> = {}): AuditBatch => ({
  v: 1,
  isolate: "i",
  seq: 1,
  parts: [JSON.stringify(calls.map((call) => [call.id, call.atMs, rowOf(call)]))],
  tallies: JSON.stringify(calls.map((call) => [slotOf(call.atMs), ...Object.values(rowOf(call)), 0, 1])),
  lost: { full: 0, refused: 0, unsent: 0, queue: 0 },
  ...more,
});

const stored = (call: Call) => ({ atMs: call.atMs, id: call.id, row: JSON.stringify(rowOf(call)) });

const read = async (query: Partial<AuditQuery> = {}) => log().read({ v: 1, limit: 100, ...query });
const idsOf = async (query: Partial<AuditQuery> = {}) => (await read(query)).rows.map(({ id }) => id);

describe("AuditLog", () => {
  afterEach(async () => {
    vi.useRealTimers();
    await reset();
  });

  it("writes a batch once, however often it comes", async () => {
    const calls = [
      { atMs: 2, id: "b" },
      { atMs: 1, id: "a" },
    ];
    const batch = batchOf(calls, { lost: { full: 1, refused: 2, unsent: 3, queue: 4 } });
    expect(await log().write(batch)).toEqual({ v: 1, outcome: "written" });
    expect(await log().write(batch)).toEqual({ v: 1, outcome: "known" });
    await evictDurableObject(stub());
    expect(await log().write(batch)).toEqual({ v: 1, outcome: "known" });
    const lost = { ...NOTHING_LOST, full: 1, refused: 2, unsent: 3, queue: 4 };
    expect(await read()).toEqual({ v: 1, rows: calls.map(stored), lost });
    expect(await log().readTallies(0)).toEqual({
      v: 1,
      tallies: [[0, "k1", "t", "ok", 0, 2]],
      cut: false,
      lost,
    });
  });

  it("adds up what several batches lost and counted", async () => {
    const calls = [{ atMs: 1, id: "a" }];
    await log().write(batchOf(calls, { lost: { full: 1, refused: 0, unsent: 0, queue: 0 } }));
    await log().write(batchOf([{ atMs: 1, id: "b" }], { seq: 2, lost: { full: 5, refused: 0, unsent: 0, queue: 0 } }));
    const { tallies, lost } = await log().readTallies(0);
    expect([tallies, lost]).toEqual([[[0, "k1", "t", "ok", 0, 2]], { ...NOTHING_LOST, full: 6 }]);
  });

  it("has its rows after an eviction", async () => {
    await log().write(batchOf([{ atMs: 1, id: "a" }]));
    const before = await read();
    await evictDurableObject(stub());
    expect([before.rows.length, await read()]).toEqual([1, before]);
  });

  it("reads by pages, newest first, each filter by itself and all together", async () => {
    const calls = [
      { atMs: 5, id: "e", key: "k2" },
      { atMs: 4, id: "d", tool: "other" },
      { atMs: 4, id: "c", outcome: "limited" },
      { atMs: 2, id: "b" },
      { atMs: 1, id: "a", key: "k2", tool: "other", outcome: "limited" },
    ];
    await log().write(batchOf(calls.toSorted((a, b) => (a.id < b.id ? -1 : 1))));
    const first = await read({ limit: 2 });
    expect(first.rows).toEqual(calls.slice(0, 2).map(stored));
    expect(first.next).toEqual({ atMs: 4, id: "d" });
    expect(await idsOf({ limit: 2, before: { atMs: 4, id: "d" } })).toEqual(["c", "b"]);
    expect(await idsOf({ before: { atMs: 2, id: "b" } })).toEqual(["a"]);
    expect(await idsOf({ key: "k2" })).toEqual(["e", "a"]);
    expect(await idsOf({ tool: "other" })).toEqual(["d", "a"]);
    expect(await idsOf({ outcome: "limited" })).toEqual(["c", "a"]);
    expect(await idsOf({ key: "k2", tool: "other", outcome: "limited" })).toEqual(["a"]);
    expect(await idsOf({ sinceMs: 2, untilMs: 5 })).toEqual(["d", "c", "b"]);
    expect(await idsOf({ before: { atMs: 9, id: "" }, untilMs: 2 })).toEqual(["a"]);
  });

  it("looks at no more rows than one page may, and says how far it came", async () => {
    const calls = Array.from({ length: 10 }, (_, n) => ({ atMs: n, id: "a", key: n === 0 ? "k2" : "k1" }));
    await log().write(batchOf(calls));
    const pages = await inObject((sql) => {
      const query = { v: 1, limit: 100, key: "k2" } as const;
      return [
        readCalls(sql, query, 10),
        readCalls(sql, query, 9),
        readCalls(sql, { ...query, before: { atMs: 1, id: "a" } }, 9),
      ];
    });
    expect(pages).toEqual([
      { v: 1, rows: [{ atMs: 0, id: "a", row: expect.any(String) }], next: { atMs: 0, id: "a" } },
      { v: 1, rows: [], next: { atMs: 1, id: "a" } },
      { v: 1, rows: [{ atMs: 0, id: "a", row: expect.any(String) }] },
    ]);
  });

  it("drops rows, batches and counts that are over their time, by an alarm that ends with the last row", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS });
    await log().write(
      batchOf([
        { atMs: NOW_MS - 30 * DAY_MS - 1, id: "old" },
        { atMs: NOW_MS - 30 * DAY_MS, id: "new" },
        { atMs: NOW_MS - 29 * DAY_MS, id: "newer" },
      ]),
    );
    expect(await alarm()).toBe(true);
    expect(await idsOf()).toEqual(["newer", "new"]);
    expect((await log().readTallies(0)).tallies).toEqual([]);
    expect(await log().write(batchOf([{ atMs: 1, id: "again" }]))).toEqual({ v: 1, outcome: "known" });
    vi.setSystemTime(NOW_MS + LIMITS.auditBatchKeptMs + 1);
    expect(await alarm()).toBe(true);
    expect(await inObject((sql) => sql.exec("SELECT COUNT(*) AS n FROM batches").one())).toEqual({ n: 0 });
    vi.setSystemTime(NOW_MS + DAY_MS + 1);
    expect([await alarm(), await idsOf(), await alarm()]).toEqual([true, [], false]);
  });

  it("takes away many rows a number at a time", async () => {
    await log().write(batchOf(Array.from({ length: 5 }, (_, n) => ({ atMs: n, id: "a" }))));
    const bounds = { rowsBeforeMs: 4, batchesBeforeMs: 0, slotsBefore: 0 };
    const left = await inObject((sql) =>
      [3, 1, 1].map((maxRows) => [
        prune(sql, bounds, maxRows),
        sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM calls").one().n,
      ]),
    );
    expect(left).toEqual([
      [true, 2],
      [false, 1],
      [false, 1],
    ]);
  });

  it("drops the oldest rows where it is full, and counts them", async () => {
    const pad = "x".repeat(2_000);
    await log().write(batchOf(Array.from({ length: 500 }, (_, n) => ({ atMs: n, id: "a", tool: pad }))));
    const { size, below, at, above } = await inObject((sql) => {
      const count = (): number => sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM calls").one().n;
      const size = sql.databaseSize;
      const trimTo = (bytes: number): number => {
        trim(sql, bytes, 10);
        return count();
      };
      return { size, below: trimTo(size + 1), at: trimTo(size), above: trimTo(size - 1) };
    });
    expect([below, at]).toEqual([500, 500]);
    expect(above).toBeLessThan(500);
    expect(above).toBeGreaterThan(400);
    expect((await read()).lost).toEqual({ ...NOTHING_LOST, trimmed: 500 - above });
    expect((await read({ limit: 1 })).rows).toMatchObject([{ atMs: 499 }]);
    expect(await inObject((sql) => sql.databaseSize)).toBeLessThan(size);
  });

  it("ends when there is nothing left to drop", async () => {
    await log().write(batchOf([{ atMs: 1, id: "a" }]));
    await inObject((sql) => trim(sql, 0, 10));
    expect(await read()).toEqual({ v: 1, rows: [], lost: { ...NOTHING_LOST, trimmed: 1 } });
  });
});
