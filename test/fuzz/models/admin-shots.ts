// Requests to the admin API: bodies and queries, right and nearly right, for things that the run can spare.

import * as fc from "fast-check";
import type { Shot } from "../shot.ts";
import { changeFields, fieldChanges, type Field } from "./http-headers.ts";
import { damages, damageText, nearly, oddJson, oddText, seldom, type Json } from "./json.ts";
import { madeUpTool } from "./tool-calls.ts";
import { goodRecord, openApiDocument, toolRecord } from "./tool-records.ts";

const rate = fc.constantFrom<Json>(1, 60, 600, 0, -1, 1.5, 1_000_001, "9", null);
const globs = fc.array(
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom("*", "add", "f*", "a*b*c*") }, { weight: 1, arbitrary: oddText }),
  { maxLength: 3 },
);
const goodKeyInput: fc.Arbitrary<Json> = fc.record(
  {
    name: fc.constant("spare"),
    tools: fc.record({ allow: fc.constantFrom<Json>(["*"], ["add", "f*"]) }),
    limits: fc.record(
      { perMinute: fc.constantFrom(1, 60, 1_000_000), perDay: fc.constantFrom(1, 1_000) },
      { requiredKeys: ["perMinute"] },
    ),
    urlKey: fc.boolean(),
    discovery: fc.boolean(),
  },
  { requiredKeys: ["name"] },
) as fc.Arbitrary<Json>;
const oddKeyInput: fc.Arbitrary<Json> = fc.record(
  {
    name: fc.oneof({ weight: 3, arbitrary: fc.constant("spare") }, { weight: 1, arbitrary: oddText }),
    tools: fc.record({ allow: globs, deny: globs }, { requiredKeys: [] }),
    limits: fc.record(
      {
        perMinute: rate,
        burst: rate,
        perDay: rate,
        concurrent: rate,
        tools: fc.dictionary(fc.constantFrom("*", "f*"), fc.record({ perMinute: rate })),
      },
      { requiredKeys: [] },
    ),
    expiresAt: fc.constantFrom<Json>(
      "2099-01-01T00:00:00Z",
      "2020-01-01T00:00:00Z",
      "2099-13-01T00:00:00Z",
      "9999-12-31T23:59:59Z",
      "soon",
    ),
    urlKey: fc.boolean(),
    scopes: fc.subarray<Json>(["mcp", "admin:read"]),
    discovery: fc.boolean(),
    region: fc.constantFrom<Json>("weur", "enam", "moon"),
  },
  { requiredKeys: ["name"] },
) as fc.Arbitrary<Json>;

const spareId = fc.oneof(
  { weight: 6, arbitrary: fc.constant("«id.spare»") },
  { weight: 1, arbitrary: oddText.map(encodeURIComponentSafely) },
  { weight: 1, arbitrary: fc.constantFrom("root", "x", "..", "%2e%2e", "%00") },
);

/** What can't be in a URL at all, a lone surrogate, becomes what a browser makes of it. */
function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed()) || "x";
}

const keyInput = fc.oneof(goodKeyInput, nearly(goodKeyInput), oddKeyInput);

type Asked = Pick<Shot, "method" | "path"> & { body?: Json; query?: Record<string, string> };

const ask = (method: string, path: fc.Arbitrary<string>, body?: fc.Arbitrary<Json>): fc.Arbitrary<Asked> =>
  fc
    .tuple(path, body ?? fc.constant<Json | undefined>(undefined))
    .map(([made, value]) => ({ method, path: made, ...(value !== undefined && { body: value }) }));

const at = (path: string): fc.Arbitrary<string> => fc.constant(path);

