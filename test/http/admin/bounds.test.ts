// What the admin API takes, at each bound and one beyond it.

import { reset } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { ADMIN_KEY, openGate, readAnswer, unreadStream } from "../../support/app.ts";

afterEach(() => reset());

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const members = <T>(count: number, make: (index: number) => T) =>
  Object.fromEntries(many(count, (i) => [`m${i}`, make(i)]));
const x = (count: number): string => "x".repeat(count);

const URL_START = "https://api.example.com/";
const http = (more: object = {}) => ({ kind: "http", method: "POST", url: URL_START, ...more });
const record = (more: object = {}) => ({ description: "d", inputSchema: { type: "object" }, source: http(), ...more });
const code = (more: object) => record({ source: { kind: "code", module: "export default () => 'x';", ...more } });
const icon = (chars = 30) => ({ src: "https://icons.example/".padEnd(chars, "x") });

/** What is bounded, its limit, and a request with so much of it. */
type Row = [what: string, limit: number, request: (size: number) => [method: string, path: string, body: unknown]];
const key = (make: (size: number) => object) => (size: number) =>
  ["POST", "/keys", { name: "n", ...make(size) }] as [string, string, unknown];
const limits = (make: (size: number) => object) => key((size) => ({ limits: { perMinute: 1, ...make(size) } }));
const put = (make: (size: number) => object) => (size: number) =>
  ["PUT", "/tools/put", make(size)] as [string, string, unknown];
const upstream = (make: (size: number) => object) => (size: number) =>
  ["PUT", "/upstreams/other", { url: "https://mcp.example/mcp", enabled: false, ...make(size) }] as [
    string,
    string,
    unknown,
  ];

const ROWS: Row[] = [
  ["a key's name", LIMITS.keyNameChars, (size) => ["POST", "/keys", { name: x(size) }]],
  ["a key's globs", LIMITS.keyGlobs, key((size) => ({ tools: { allow: many(size, (i) => `t${i}`) } }))],
  ["a key's glob", LIMITS.keyGlobChars, key((size) => ({ tools: { deny: [x(size)] } }))],
  ["calls a minute", LIMITS.perMinuteMax, limits((perMinute) => ({ perMinute }))],
  ["a burst", LIMITS.perMinuteMax, limits((burst) => ({ burst }))],
  ["calls a day", LIMITS.perDayMax, limits((perDay) => ({ perDay }))],
  ["running calls", LIMITS.concurrentMax, limits((concurrent) => ({ concurrent }))],
  ["streams", LIMITS.hubSockets, limits((streams) => ({ streams }))],
  ["limits of tools", LIMITS.keyToolLimits, limits((size) => ({ tools: members(size, () => ({ perMinute: 1 })) }))],
  ["the glob of a limit", LIMITS.keyGlobChars, limits((size) => ({ tools: { [x(size)]: { perMinute: 1 } } }))],
  ["a tool's description", LIMITS.descriptionChars, put((size) => record({ description: x(size) }))],
  ["a tool's title", LIMITS.titleChars, put((size) => record({ title: x(size) }))],
  ["the title among its hints", LIMITS.titleChars, put((size) => record({ annotations: { title: x(size) } }))],
  ["a tool's icons", LIMITS.icons, put((size) => record({ icons: many(size, () => icon()) }))],
  ["the address of an icon", LIMITS.iconChars, put((size) => record({ icons: [icon(size)] }))],
  ["a tool's cost", LIMITS.toolCostMax, put((cost) => record({ cost }))],
  ["a tool's deadline", LIMITS.toolTimeoutMaxMs, put((timeoutMs) => record({ timeoutMs }))],
  ["where a tool came from", LIMITS.originChars, put((size) => record({ origin: x(size) }))],
  ["a template", LIMITS.templateChars, put((size) => record({ source: http({ query: { q: x(size) } }) }))],
  [
    "the name of a template",
    LIMITS.templateNameChars,
    put((size) => record({ source: http({ query: { [x(size)]: "v" } }) })),
  ],
  ["templates", LIMITS.templates, put((size) => record({ source: http({ query: members(size, () => "v") }) }))],
  ["a schema", LIMITS.schemaChars, put((size) => record({ inputSchema: { type: "object", title: x(size - 28) } }))],
  ["a module", LIMITS.moduleChars, put((size) => code({ module: "export default () => 'x';".padEnd(size) }))],
  ["a module's hosts", LIMITS.moduleHosts, put((size) => code({ egress: many(size, (i) => `h${i}.example.com`) }))],
  ["a module's secrets", LIMITS.moduleSecrets, put((size) => code({ secrets: many(size, (i) => `S${i}`) }))],
  ["the name of a module's secret", LIMITS.secretNameChars, put((size) => code({ secrets: ["S".repeat(size)] }))],
  ["an upstream's headers", LIMITS.upstreamHeaders, upstream((size) => ({ headers: members(size, () => "v") }))],
  ["an upstream's header", LIMITS.upstreamHeaderChars, upstream((size) => ({ headers: { h: x(size) } }))],
  ["the name of an upstream's header", LIMITS.templateNameChars, upstream((size) => ({ headers: { [x(size)]: "v" } }))],
  [
    "an upstream's address",
    LIMITS.fetchUrlChars,
    upstream((size) => ({ url: "https://mcp.example/".padEnd(size, "x") })),
  ],
  ["an upstream's globs", LIMITS.keyGlobs, upstream((size) => ({ include: many(size, (i) => `t${i}`) }))],
  ["an upstream's glob", LIMITS.keyGlobChars, upstream((size) => ({ exclude: [x(size)] }))],
  ["an upstream's deadline", LIMITS.toolTimeoutMaxMs, upstream((timeoutMs) => ({ timeoutMs }))],
  ["definitions to lint", LIMITS.lintedTools, (size) => ["POST", "/lint", many(size, () => ({}))]],
  ["the length of a body", LIMITS.bodyBytes, (size) => ["POST", "/lint", "{}".padEnd(size)]],
  ["the members of a body", LIMITS.adminMembers, (size) => ["POST", "/lint", `{"a":[${"0,".repeat(size - 2)}0]}`]],
  [
    "the nesting of a body",
    LIMITS.jsonDepth,
    (size) => ["POST", "/lint", `${'{"a":'.repeat(size)}0${"}".repeat(size)}`],
  ],
  ["a secret", LIMITS.secretChars, (size) => ["PUT", "/secrets/NAME", { value: x(size) }]],
];

