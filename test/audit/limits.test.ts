// Bounds of the audit trail, at and beyond each: what is kept and for how long, what one question may look at and is told.

import { reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readAdminLog, recordAdmin } from "../../src/audit/admin-log.ts";
import { noteArguments } from "../../src/audit/arguments-note.ts";
import type { AuditBatch } from "../../src/audit/audit-contract.ts";
import { auditDaysOf } from "../../src/audit/audit-days.ts";
import { takePage } from "../../src/audit/audit-page.ts";
import { findTraceparent } from "../../src/audit/call-draft.ts";
import { slotOf } from "../../src/audit/tally.ts";
import { auditLogStub, registryStub } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { openGate } from "../support/app.ts";
import { NOTHING_LOST } from "../support/audit.ts";
import { testEnv } from "../support/counting-env.ts";
import { narrow } from "../support/narrow.ts";

const DAY_MS = 86_400_000;
// In the real future: an alarm that is due by the real clock runs by itself.
const NOW_MS = Date.parse("2100-01-01T00:00:00Z");

const log = () => auditLogStub(testEnv, 0);
const stub = (): DurableObjectStub => log() as unknown as DurableObjectStub;
const inLog = <T>(run: (storage: DurableObjectStorage) => T): Promise<T> =>
  runInDurableObject(stub(), (_, { storage }) => run(storage));

let seq = 0;
const batchOf = (times: readonly number[], tool = "t"): AuditBatch => ({
  v: 1,
  isolate: "i",
  seq: ++seq,
  parts: [
    JSON.stringify(times.map((atMs, n) => [String(n).padStart(5, "0"), atMs, { key: "k", tool, outcome: "ok" }])),
  ],
  tallies: JSON.stringify(times.map((atMs, n) => [slotOf(atMs), `k${n}`, tool, "ok", 0, 1])),
  lost: { full: 0, refused: 0, unsent: 0, queue: 0 },
});

const storeByItself = (atMs: number) =>
  inLog(({ sql }) =>
    sql.exec("INSERT INTO calls (at, id, key, tool, outcome, row) VALUES (?, 'a', '', '', '', '{}')", atMs),
  );

const timesOf = async () => (await log().read({ v: 1, limit: 100 })).rows.map(({ atMs }) => atMs);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);

afterEach(async () => {
  vi.useRealTimers();
  await reset();
});

describe("retention", () => {
  it.each([
    [undefined, LIMITS.auditDays],
    [String(LIMITS.auditDaysMax), LIMITS.auditDaysMax],
    [String(LIMITS.auditDaysMax + 1), LIMITS.auditDays],
  ])("of AUDIT_DAYS %j is %i days", (days, kept) => {
    expect(auditDaysOf(days === undefined ? {} : { AUDIT_DAYS: days })).toBe(kept);
  });

  it("keeps a row up to its last millisecond, and counts up to their last span", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS });
    const oldestMs = NOW_MS - LIMITS.auditDays * DAY_MS;
    await log().write(batchOf([oldestMs - 1]));
    await log().write(batchOf([oldestMs, oldestMs + 1]));
    const lastSlotMs = slotOf(NOW_MS - LIMITS.auditTalliesKeptMs) * LIMITS.auditSlotMs;
    await log().write(batchOf([lastSlotMs - 1, lastSlotMs], "counted"));
    await runDurableObjectAlarm(stub());
    const { tallies } = await log().readTallies(0);
    expect([await timesOf(), tallies.map(([slot]) => slot)]).toEqual([
      [lastSlotMs, lastSlotMs - 1, oldestMs + 1, oldestMs],
      [slotOf(lastSlotMs)],
    ]);
  });

  it.each(["blocks", "rows of an earlier release"])(
    "takes so many %s away at once, and goes on at once while there are more",
    async (what) => {
      vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS });
      narrow(what === "blocks" ? { auditPruneBlocks: 2 } : { auditPruneRows: 2 });
      await log().write(batchOf([NOW_MS]));
      for (const atMs of [1, 2, 3, 4]) await (what === "blocks" ? log().write(batchOf([atMs])) : storeByItself(atMs));
      const rounds: unknown[] = [];
      for (let round = 0; round < 3; round++) {
        await runDurableObjectAlarm(stub());
        const waitMs = await inLog(async (storage) => ((await storage.getAlarm()) ?? 0) - NOW_MS);
        rounds.push([(await timesOf()).length, waitMs]);
      }
      expect(rounds).toEqual([
        [3, 0],
        [1, LIMITS.auditPruneMs],
        [1, LIMITS.auditPruneMs],
      ]);
    },
  );

  it.each(["blocks", "rows of an earlier release"])(
    "drops the oldest %s of a full log, so many at once",
    async (what) => {
      narrow(what === "blocks" ? { auditTrimBlocks: 3 } : { auditTrimRows: 3 });
      for (const atMs of upTo(10)) await (what === "blocks" ? log().write(batchOf([atMs])) : storeByItself(atMs));
      narrow({ auditShardBytes: await inLog(({ sql }) => sql.databaseSize) });
      await log().write(batchOf([11]));
      const atBound = await timesOf();
      narrow({ auditShardBytes: 0 });
      await log().write(batchOf([12]));
      expect([atBound.length, await timesOf(), (await log().readTallies(0)).lost]).toEqual([
        11,
        [],
        { ...NOTHING_LOST, trimmed: 12 },
      ]);
    },
  );
});

