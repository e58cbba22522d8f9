// The audit trail of a server under load that is killed like a machine that loses power. A row counts as acknowledged once
// the admin API has shown it: an object answers only with what is on its disk.

import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { expect, test, vi } from "vitest";
import { run } from "../cli/processes.ts";
import { makeFolder, NODE } from "../cli/project-copy.ts";
import { prepareMachine, startDevProcess, type DevProcess } from "./support/dev-process.ts";
import { calculate, post } from "./support/rpc.ts";

/** More when it is to be known better: `AUDIT_CALLS=10000`. */
const CALLS = Number(process.env["AUDIT_CALLS"] ?? 1_600);
const AT_ONCE = 32;
const TIMEOUT_MS = 300_000;
const WRITTEN_WITHIN_MS = 40_000;
/** What an isolate holds at most (`LIMITS.auditBufferRows`): all that a kill can cost. */
const HELD_ROWS = 2_000;
const NONE_LOST = { full: 0, refused: 0, unsent: 0, queue: 0, trimmed: 0 };

test(
  `of ${CALLS} calls with a kill in the middle, none has two rows and none loses one that was acknowledged`,
  async () => {
    const machine = await prepareMachine();
    const before = await startDevProcess(machine);
    const { key } = await before.mintKey({ limits: { perMinute: 1_000_000, burst: 100_000 } });
    await before.switchTool("tone", false);

    const first = await callMany(before, key, CALLS / 2);
    expect(first.answered.size).toBe(CALLS / 2);
    // With nothing killed, nothing is lost: every call has its row.
    await vi.waitFor(
      async () => expect((await exportTraces(before, machine.adminKey)).size, before.output()).toBe(CALLS / 2),
      { timeout: WRITTEN_WITHIN_MS, interval: 200 },
    );

    const acknowledged = new Set<string>();
    let [latest, killAt] = [0, Infinity];
    const second = await callMany(before, key, CALLS / 2, async (answered) => {
      latest = answered;
      if (answered === killAt) await before.kill();
      if (answered !== CALLS / 4) return;
      for (const trace of await exportTraces(before, machine.adminKey)) acknowledged.add(trace);
      // So that there are rows on their way.
      killAt = latest + 2 * AT_ONCE;
    });
    expect(acknowledged.size).toBeGreaterThanOrEqual(CALLS / 2);
    expect(second.answered.size).toBeLessThan(CALLS / 2);

    const after = await startDevProcess(machine);
    const found = await exportTraces(after, machine.adminKey);
    const sent = new Set([...first.sent, ...second.sent]);
    const answered = new Set([...first.answered, ...second.answered]);
    expect([...acknowledged].filter((trace) => !found.has(trace))).toEqual([]);
    expect([...found].filter((trace) => !sent.has(trace))).toEqual([]);
    const lost = [...answered].filter((trace) => !found.has(trace));
    expect(lost.length).toBeLessThanOrEqual(HELD_ROWS);
    expect(lost.filter((trace) => first.sent.has(trace))).toEqual([]);

    const later = await callMany(after, key, 10);
    await vi.waitFor(
      async () => expect((await exportTraces(after, machine.adminKey)).size).toBe(found.size + later.sent.size),
      { timeout: WRITTEN_WITHIN_MS, interval: 200 },
    );
  },
  TIMEOUT_MS,
);

test("the chain of admin actions is whole after a kill, as the CLI sees it", async () => {
  const machine = await prepareMachine();
  const before = await startDevProcess(machine);
  await before.mintKey();
  await before.switchTool("tone", false);
  const { stdout: told } = await verify(before, machine.adminKey);
  await before.switchTool("tone", true);
  await before.kill();

  const after = await startDevProcess(machine);
  await after.switchTool("tone", false);
  const [, link = ""] = /--expect (\S+)/.exec(told) ?? [];
  expect(told).toContain("3 admin actions, unbroken from the first on.");
  expect(await verify(after, machine.adminKey, ["--expect", link])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("5 admin actions, unbroken from the first on."),
  });
});

interface Load {
  sent: Set<string>;
  answered: Set<string>;
}

/** Makes calls, each under a trace of its own, until all are answered or the server is gone. */
async function callMany(
  { url }: DevProcess,
  key: string,
  count: number,
  onAnswer: (answered: number) => Promise<void> = async () => undefined,
): Promise<Load> {
  const endpoint = new URL("/mcp", url);
  const load: Load = { sent: new Set(), answered: new Set() };
  const callOne = async (): Promise<boolean> => {
    const trace = randomBytes(16).toString("hex");
    load.sent.add(trace);
    const headers = { "mcp-protocol-version": "2025-06-18", traceparent: `00-${trace}-${"1".repeat(16)}-01` };
    const answer = await post(endpoint, key, calculate("1 + 1"), headers).catch(() => undefined);
    if (answer === undefined) return false;
    if (answer.status !== 200) throw new Error(`a call was answered with ${answer.status}`);
    load.answered.add(trace);
    await onAnswer(load.answered.size);
    return true;
  };
  const client = async (): Promise<void> => {
    while (load.sent.size < count) if (!(await callOne())) return;
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  return load;
}

/** The traces of all rows of calls; fails when one is there twice, or when rows were lost without a kill. */
async function exportTraces({ url }: DevProcess, adminKey: string): Promise<Set<string>> {
  const response = await fetch(new URL("/admin/v1/audit?kind=call&format=ndjson", url), {
    headers: { authorization: `Bearer ${adminKey}` },
  });
  const lines = (await response.text()).trim().split("\n");
  const rows = lines.map((line) => JSON.parse(line) as { kind: string; traceId: string; lost?: object });
  const end = rows.pop();
  expect({ kind: end?.kind, lost: end?.lost }).toEqual({ kind: "end", lost: NONE_LOST });
  const traces = new Set(rows.map(({ traceId }) => traceId));
  expect(traces.size).toBe(rows.length);
  return traces;
}

const verify = ({ url }: DevProcess, adminKey: string, more: string[] = []) =>
  run(
    NODE,
    [resolve(join(import.meta.dirname, "../../src/cli/toolgate.ts")), "audit", "verify", "--url", url.origin, ...more],
    makeFolder(),
    { TOOLGATE_ADMIN_KEY: adminKey },
  );
