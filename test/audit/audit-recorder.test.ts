import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AuditBatch, LostRows, Tally } from "../../src/audit/audit-contract.ts";
import { AuditRecorder } from "../../src/audit/audit-recorder.ts";
import { beginDraft } from "../../src/audit/call-draft.ts";
import type { CallOutcome } from "../../src/audit/call-row.ts";
import { slotOf } from "../../src/audit/tally.ts";
import type { Env } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";

const NOW_MS = Date.parse("2030-01-01T00:00:00Z");
/** All that one request waits before attempts. */
const TRIED_MS = 7_500;
/** What the platform lets a request work on after its answer. */
const AFTER_ANSWER_MS = 30_000;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW_MS });
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  // In this order: what is spied on while the clock is a fake is restored to the fake.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

type Item = [id: string, atMs: number, row: Record<string, unknown>];

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

const fail = async (): Promise<void> => {
  throw new Error("out of reach");
};

interface Written {
  seq: number;
  isolate: string;
  items: Item[];
  tallies: Tally[];
  lost: LostRows;
}

/** An isolate and a log that takes what it is sent, or does with it what `write` says. Hashing would take real time. */
function openIsolate(bindings: Partial<Env> = {}) {
  const log = { written: [] as Written[], write: (async () => undefined) as (batch: AuditBatch) => Promise<void> };
  const write = async (batch: AuditBatch) => {
    await log.write(batch);
    const items = batch.parts.flatMap((part) => JSON.parse(part) as Item[]);
    const tallies = JSON.parse(batch.tallies) as Tally[];
    log.written.push({ seq: batch.seq, isolate: batch.isolate, items, tallies, lost: batch.lost });
    return { v: 1, outcome: "written" };
  };
  const namespace = { idFromName: (name: string) => name, get: () => ({ write }) };
  const env = { AUDIT_LOG: namespace, AUDIT_ARGUMENTS: "off", ...bindings } as unknown as Env;
  const recorder = new AuditRecorder();
  const waits: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>): void => void waits.push(work);
  const record = (tool: string, outcome: CallOutcome = "ok", args: object = {}, known = true): void => {
    const params = { name: tool, arguments: args };
    const draft = beginDraft(
      {
        name: params.name,
        args: params.arguments,
        meta: undefined,
        keyId: "k1",
        transport: "http-json",
        traceparent: null,
      },
      env,
      waitUntil,
    );
    Object.assign(draft, { outcome, known, ended: true, endedAtMs: Date.now() + 7 });
    recorder.record(draft, env, waitUntil);
  };
  const times = (count: number, ...call: Parameters<typeof record>): void => {
    for (let n = 0; n < count; n++) record(...call);
  };
  const toolsWritten = (): unknown[] => log.written.flatMap(({ items }) => items.map(([, , { tool }]) => tool));
  return { log, record, times, waits, toolsWritten };
}

const NONE_LOST = { full: 0, refused: 0, unsent: 0, queue: 0 };