const TIMES = [
  "2026-01-01T00:00:00Z",
  "2026-02-31T00:00:00Z",
  "2026-99-99T99:99:99Z",
  "0000-01-01T00:00:00Z",
  "+275760-09-13T00:00:00Z",
  "now",
  "",
];
const GOOD_QUERY = {
  kind: ["call", "admin"],
  tool: ["add", "f1"],
  outcome: ["ok", "changed", "limited"],
  since: ["2026-01-01T00:00:00Z"],
  until: ["2099-01-01T00:00:00Z"],
  limit: ["1", "20"],
  cursor: ["«audit»"],
  format: ["json"],
};
const goodQuery = fc.record(
  Object.fromEntries(Object.entries(GOOD_QUERY).map(([name, values]) => [name, fc.constantFrom(...values)])),
  { requiredKeys: [] },
) as fc.Arbitrary<Record<string, string>>;
const oddQuery: fc.Arbitrary<Record<string, string>> = fc
  .record(
    {
      kind: fc.constantFrom("call", "x"),
      key: fc.constantFrom("«id.spare»", "x", ""),
      tool: fc.oneof(fc.constant(""), oddText),
      outcome: fc.constant("no"),
      since: fc.constantFrom(...TIMES),
      until: fc.constantFrom(...TIMES),
      limit: fc.constantFrom("501", "0", "-1", "1e2", "999999"),
      cursor: fc.oneof(
        fc.constantFrom("«audit~flip6»", "«audit~cut9»", "e30", "eyJhdE1zIjo5MDA3MTk5MjU0NzQwOTkxLCJpZCI6IngifQ", ""),
        oddText,
      ),
      format: fc.constantFrom("xml", "ndjson"),
      window: fc.constantFrom("hour", "day", "year"),
    },
    { requiredKeys: [] },
  )
  .map((query) => Object.fromEntries(Object.entries(query).slice(0, 1)));
const auditQuery = fc
  .tuple(goodQuery, seldom(fc.constant({}), oddQuery, 3))
  .map(([good, odd]): Record<string, string> => ({ ...good, ...odd }));
const statsQuery = fc.record(
  { window: fc.constantFrom("hour", "day", "year"), tool: oddText, key: fc.constant("«id.spare»") },
  { requiredKeys: [] },
) as fc.Arbitrary<Record<string, string>>;

const edits: fc.Arbitrary<Json> = fc
  .array(
    fc.oneof(
      fc.record({ op: fc.constant("put"), name: madeUpTool, record: toolRecord }),
      fc.record({
        op: fc.constant("patch"),
        name: madeUpTool,
        patch: fc.record({ enabled: fc.boolean(), cost: rate }, { requiredKeys: [] }),
      }),
      fc.record({ op: fc.constant("delete"), name: madeUpTool }),
    ),
    { maxLength: 3 },
  )
  .map((changes) => ({ changes: changes as Json }));

const secretName = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("SPARE_A", "SPARE_B") },
  { weight: 1, arbitrary: oddText.map(encodeURIComponentSafely) },
);
const upstreamName = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("u0", "u1") },
  { weight: 1, arbitrary: oddText.map(encodeURIComponentSafely) },
);
const upstreamRecord: fc.Arbitrary<Json> = fc.record(
  {
    url: fc.constantFrom(
      "«upstream»/mcp",
      "«upstream»/junk/mcp",
      "https://169.254.169.254/mcp",
      "«own»/mcp",
      "http://127.0.0.1:1/mcp",
      "x",
      "",
    ),
    headers: fc.dictionary(
      fc.constantFrom("authorization", "x-a", "host", "é"),
      fc.constantFrom("x", "{{secret:FUZZ_TOKEN}}", "a\r\nb", "é"),
      { maxKeys: 2 },
    ),
    include: globs,
    timeoutMs: fc.constantFrom(1_000, 0),
    enabled: fc.boolean(),
  },
  { requiredKeys: ["url"] },
) as fc.Arbitrary<Json>;

const toolPath = madeUpTool.map((name) => `/tools/${name}`);
/** Names that no tool can have, so that the catalogue stays as small as it is. */
const oddToolPath = fc
  .oneof(
    fc.constantFrom("add", "search_tools", "a.b", "n".repeat(65)),
    oddText.map((name) => `${name}é`),
  )
  .map((name) => `/tools/${encodeURIComponentSafely(name)}`);