describe("the admin API bounds", () => {
  it.each(ROWS)("%s", async (what, limit, request) => {
    const gate = openGate(undefined, { SECRETS_KEY: "the secrets key of this test" });
    const statuses: number[] = [];
    for (const size of [limit, limit + 1]) statuses.push((await gate.admin(...request(size))).status);
    expect(statuses).toEqual([
      expect.toSatisfy((status) => status === 200 || status === 201),
      what === "the length of a body" ? 413 : 400,
    ]);
  });

  it("the overlap of a rotation", async () => {
    const gate = openGate();
    const { id } = await (await gate.admin("POST", "/keys", { name: "n" })).json<{ id: string }>();
    const rotate = async (overlapSeconds: number): Promise<number> =>
      (await gate.admin("POST", `/keys/${id}/rotate`, { overlapSeconds })).status;
    expect([await rotate(LIMITS.keyOverlapSeconds), await rotate(LIMITS.keyOverlapSeconds + 1)]).toEqual([200, 400]);
  });

  it.each([
    [LIMITS.auditPageMaxItems, 200],
    [LIMITS.auditPageMaxItems + 1, 400],
    [0, 400],
  ])("a page of %i rows of the trail", async (limit, status) => {
    expect((await openGate().admin("GET", `/audit?limit=${limit}`)).status).toBe(status);
  });

  it("what it says of a body that is wrong in a thousand places", async () => {
    const response = await openGate().admin("POST", "/keys", { name: "n", tools: { allow: many(1_000, () => 7) } });
    const { status, body } = await readAnswer(response);
    const { detail } = body as { detail: string };
    expect([status, detail.length, detail.slice(0, 15)]).toEqual([400, LIMITS.problemChars + 1, "tools.allow.0: "]);
  });

  it("a body that is announced as longer, which is not read", async () => {
    const headers = {
      "content-length": String(LIMITS.bodyBytes + 1),
      authorization: `Bearer ${ADMIN_KEY}`,
      "content-type": "application/json",
    };
    const init = { method: "POST", headers, body: unreadStream() };
    expect((await openGate().fetch("/admin/v1/keys", init)).status).toBe(413);
  });
});

const schema = (deep: string): string =>
  `{"description":"d","inputSchema":{"type":"object","default":${deep}},"source":${JSON.stringify(http())}}`;

/** Nested that deep, in lists and in objects, wherever JSON may be given. */
describe("a body that is nested deeper than anybody needs is refused, not walked:", () => {
  const DEEP = ["[".repeat(100_000) + "]".repeat(100_000), `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`];

  it.each<[string, string, (deep: string) => string]>([
    ["POST", "/keys", (deep) => `{"name":"n","limits":${deep}}`],
    ["PUT", "/tools/t", schema],
    ["POST", "/tools", (deep) => `{"changes":[{"op":"put","name":"t","record":${schema(deep)}}]}`],
    ["PATCH", "/tools/tone", (deep) => `{"annotations":${deep}}`],
    ["POST", "/lint", (deep) => deep],
    ["POST", "/tools/tone/lint", (deep) => deep],
    ["POST", "/imports/openapi?dryRun=true", (deep) => deep],
    ["PUT", "/upstreams/u", (deep) => `{"url":"https://mcp.example/","headers":${deep}}`],
  ])("%s %s", async (method, path, body) => {
    const gate = openGate();
    for (const deep of DEEP) {
      const { status, body: told } = await readAnswer(await gate.admin(method, path, body(deep)));
      expect([status, told]).toEqual([
        400,
        expect.objectContaining({
          code: "invalid_body",
          detail: `The body has nesting too deep: at most ${LIMITS.jsonDepth} levels`,
        }),
      ]);
    }
  });
});
