// `/admin/v1/audit`: tool calls and admin actions, newest first, a page at a time or as JSON lines.

import { Hono } from "hono";
import * as v from "valibot";
import { ADMIN_OUTCOMES } from "../audit/admin-act.ts";
import type { AuditPosition, AuditQuery, StoredRow } from "../audit/audit-contract.ts";
import { CALL_OUTCOMES } from "../audit/call-row.ts";
import { readTrail, type AuditTrail } from "../audit/read-audit.ts";
import { registryStub, type Env } from "../env.ts";
import { isKeyId, KEY_ID_EXPECTED } from "../keys/key-format.ts";
import { decodeBase64Url, encodeBase64Url } from "../lib/base64.ts";
import { isJsonObject } from "../lib/json-value.ts";
import { IsoTimeSchema } from "../lib/iso-time.ts";
import { LIMITS } from "../lib/limits.ts";
import { randomText } from "../lib/random.ts";
import { logFailure } from "../telemetry/log.ts";
import { parseAdminQuery } from "./admin-query.ts";
import { HttpError } from "./problem.ts";

const NDJSON = "application/x-ndjson";

const TimeSchema = v.pipe(
  IsoTimeSchema,
  v.transform((time) => Date.parse(time)),
);

/** Some are those of calls and of admin actions. */
const OUTCOMES = [...new Set([...CALL_OUTCOMES, ...ADMIN_OUTCOMES])];

const QuerySchema = v.strictObject({
  kind: v.optional(v.picklist(["call", "admin"], "expected call or admin")),
  key: v.optional(v.pipe(v.string(), v.check(isKeyId, KEY_ID_EXPECTED))),
  tool: v.optional(
    v.pipe(
      v.string(),
      v.minLength(1),
      v.maxLength(LIMITS.toolNameChars, `expected at most ${LIMITS.toolNameChars} characters`),
    ),
  ),
  outcome: v.optional(v.picklist(OUTCOMES, `expected one of ${OUTCOMES.join(", ")}`)),
  since: v.optional(TimeSchema),
  until: v.optional(TimeSchema),
  cursor: v.optional(
    v.pipe(
      v.string(),
      v.transform(decodePosition),
      v.check((position) => position !== undefined, "expected a cursor that this server gave"),
    ),
  ),
  limit: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,6}$/, "expected a whole number"),
      v.transform(Number),
      v.minValue(1, "expected at least 1"),
      v.maxValue(LIMITS.auditPageMaxItems, `expected at most ${LIMITS.auditPageMaxItems}`),
    ),
  ),
  format: v.optional(v.picklist(["json", "ndjson"], "expected json or ndjson")),
});
type Query = v.InferOutput<typeof QuerySchema>;

export const adminAudit = new Hono<{ Bindings: Env }>().get("/", async ({ req, env, json }) => {
  const query = parseAdminQuery(req.url, QuerySchema);
  const wantsLines = (req.header("accept") ?? "").includes(NDJSON);
  if (query.format === "ndjson" || (query.format === undefined && wantsLines)) return streamLines(env, query);
  return json(toView(await readPage(env, query, query.cursor)));
});

async function readPage(env: Env, query: Query, before: AuditPosition | undefined): Promise<AuditTrail> {
  const { kind, key, tool, outcome, since, until, limit = LIMITS.auditPageItems } = query;
  const asked: AuditQuery = {
    v: 1,
    limit,
    ...(before && { before }),
    ...(since !== undefined && { sinceMs: since }),
    ...(until !== undefined && { untilMs: until }),
    ...(key !== undefined && { key }),
    ...(tool !== undefined && { tool }),
    ...(outcome !== undefined && { outcome }),
  };
  try {
    return await readTrail(env, asked, {
      calls: kind !== "admin",
      adminLog: kind === "call" ? undefined : registryStub(env),
    });
  } catch (error) {
    logFailure("audit_unreadable", randomText(12), error);
    throw new HttpError(503, "unavailable", "Part of the audit trail can't be read right now", { "retry-after": "2" });
  }
}

const toView = ({ rows, next, lost, chain }: AuditTrail) => ({
  rows: rows.map(toRow),
  ...(next && { nextCursor: encodePosition(next) }),
  lost,
  ...(chain && { chain }),
});

const toRow = ({ atMs, id, row }: StoredRow) => ({
  kind: id.startsWith("admin.") ? "admin" : "call",
  id,
  at: new Date(atMs).toISOString(),
  ...(JSON.parse(row) as object),
});

/**
 * A row a line, read page by page as they are taken, up to a bound. The last line has the kind `end` and the cursor to
 * go on with: without it, what came is not all.
 */
function streamLines(env: Env, query: Query): Response {
  const paged = { ...query, limit: LIMITS.auditPageMaxItems };
  const encoder = new TextEncoder();
  let [before, count] = [query.cursor, 0];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const trail = await readPage(env, paged, before);
      const { rows, nextCursor, ...rest } = toView(trail);
      count += rows.length;
      before = trail.next;
      const isLast = nextCursor === undefined || count + paged.limit > LIMITS.auditExportRows;
      const end = { kind: "end", rows: count, ...(nextCursor !== undefined && { nextCursor }), ...rest };
      const lines = [...rows, ...(isLast ? [end] : [])].map((line) => `${JSON.stringify(line)}\n`);
      controller.enqueue(encoder.encode(lines.join("")));
      if (isLast) controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": NDJSON } });
}

const encodePosition = ({ atMs, id }: AuditPosition): string =>
  encodeBase64Url(new TextEncoder().encode(JSON.stringify({ atMs, id })));

function decodePosition(cursor: string): AuditPosition | undefined {
  const bytes = cursor.length <= LIMITS.auditCursorChars ? decodeBase64Url(cursor) : undefined;
  try {
    const value: unknown = bytes && JSON.parse(new TextDecoder().decode(bytes));
    if (!isJsonObject(value)) return undefined;
    const { atMs, id } = value;
    return typeof atMs === "number" && Number.isSafeInteger(atMs) && typeof id === "string" ? { atMs, id } : undefined;
  } catch {
    return undefined;
  }
}