const anyToolPath = fc.oneof(
  { weight: 4, arbitrary: toolPath },
  { weight: 1, arbitrary: oddText.map((name) => `/tools/${encodeURIComponentSafely(name)}`) },
);
// Only dry: what an import adds, nothing would take out again.
const goodImport = fc.record(
  { dryRun: fc.constant("true"), api: fc.constant("ships"), prefix: fc.constant("f"), maxTools: fc.constant("3") },
  { requiredKeys: ["dryRun"] },
);
const oddImport: fc.Arbitrary<Record<string, string>> = fc.constantFrom<Record<string, string>>(
  { dryRun: "x" },
  { prefix: "é" },
  { maxTools: "0" },
  { headers: "x" },
  { headers: "authorization: {{secret:FUZZ_TOKEN}}" },
  { nonsense: "1" },
  { includeTags: "a" },
);
const importQuery = fc
  .tuple(goodImport, seldom(fc.constant({}), oddImport, 4))
  .map(([good, odd]) => ({ ...good, ...odd }) as Record<string, string>);

const asked: fc.Arbitrary<Asked> = fc.oneof(
  { weight: 2, arbitrary: ask("POST", at("/keys"), keyInput) },
  {
    weight: 1,
    arbitrary: ask(
      "GET",
      fc.constantFrom(
        "/keys",
        "/keys?cursor=x",
        "/keys?cursor=%00",
        "/secrets",
        "/sessions",
        "/sessions?key=x",
        "/upstreams",
        "/",
        "/nothing",
      ),
    ),
  },
  {
    weight: 1,
    arbitrary: ask(
      "GET",
      spareId.map((id) => `/keys/${id}`),
    ),
  },
  {
    weight: 2,
    arbitrary: ask(
      "PATCH",
      spareId.map((id) => `/keys/${id}`),
      keyInput,
    ),
  },
  {
    weight: 1,
    arbitrary: ask(
      "DELETE",
      spareId.map((id) => `/keys/${id}`),
    ),
  },
  {
    weight: 1,
    arbitrary: ask(
      "POST",
      spareId.map((id) => `/keys/${id}/rotate`),
      fc.record({ overlapSeconds: rate }) as fc.Arbitrary<Json>,
    ),
  },
  { weight: 1, arbitrary: ask("GET", anyToolPath) },
  {
    weight: 1,
    arbitrary: ask(
      "GET",
      fc.tuple(anyToolPath, fc.constantFrom("/history", "/history/1", "/history/x")).map(([path, rest]) => path + rest),
    ),
  },
  { weight: 8, arbitrary: ask("PUT", toolPath, toolRecord) },
  { weight: 8, arbitrary: ask("PUT", toolPath, goodRecord) },
  { weight: 1, arbitrary: ask("PUT", oddToolPath, goodRecord) },
  {
    weight: 1,
    arbitrary: ask(
      "PATCH",
      toolPath,
      nearly(fc.record({ enabled: fc.boolean(), cost: rate }) as fc.Arbitrary<Json>, 0),
    ),
  },
  { weight: 1, arbitrary: ask("DELETE", anyToolPath) },
  { weight: 2, arbitrary: ask("POST", at("/tools"), nearly(edits, 0)) },
  {
    weight: 2,
    arbitrary: ask(
      "POST",
      fc.oneof(
        at("/lint"),
        anyToolPath.map((path) => `${path}/lint`),
      ),
      fc.oneof(toolRecord, oddJson, fc.array(toolRecord, { maxLength: 3 }) as fc.Arbitrary<Json>),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(openApiDocument, importQuery)
      .map(([body, query]): Asked => ({ method: "POST", path: "/imports/openapi", body, query })),
  },
  {
    weight: 1,
    arbitrary: ask(
      "PUT",
      secretName.map((name) => `/secrets/${name}`),
      nearly(fc.record({ value: fc.string({ minLength: 8 }) }), 0),
    ),
  },
  {
    weight: 1,
    arbitrary: ask(
      "DELETE",
      secretName.map((name) => `/secrets/${name}`),
    ),
  },
  {
    weight: 1,
    arbitrary: ask(
      "PUT",
      upstreamName.map((name) => `/upstreams/${name}`),
      nearly(upstreamRecord, 0),
    ),
  },
  {
    weight: 1,
    arbitrary: ask(
      "POST",
      upstreamName.map((name) => `/upstreams/${name}/refresh`),
    ),
  },
  {
    weight: 1,
    arbitrary: ask(
      "DELETE",
      upstreamName.map((name) => `/upstreams/${name}`),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      auditQuery.map((query): Asked => ({ method: "GET", path: "/audit", query })),
      statsQuery.map((query): Asked => ({ method: "GET", path: "/stats", query })),
    ),
  },
);

const NAMES_IN_QUERY = /«/;

function queryText(query: Record<string, string>): string {
  // A placeholder is filled in later, and what it becomes needs no escape.
  const parts = Object.entries(query).map(
    ([name, value]) => `${name}=${NAMES_IN_QUERY.test(value) ? value : encodeURIComponentSafely(value)}`,
  );
  return parts.length > 0 ? `?${parts.join("&")}` : "";
}

/** So many things wrong that to name them all would be a long answer. */
const WIDE: readonly Json[] = [
  { name: "x", scopes: Array.from({ length: 50_000 }, () => 0) },
  { name: "x", tools: { allow: Array.from({ length: 50_000 }, (_, at) => at) } },
  { changes: Array.from({ length: 50_000 }, () => ({ op: "delete" })) },
  Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`k${at}`, 0])),
];