const row = (atMs: number) => ({ atMs, id: "a", row: "x".repeat(20) });

const cursorOf = (idChars: number): string =>
  btoa(JSON.stringify({ atMs: 1, id: "x".repeat(idChars) })).replaceAll("=", "");

describe("a question", () => {
  it.each([
    [4, [1, undefined]],
    [3, [0, 1]],
  ])("that may look at %i of four rows finds %j", async (rows, found) => {
    narrow({ auditScanRows: rows });
    await log().write(batchOf([1], "rare"));
    await log().write(batchOf([2, 3, 4]));
    const page = await log().read({ v: 1, limit: 100, tool: "rare" });
    expect([page.rows.length, page.next?.atMs]).toEqual(found);
  });

  it.each([
    [40, 2],
    [39, 1],
  ])("is answered with %i characters of rows: %i of 20 each", (chars, rows) => {
    narrow({ auditPageChars: chars });
    expect(takePage([row(2), row(1)], 10).rows).toHaveLength(rows);
  });

  it.each([
    [3, false],
    [2, true],
  ])("for statistics is told %i counts of three; cut: %s", async (most, cut) => {
    narrow({ statsTallies: most });
    await log().write(batchOf([1, 1, 1]));
    const page = await log().readTallies(0);
    expect([page.tallies.length, page.cut]).toEqual([most, cut]);
  });

  it("takes a cursor up to its length, and no longer one", async () => {
    const least = cursorOf(0).length;
    const fitting = cursorOf(Math.floor(((LIMITS.auditCursorChars - least) * 3) / 4));
    const long = cursorOf(Math.floor(((LIMITS.auditCursorChars - least) * 3) / 4) + 3);
    const statuses = [await ask(`/audit?cursor=${fitting}`), await ask(`/audit?cursor=${long}`)].map((a) => a.status);
    expect([fitting.length <= LIMITS.auditCursorChars, long.length > LIMITS.auditCursorChars, statuses]).toEqual([
      true,
      true,
      [200, 400],
    ]);
  });

  // A page more is begun as long as all of it may still come.
  it.each([
    [3, 3, undefined],
    [2, 2, "string"],
  ])(
    "that exports at most %i rows of three, page by page, has %i and goes on from there: %s",
    async (most, rows, next) => {
      narrow({ auditExportRows: most, auditPageMaxItems: 1 });
      await log().write(batchOf([1, 2, 3]));
      const { body } = await ask("/audit?kind=call&format=ndjson");
      const lines = body
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      const end = lines.at(-1);
      expect([lines.length - 1, end?.["kind"], end?.["rows"], typeof end?.["nextCursor"]]).toEqual([
        rows,
        "end",
        rows,
        next ?? "undefined",
      ]);
    },
  );
});

describe("a row", () => {
  it.each([LIMITS.auditArgumentsChars - 1, LIMITS.auditArgumentsChars, LIMITS.auditArgumentsChars + 1])(
    "with arguments of %i characters is cut beyond the bound",
    async (chars) => {
      const text = JSON.stringify("x".repeat(chars - 2));
      const { arguments: kept = "" } = await noteArguments(text, "clear");
      expect([text.length, kept === text, kept.length <= LIMITS.auditArgumentsChars + 1]).toEqual([
        chars,
        chars <= LIMITS.auditArgumentsChars,
        true,
      ]);
    },
  );

  it.each([
    [LIMITS.auditTraceparentChars, true],
    [LIMITS.auditTraceparentChars + 1, false],
  ])("has a traceparent of %i characters: %s", (chars, isKept) => {
    const traceparent = "0".repeat(chars);
    expect([findTraceparent({}, traceparent), findTraceparent({ traceparent }, null)]).toEqual(
      isKept ? [traceparent, traceparent] : [undefined, undefined],
    );
  });

  it.each([2, 3])("of an admin action is kept while there are no more than %i", async (most) => {
    narrow({ adminLogRows: most });
    const targets = await runInDurableObject(
      registryStub(testEnv) as unknown as DurableObjectStub,
      (_, { storage: { sql } }) => {
        for (const target of ["a", "b", "c"]) {
          recordAdmin(sql, { who: "admin", action: "key.create", target, outcome: "changed", version: 1 }, NOW_MS);
        }
        return readAdminLog(sql, { v: 1, limit: 100 }).rows.map(
          ({ row }) => (JSON.parse(row) as { target: string }).target,
        );
      },
    );
    expect(targets).toEqual(["c", "b", "a"].slice(0, most));
  });
});

async function ask(path: string): Promise<{ status: number; body: string }> {
  const response = await openGate().admin("GET", path);
  return { status: response.status, body: await response.text() };
}
