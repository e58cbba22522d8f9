// `/admin/v1/stats`: how much, how fast and how well, by key and tool.

import { Hono } from "hono";
import * as v from "valibot";
import { seriesOf, sumTallies } from "../audit/audit-stats.ts";
import { readAllSpans, readAllTallies } from "../audit/read-audit.ts";
import { slotOf } from "../audit/tally.ts";
import type { Env } from "../env.ts";
import { isKeyId, KEY_ID_EXPECTED } from "../keys/key-format.ts";
import { LIMITS } from "../lib/limits.ts";
import { randomText } from "../lib/random.ts";
import { logFailure } from "../telemetry/log.ts";
import { parseAdminQuery } from "./admin-query.ts";
import { HttpError } from "./problem.ts";

const WINDOWS_MS = { hour: 3_600_000, day: 86_400_000 };

const QuerySchema = v.strictObject({
  window: v.optional(v.picklist(["hour", "day"], "expected hour or day"), "hour"),
  key: v.optional(v.pipe(v.string(), v.check(isKeyId, KEY_ID_EXPECTED))),
  tool: v.optional(v.string()),
  /** Whether to tell the same by span. */
  series: v.optional(v.picklist(["true", "false"], "expected true or false"), "false"),
});

export const adminStats = new Hono<{ Bindings: Env }>().get("/", async ({ req, env, json }) => {
  const { window, key, tool, series } = parseAdminQuery(req.url, QuerySchema);
  const nowMs = Date.now();
  // Calls are counted by spans: the one that the window begins in counts whole.
  const sinceSlot = slotOf(nowMs - WINDOWS_MS[window]);
  const [{ tallies, cut, lost }, spans] = await orRefuse(() =>
    Promise.all([
      readAllTallies(env, sinceSlot),
      series === "true" &&
        readAllSpans(env, { v: 1, sinceSlot, ...(key !== undefined && { key }), ...(tool !== undefined && { tool }) }),
    ]),
  );
  const asked = tallies.filter((tally) => (key ?? tally[1]) === tally[1] && (tool ?? tally[2]) === tally[2]);
  const { total, tools, keys } = sumTallies(asked);
  const report = {
    window,
    since: new Date(sinceSlot * LIMITS.auditSlotMs).toISOString(),
    until: new Date(nowMs).toISOString(),
    total,
    tools: tools.slice(0, LIMITS.statsItems),
    keys: keys.slice(0, LIMITS.statsItems),
    cut: cut || Math.max(tools.length, keys.length) > LIMITS.statsItems,
    ...(spans && { series: { spanSeconds: LIMITS.auditSlotMs / 1000, points: seriesOf(spans).map(viewPoint) } }),
    lost,
  };
  return json(report);
});

const viewPoint = ({ atMs, ...stats }: ReturnType<typeof seriesOf>[number]) => ({
  at: new Date(atMs).toISOString(),
  ...stats,
});

async function orRefuse<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    logFailure("stats_unreadable", randomText(12), error);
    throw new HttpError(503, "unavailable", "Part of the statistics can't be read right now", { "retry-after": "2" });
  }
}