const DEEP = [
  "[".repeat(50_000),
  `{"description":"x","inputSchema":${'{"not":'.repeat(20_000)}{}${"}".repeat(20_000)}}`,
  `{"description":"x","inputSchema":{"type":"object"},"source":{"kind":"http","method":"POST","url":"«upstream»/echo/x","body":${"[".repeat(60_000)}${"]".repeat(60_000)}}}`,
];

const authorization = seldom(
  fc.constant("Bearer «admin»"),
  fc.constantFrom("Bearer «key.reader»", "Bearer «key.a»", "Bearer «admin~flip3»", "Basic x", "Bearer"),
);
const ifMatch = seldom(fc.constant(null), fc.constantFrom('"1"', "*", '"999999999999999"', 'W/"1"', "1", '"a"'), 20);
const bodyText = fc.oneof(
  { weight: 100, arbitrary: fc.constant(null) },
  { weight: 6, arbitrary: damages },
  { weight: 1, arbitrary: fc.constantFrom(...DEEP, ...WIDE.map((value) => JSON.stringify(value))) },
);

/** Any request to the admin API. */
export const adminShot: fc.Arbitrary<Shot> = fc
  .tuple(asked, authorization, ifMatch, seldom(fc.constant([]), fieldChanges(1, 1), 8), bodyText)
  .map(([{ method, path, body, query = {} }, auth, version, list, altered]) => {
    const fields: Field[] = [
      ["authorization", auth],
      ["content-type", "application/json"],
      ...(version === null ? [] : [["if-match", version] as Field]),
    ];
    const written = body === undefined ? undefined : JSON.stringify(body);
    const sent = typeof altered === "string" ? altered : altered && written ? damageText(written, altered) : written;
    return {
      kind: `admin ${method} ${path.split("/")[1]?.split("?")[0] ?? ""}`,
      method,
      path: `/admin/v1${path}${queryText(query)}`,
      headers: changeFields(fields, list),
      ...(body !== undefined && sent !== undefined && { body: sent }),
    };
  });