describe("a batch", () => {
  it("gathers what comes within a second, in the background of the first call alone", async () => {
    const { log, record, waits, toolsWritten } = openIsolate();
    record("a");
    await pass(LIMITS.auditFlushMs - 1);
    record("b");
    expect([waits.length, log.written]).toEqual([1, []]);
    await pass(1);
    expect(toolsWritten()).toEqual(["a", "b"]);
    record("c");
    await pass(LIMITS.auditFlushMs);
    expect([waits.length, toolsWritten()]).toEqual([2, ["a", "b", "c"]]);
    expect(log.written.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(new Set(log.written.map(({ isolate }) => isolate)).size).toBe(1);
  });

  it("says of each row when and which, and counts them", async () => {
    const { log, record } = openIsolate();
    record("a");
    record("a");
    record("b", "ok", {}, false);
    await pass(LIMITS.auditFlushMs);
    const [{ isolate, items, tallies, lost } = { isolate: "", items: [], tallies: [], lost: NONE_LOST }] = log.written;
    expect(items.map(([id, atMs, { durationMs }]) => [id, atMs, durationMs])).toEqual(
      ["000", "001", "002"].map((index) => [`${isolate}.0000001.${index}`, NOW_MS, 7]),
    );
    expect(tallies).toEqual([
      [slotOf(NOW_MS), "k1", "a", "ok", 3, 2],
      [slotOf(NOW_MS), "k1", "(unknown)", "ok", 3, 1],
    ]);
    expect(lost).toEqual(NONE_LOST);
  });

  it.each([
    [LIMITS.auditBatchRows - 1, 0],
    [LIMITS.auditBatchRows, 1],
    [LIMITS.auditBatchRows + 1, 1],
  ])("of %i rows is written at once: %i", async (rows, batches) => {
    const { log, times } = openIsolate();
    times(rows, "a");
    await pass(0);
    expect(log.written.length).toBe(batches);
  });

  it("waits as long as AUDIT_FLUSH_MS says, within limits", async () => {
    for (const [text, flushMs] of [
      ["50", 50],
      ["99999", LIMITS.auditFlushMaxMs],
      ["-1", LIMITS.auditFlushMs],
    ] as const) {
      const { log, record } = openIsolate({ AUDIT_FLUSH_MS: text });
      record("a");
      await pass(flushMs - 1);
      const early = log.written.length;
      await pass(1);
      expect([text, early, log.written.length]).toEqual([text, 0, 1]);
    }
  });

  it("waits for nothing where AUDIT_FLUSH_MS is 0", async () => {
    const { record, toolsWritten } = openIsolate({ AUDIT_FLUSH_MS: "0" });
    record("a");
    await pass(0);
    expect(toolsWritten()).toEqual(["a"]);
  });

  it("of a request that was cut off is taken up by a later one", async () => {
    const { record, toolsWritten } = openIsolate();
    const cutOff = vi.spyOn(globalThis, "setTimeout").mockReturnValueOnce(0 as never);
    record("a");
    cutOff.mockRestore();
    await pass(2 * LIMITS.auditFlushMs);
    record("b");
    await pass(LIMITS.auditFlushMs);
    expect(toolsWritten()).toEqual(["a", "b"]);
  });

  it("is split into parts that one statement takes", async () => {
    const parts: string[] = [];
    const { log, times } = openIsolate({ AUDIT_ARGUMENTS: "clear" });
    log.write = async (batch) => void parts.push(...batch.parts);
    times(LIMITS.auditBatchRows, "a", "ok", { text: "x".repeat(LIMITS.auditHeldChars - 20) });
    await pass(0);
    await vi.waitFor(() => expect(log.written).toHaveLength(1));
    expect(parts.length).toBeGreaterThan(1);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(LIMITS.auditPartChars + 2);
    expect(log.written[0]?.items).toHaveLength(LIMITS.auditBatchRows);
  });
});

describe("a log that fails", () => {
  it("is sent the same batch again, and later ones after it", async () => {
    const { log, record, toolsWritten } = openIsolate();
    const sent: string[] = [];
    log.write = async ({ seq, parts }) => {
      sent.push(`${seq} ${parts.join("")}`);
      if (sent.length <= 5) throw new Error("out of reach");
    };
    record("a");
    await pass(LIMITS.auditFlushMs + TRIED_MS);
    expect(sent).toHaveLength(4);
    expect(new Set(sent).size).toBe(1);
    record("b");
    await pass(LIMITS.auditFlushMs + 500);
    expect(toolsWritten()).toEqual(["a", "b"]);
    expect(new Set(sent.slice(0, 6)).size).toBe(1);
  });

  it("that does not answer is taken for one", async () => {
    const { log, record, toolsWritten } = openIsolate();
    log.write = () => new Promise(() => undefined);
    record("a");
    await pass(LIMITS.auditFlushMs + LIMITS.auditSendTimeoutMs);
    log.write = async () => undefined;
    await pass(500);
    expect(toolsWritten()).toEqual(["a"]);
  });

  it("that comes back late gets the rows of the last call too, while its request may still work", async () => {
    const { log, record, toolsWritten } = openIsolate();
    log.write = fail;
    record("a");
    await pass(LIMITS.auditFlushMs + TRIED_MS - 1);
    log.write = async () => undefined;
    await pass(1);
    expect(toolsWritten()).toEqual(["a"]);
  });

  it("that never answers is left in time for the rest of what the request does", async () => {
    const { log, record, waits } = openIsolate();
    log.write = () => new Promise(() => undefined);
    record("a");
    const ended = vi.fn();
    void Promise.all(waits).then(ended);
    await pass(AFTER_ANSWER_MS);
    expect(ended).toHaveBeenCalledOnce();
  });

  it.each([
    [LIMITS.auditBufferRows - 1, 0],
    [LIMITS.auditBufferRows, 0],
    [LIMITS.auditBufferRows + 1, 1],
    [LIMITS.auditBufferRows + 250, 250],
  ])("has %i rows held for it up to the limit, and hears that %i were not", async (rows, full) => {
    const { log, times, toolsWritten } = openIsolate();
    log.write = fail;
    times(rows, "a");
    await pass(60_000);
    log.write = async () => undefined;
    times(1, "b");
    await pass(2 * LIMITS.auditFlushMs);
    times(1, "c");
    await pass(2 * LIMITS.auditFlushMs);
    const wanted = rows - full + (full > 0 || rows === LIMITS.auditBufferRows ? 1 : 2);
    expect(toolsWritten()).toHaveLength(wanted);
    const told = log.written.reduce((sum, { lost }) => sum + lost.full, 0);
    expect(told).toBe(rows + 2 - wanted);
  });

  it("is given up on in the end, and the next that answers hears how many rows that cost", async () => {
    const { log, times, record, toolsWritten } = openIsolate();
    log.write = fail;
    times(3, "a");
    await pass(LIMITS.auditRetryMs + LIMITS.auditFlushMs);
    record("b");
    await pass(LIMITS.auditFlushMs + TRIED_MS);
    log.write = async () => undefined;
    record("c");
    await pass(LIMITS.auditFlushMs);
    expect(toolsWritten()).toEqual(["b", "c"]);
    expect(log.written.map(({ lost }) => lost)).toEqual([NONE_LOST, { ...NONE_LOST, unsent: 3 }]);
  });
});

describe("a flood of refusals", () => {
  it.each([
    [LIMITS.auditRefusalRows - 1, 0],
    [LIMITS.auditRefusalRows, 0],
    [LIMITS.auditRefusalRows + 1, 1],
    [5_000, 5_000 - LIMITS.auditRefusalRows],
  ])("of %i leaves %i without a row, counts all, and lets calls through", async (refusals, refused) => {
    const { log, times, record, toolsWritten } = openIsolate();
    times(refusals, "a", "limited");
    record("b");
    await pass(LIMITS.auditFlushMs);
    expect(toolsWritten()).toEqual([...Array.from({ length: refusals - refused }, () => "a"), "b"]);
    expect(log.written.map(({ lost }) => lost)).toEqual([{ ...NONE_LOST, refused }]);
    expect(log.written[0]?.tallies.map(([, , tool, outcome, , calls]) => [tool, outcome, calls])).toEqual([
      ["a", "limited", refusals],
      ["b", "ok", 1],
    ]);
  });
});

describe("other places for rows", () => {
  it("get each row once, however often the log is tried", async () => {
    const points: unknown[] = [];
    const messages: unknown[] = [];
    const { log, record } = openIsolate({
      AUDIT_ANALYTICS: { writeDataPoint: (point) => void points.push(point) },
      AUDIT_QUEUE: { sendBatch: async (batch: unknown[]) => void messages.push(...batch) } as unknown as Queue,
    });
    let attempts = 0;
    log.write = async () => {
      if (++attempts < 3) throw new Error("out of reach");
    };
    record("a");
    await pass(LIMITS.auditFlushMs + TRIED_MS);
    expect(points).toEqual([{ indexes: ["k1"], blobs: ["a", "ok", "http-json", "unknown"], doubles: [7, 2, 0, 0] }]);
    expect(messages).toMatchObject([
      { contentType: "json", body: { id: expect.any(String), atMs: NOW_MS, key: "k1", tool: "a", outcome: "ok" } },
    ]);
  });

  it("are sent no more at once than a queue takes", async () => {
    const sizes: number[] = [];
    const chars: number[] = [];
    const sendBatch = async (batch: object[]): Promise<void> => {
      sizes.push(batch.length);
      chars.push(JSON.stringify(batch).length);
    };
    const { times } = openIsolate({
      AUDIT_QUEUE: { sendBatch } as unknown as Queue,
      AUDIT_ARGUMENTS: "clear",
    });
    times(LIMITS.auditBatchRows, "a");
    await pass(0);
    await vi.waitFor(() => expect(sizes).toEqual([LIMITS.queueBatchItems, LIMITS.queueBatchItems]));
    times(LIMITS.auditBatchRows, "a", "ok", { text: "x".repeat(LIMITS.auditHeldChars - 20) });
    await pass(0);
    await vi.waitFor(() => expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(2 * LIMITS.auditBatchRows));
    expect(Math.max(...chars)).toBeLessThan(LIMITS.queueBatchChars + 10_000);
  });

  it("may fail: the log has the rows, and hears what a queue did not take", async () => {
    const { log, record, toolsWritten } = openIsolate({
      AUDIT_ANALYTICS: {
        writeDataPoint: () => {
          throw new Error("full");
        },
      },
      AUDIT_QUEUE: { sendBatch: () => Promise.reject(new Error("full")) } as unknown as Queue,
    });
    record("a");
    await pass(LIMITS.auditFlushMs);
    record("b");
    await pass(LIMITS.auditFlushMs);
    expect(toolsWritten()).toEqual(["a", "b"]);
    expect(log.written.map(({ lost }) => lost)).toEqual([NONE_LOST, { ...NONE_LOST, queue: 1 }]);
  });
});

it("hashes long arguments at once, and has their row all the same", async () => {
  const { log, record } = openIsolate({ AUDIT_ARGUMENTS: "hash" });
  record("a", "ok", { text: "x".repeat(LIMITS.auditHeldChars) });
  await vi.waitFor(async () => {
    await pass(LIMITS.auditFlushMs);
    expect(log.written).toHaveLength(1);
  });
  expect(log.written[0]?.items[0]?.[2]).toMatchObject({ argumentsSha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
});
