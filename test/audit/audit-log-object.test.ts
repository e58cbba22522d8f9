import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { AuditBatch, AuditQuery } from "../../src/audit/audit-contract.ts";
import { readCalls } from "../../src/audit/audit-queries.ts";
import { prune, trim, writeBatch } from "../../src/audit/audit-store.ts";
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

/** As an earlier release did. */
const storeByItself = (sql: SqlStorage, call: Call): unknown =>
  sql.exec(
    "INSERT INTO calls (at, id, key, tool, outcome, row) VALUES (?, ?, ?, ?, ?, ?)",
    call.atMs,
    call.id,
    ...Object.values(rowOf(call)),
    JSON.stringify(rowOf(call)),
  );

const count = (sql: SqlStorage, table: string): number =>
  sql.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`).one().n;

type TimedCall = Omit<Call, "id">;

/** An isolate's batches, and rows of an earlier release: all that the log has then. */
function store(sql: SqlStorage, batches: readonly TimedCall[][], old: readonly TimedCall[]): Call[] {
  for (const table of ["batches", "blocks", "calls", "tallies"]) sql.exec(`DELETE FROM ${table}`);
  const named = batches.map((calls, seq) => calls.map((call, index) => ({ ...call, id: `i.${seq}.${index}` })));
  const oldest = old.map((call, index) => ({ ...call, id: `i.old.${index}` }));
  for (const [seq, calls] of named.entries()) writeBatch(sql, batchOf(calls, { seq }), 0);
  for (const call of oldest) storeByItself(sql, call);
  return [...named.flat(), ...oldest];
}

type Asked = Pick<AuditQuery, "sinceMs" | "untilMs" | "key">;

const expected = (calls: readonly Call[], { sinceMs = 0, untilMs = Infinity, key }: Asked): Call[] =>
  calls
    .filter((call) => call.atMs >= sinceMs && call.atMs < untilMs && (key === undefined || call.key === key))
    .toSorted((a, b) => b.atMs - a.atMs || (a.id > b.id ? -1 : 1));

/** All that matches, page by page. */
function pageThrough(sql: SqlStorage, { limit, scanRows }: { limit: number; scanRows: number }, asked: Asked): Call[] {
  const found: Call[] = [];
  let before: AuditQuery["before"];
  for (let page = 0; page < 1_000; page++) {
    const { rows, next } = readCalls(sql, { v: 1, limit, ...asked, ...(before && { before }) }, scanRows);
    expect(rows.length).toBeLessThanOrEqual(limit);
    found.push(...rows.map(({ atMs, id, row }) => ({ atMs, id, key: (JSON.parse(row) as { key: string }).key })));
    if (!next) return found;
    before = next;
  }
  throw new Error("the pages have no end");
}

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
    for (const [n, call] of calls.entries()) await log().write(batchOf([call], { seq: n }));
    const pages = await inObject((sql) => {
      const query = { v: 1, limit: 100, key: "k2" } as const;
      const nineRows = readCalls(sql, query, 9);
      return [
        readCalls(sql, query, 10),
        nineRows,
        readCalls(sql, { ...query, ...(nineRows.next && { before: nineRows.next }) }, 9),
      ];
    });
    const found = { v: 1, rows: [{ atMs: 0, id: "a", row: expect.any(String) }] };
    expect(pages).toEqual([found, { v: 1, rows: [], next: { atMs: 0, id: expect.any(String) } }, found]);
  });

  it("has its rows in blocks of a few seconds, whatever a batch spans", async () => {
    const calls = [0, 1, LIMITS.auditBlockSpanMs, LIMITS.auditBlockSpanMs + 1, 900_000].map((atMs) => ({
      atMs,
      id: "a",
    }));
    await log().write(batchOf(calls.toReversed()));
    const select = "SELECT oldest_at AS oldest, newest_at AS newest, rows FROM blocks ORDER BY newest_at";
    expect(await inObject((sql) => sql.exec(select).toArray())).toEqual([
      { oldest: 0, newest: LIMITS.auditBlockSpanMs, rows: 3 },
      { oldest: LIMITS.auditBlockSpanMs + 1, newest: LIMITS.auditBlockSpanMs + 1, rows: 1 },
      { oldest: 900_000, newest: 900_000, rows: 1 },
    ]);
    expect((await read()).rows).toEqual(calls.toReversed().map(stored));
  });

  it("finds by a filter what has the words of it in another place", async () => {
    const calls = [
      { atMs: 2, id: "b", tool: '","key":"k2' },
      { atMs: 1, id: "a", key: "k2" },
    ];
    await log().write(batchOf(calls));
    expect(await idsOf({ key: "k2" })).toEqual(["a"]);
    expect(await idsOf({ tool: '","key":"k2' })).toEqual(["b"]);
  });

  it("pages through all rows once, newest first, of blocks that lie over each other and of rows of an earlier release", async () => {
    const time = fc.integer({ min: 0, max: 4 * LIMITS.auditBlockSpanMs });
    const key = fc.constantFrom("k1", "k2");
    const batch = fc.array(fc.record({ atMs: time, key }), { minLength: 1, maxLength: 12 });
    const query = fc.record({ limit: fc.integer({ min: 1, max: 8 }), scanRows: fc.integer({ min: 1, max: 20 }) });
    const bounds = fc.record({ sinceMs: time, untilMs: time, key }, { requiredKeys: [] });
    await inObject((sql) => {
      const property = fc.property(
        fc.array(batch, { maxLength: 12 }),
        batch,
        query,
        bounds,
        (batches, old, paging, asked) => {
          const calls = store(sql, batches, old);
          expect(pageThrough(sql, paging, asked)).toEqual(expected(calls, asked));
        },
      );
      fc.assert(property, { numRuns: 200 });
    });
  });

  it("reads a page among many blocks that lie over each other in the time that parsing them takes", async () => {
    const blocks = 4_000;
    const ratio = await inObject((sql) => {
      for (let seq = 0; seq < blocks; seq++) {
        const timeOf = (n: number): number => (n * 257 + seq * 7) % LIMITS.auditBlockSpanMs;
        const calls = Array.from({ length: 20 }, (_, n) => ({ atMs: timeOf(n), id: `${seq}.${n}` }));
        writeBatch(sql, batchOf(calls, { seq, tallies: "[]" }), 0);
      }
      const startedAtMs = performance.now();
      for (const { part } of sql.exec<{ part: string }>("SELECT part FROM blocks")) JSON.parse(part);
      const parsedAtMs = performance.now();
      const before = { atMs: LIMITS.auditBlockSpanMs / 2, id: "" };
      expect(readCalls(sql, { v: 1, limit: 100, before }).rows.length).toBe(100);
      return (performance.now() - parsedAtMs) / (parsedAtMs - startedAtMs);
    });
    expect(ratio).toBeLessThan(15);
  });

  it("drops rows, batches and counts that are over their time, by an alarm that ends with the last row", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS });
    await log().write(
      batchOf([
        { atMs: NOW_MS - 30 * DAY_MS - LIMITS.auditBlockSpanMs - 1, id: "old" },
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

  it("takes away many rows and blocks a number at a time", async () => {
    for (let n = 0; n < 5; n++) await log().write(batchOf([{ atMs: n, id: "a" }], { seq: n }));
    const bounds = { rowsBeforeMs: 4, batchesBeforeMs: 0, slotsBefore: 0 };
    const left = await inObject((sql) => {
      for (let n = 0; n < 5; n++) storeByItself(sql, { atMs: n, id: "old" });
      return [3, 1, 1].map((most) => [
        prune(sql, bounds, { rows: most, blocks: most }),
        count(sql, "calls"),
        count(sql, "blocks"),
      ]);
    });
    expect(left).toEqual([
      [true, 2, 2],
      [false, 1, 1],
      [false, 1, 1],
    ]);
  });

  it.each(["blocks", "calls"])("drops the oldest %s where it is full, and counts the rows", async (table) => {
    const calls = Array.from({ length: 500 }, (_, n) => ({ atMs: n, id: "a", tool: "x".repeat(2_000) }));
    const { size, below, at, above } = await inObject((sql) => {
      for (let n = 0; n < 500; n += 2) {
        if (table === "blocks") writeBatch(sql, batchOf(calls.slice(n, n + 2), { seq: n }), 0);
        else for (const call of calls.slice(n, n + 2)) storeByItself(sql, call);
      }
      const size = sql.databaseSize;
      const rowsOf = (): number => pageThrough(sql, { limit: 100, scanRows: 1_000 }, {}).length;
      const trimTo = (bytes: number): number => {
        trim(sql, bytes, { rows: 10, blocks: 5 });
        return rowsOf();
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

  it("drops the oldest, be they blocks or rows that older code wrote after a rollback", async () => {
    const timesLeft = await inObject((sql) => {
      for (const atMs of [1, 2, 5, 6])
        writeBatch(sql, batchOf([{ atMs, id: "a", tool: "x".repeat(9_000) }], { seq: atMs }), 0);
      for (const atMs of [0, 3, 4]) storeByItself(sql, { atMs, id: "a", tool: "x".repeat(9_000) });
      const times = (): number[] => pageThrough(sql, { limit: 100, scanRows: 1_000 }, {}).map(({ atMs }) => atMs);
      return Array.from({ length: 8 }, () => {
        trim(sql, sql.databaseSize - 1, { rows: 1, blocks: 1 });
        return times();
      });
    });
    expect(timesLeft).toEqual([[6, 5, 4, 3, 2, 1], [6, 5, 4, 3, 2], [6, 5, 4, 3], [6, 5, 4], [6, 5], [6], [], []]);
  });

  it("ends when there is nothing left to drop", async () => {
    await log().write(batchOf([{ atMs: 1, id: "a" }]));
    await inObject((sql) => trim(sql, 0, { rows: 10, blocks: 10 }));
    expect(await read()).toEqual({ v: 1, rows: [], lost: { ...NOTHING_LOST, trimmed: 1 } });
  });
});
