import { describe, expect, test } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { checkHttpSource } from "../../../src/tools/http-tool/check-http-source.ts";
import { secretNames } from "../../../src/tools/http-tool/request-plan.ts";
import type { HttpSource } from "../../../src/tools/tool-record.ts";
import { source } from "../../support/http-tool.ts";

const SCHEMA = {
  type: "object",
  properties: { id: { type: "string" }, q: { type: "string" }, tags: { type: "array" }, "x-y": {} },
  required: ["id", "tags"],
};

const check = (more: Partial<HttpSource>, allow?: string) => checkHttpSource(source(more), SCHEMA, allow);
const faultsOf = (more: Partial<HttpSource>) => check(more).map(({ path, message }) => `${path}: ${message}`);

const opens = (host: string): string =>
  `; EGRESS_ALLOW=${host} opens this host: a line in .dev.vars or the environment of npm start, then a new start; a deployment has no route to it`;
const ESCAPES = "write {name} for an argument, {{ and }} for braces";

describe("sources that are fine", () => {
  test.each<[string, Partial<HttpSource>]>([
    ["without slots", { url: "https://api.example.com/a/b/?v=2&x=%20" }],
    ["with no path", { url: "https://api.example.com" }],
    ["with slots in the path", { url: "https://api.example.com/users/{id}/v{id}.json" }],
    ["with slots and secrets in the query", { query: { q: "{q}", key: "{{secret:API_KEY}}", tag: "{tags}" } }],
    ["with headers", { headers: { Authorization: "Bearer {{secret:API_KEY}}", "x-id": "a {id}", cookie: "a=b" } }],
    ["with JSON", { method: "POST", body: { q: "{q}", tags: ["{tags}", 1, null, true], text: "for {id}" } }],
    ["with a form", { method: "PUT", headers: { "Content-Type": FORM }, body: { q: "{q}", n: 1, all: ["a", "{q}"] } }],
    ["with text", { method: "POST", headers: { "content-type": "text/plain; charset=utf-8" }, body: "Dear {q}," }],
    ["with XML out of one argument", { method: "POST", headers: { "content-type": "application/xml" }, body: "{q}" }],
    ["with fixed XML", { method: "POST", headers: { "content-type": "application/xml" }, body: "<a/>" }],
    ["with braces as text", { method: "POST", body: { query: "query {{ user(id: 1) {{ {{q }} }} }}" } }],
    ["with a slot in braces", { method: "POST", body: { query: "{{{q}}}" } }],
    ["with a name of any characters", { query: { a: "{x-y}" } }],
  ])("%s", (_, more) => {
    expect(check(more)).toEqual([]);
  });

  test("over plain http to hosts that the egress configuration opens", () => {
    expect(check({ url: "http://127.0.0.1:9001/a" }, "127.0.0.1:9001")).toEqual([]);
    expect(check({ url: "http://127.0.0.1:9002/a" }, "127.0.0.1:9001")).toEqual([
      { path: "url", message: `the scheme must be https${opens("127.0.0.1:9002")}` },
    ]);
  });
});

const FORM = "application/x-www-form-urlencoded";
const NOT_PUBLIC = "url: the host must be a public name, not an IP address or a single word";
const FIXED_HOST = "url: the host is fixed: no slot or secret may stand in it";
const NO_URL = "url: expected an absolute https URL such as https://api.example.com/users/{id}";
const CLIMBS = "url: the path holds a segment that climbs (. or ..)";
const UNENCODED = "url: the path holds characters that must be percent-encoded, in";

describe("URLs that are refused", () => {
  test.each([
    ["", NO_URL],
    ["/users/{id}", NO_URL],
    ["ftp://example.com/", NO_URL],
    ["file:///etc/passwd", NO_URL],
    ["{id}://example.com/", NO_URL],
    ["https:/example.com/", NO_URL],
    ["https:\\\\example.com/", NO_URL],
    ["https://{id}/", FIXED_HOST],
    ["https://{id}.example.com/", FIXED_HOST],
    ["https://example.com:{id}/", FIXED_HOST],
    ["https://{id}@example.com/", FIXED_HOST],
    ["https://{{secret:A}}@example.com/", FIXED_HOST],
    ["https://exa mple.com/", "url: the host is not valid"],
    ["https:///x", "url: the host is not valid"],
    ["http://example.com/", "url: the scheme must be https"],
    ["http://169.254.169.254/", "url: the scheme must be https"],
    ["https://169.254.169.254/", NOT_PUBLIC],
    ["https://[::ffff:169.254.169.254]/", NOT_PUBLIC],
    ["https://[::1]/", NOT_PUBLIC + opens("[::1]:443")],
    ["https://0x7f.1/", NOT_PUBLIC + opens("127.0.0.1:443")],
    ["https://2130706433/", NOT_PUBLIC + opens("127.0.0.1:443")],
    ["https://localhost./", NOT_PUBLIC + opens("localhost:443")],
    ["https://metadata.google.internal/", "url: the host is a local or private name"],
    ["https://u:p@10.0.0.1/", "url: the URL holds a user name or password"],
    ["https://example.com\\@evil.example/", "url: the host is not valid"],
    ["https://exam\tple.com/", "url: the host is not valid"],
    ["https://example.com\n.evil.example/", "url: the host is not valid"],
    ["https://example.com:8443/", "url: the port must be 443"],
    ["https://example.com/a#{id}", "url: a fragment (#…) is never sent: leave it out"],
    [
      "https://example.com/?q={id}",
      "url: slots and secrets can't stand in the URL's query: put that member in `query`",
    ],
    ["https://example.com/?q=a b", "url: the query holds characters that must be percent-encoded"],
    ["https://example.com/../{id}", CLIMBS],
    ["https://example.com/%2E%2e/{id}", CLIMBS],
    ["https://example.com/./{id}", CLIMBS],
    ["https://example.com/{id}%2F..%2Fx", CLIMBS],
    ["https://example.com/..;a/{id}", CLIMBS],
    ["https://example.com//{id}", "url: the path holds an empty segment (//)"],
    ["https://example.com/a b", `${UNENCODED} "a b"`],
    ["https://example.com/a\\b", `${UNENCODED} "a\\\\b"`],
    ["https://example.com/%zz", `${UNENCODED} "%zz"`],
    ["https://example.com/é", `${UNENCODED} "é"`],
    ["https://example.com/{{id}}", `${UNENCODED} "{{id}}"`],
    [
      "https://example.com/{{secret:A}}",
      "url: a secret can't stand in the path, which is logged everywhere: put it in `headers` or `query`",
    ],
    ["https://example.com/{q}", "url: {q} is part of the path: inputSchema must list it as required"],
    ["https://example.com/{tags}", "url: {tags} is part of the path: it must be a string, number or boolean"],
    ["https://example.com/{no}", "url: {no} names no property of inputSchema; braces as text are {{ and }}"],
    [
      "https://example.com/{__proto__}",
      "url: {__proto__} names no property of inputSchema; braces as text are {{ and }}",
    ],
  ])("%s", (url, fault) => {
    expect(faultsOf({ url })).toEqual([fault]);
  });

  test("with what looks like a secret", () => {
    expect(faultsOf({ url: "https://example.com/{{SHIP_TOKEN}}" })).toEqual([
      "url: a secret can't stand in the path, which is logged everywhere: put it in `headers` or `query`",
      `${UNENCODED} "{{SHIP_TOKEN}}"`,
    ]);
  });

  test("with an own slot for all that is wrong", () => {
    expect(faultsOf({ url: "http://example.com//{q}#x", query: { a: "{no}" }, headers: { host: "x" } })).toEqual([
      "url: the scheme must be https",
      "url: a fragment (#…) is never sent: leave it out",
      "url: the path holds an empty segment (//)",
      "headers.host: host can't be set",
      "url: {q} is part of the path: inputSchema must list it as required",
      "query.a: {no} names no property of inputSchema; braces as text are {{ and }}",
    ]);
  });
});

const meant = (name: string, secret: string) =>
  `{{${name}}} is text in braces, sent as {${name}}: did you mean {{secret:${secret}}}? Write {{ ${name} }} if you mean the text`;

describe("templates that are refused", () => {
  test.each([
    ["{", `a single { has no meaning: ${ESCAPES}`],
    ["}", `a single } has no meaning: ${ESCAPES}`],
    ["a {q", `a single { has no meaning: ${ESCAPES}`],
    ["{}", `{} names no argument: ${ESCAPES}`],
    ["{{q}}", "{{q}} is text in braces: write {q} for the argument, or {{ q }} if you mean the text"],
    ["{{secret:}}", 'expected {{secret:NAME}} with a name of letters, digits and _, found "{{secret:}}"'],
    ["{{secret:a-b}}", 'expected {{secret:NAME}} with a name of letters, digits and _, found "{{secret:a-b}}"'],
    ["{{ secret:A }}", 'expected {{secret:NAME}} with a name of letters, digits and _, found "{{ secret:A }}"'],
    ["{{secret A}}", 'expected {{secret:NAME}} with a name of letters, digits and _, found "{{secret A}}"'],
    ["{{secret:A", 'expected {{secret:NAME}} with a name of letters, digits and _, found "{{secret:A"'],
    ["{secret:A}", "{secret:A} names no property of inputSchema; braces as text are {{ and }}"],
    ["{toString}", "{toString} names no property of inputSchema; braces as text are {{ and }}"],
  ])("%s", (text, fault) => {
    expect(faultsOf({ query: { a: text } })).toEqual([`query.a: ${fault}`]);
  });

  test.each([
    ["SHIP_TOKEN", "SHIP_TOKEN"],
    ["secrets:SHIP_TOKEN", "SHIP_TOKEN"],
    ["Secret:SHIP_TOKEN", "SHIP_TOKEN"],
    ["env:KEY_2", "KEY_2"],
    ["secrets.SHIP_TOKEN", "SHIP_TOKEN"],
  ])("{{%s}}, which looks like a secret", (name, secret) => {
    const text = `Bearer {{${name}}}`;
    const all = { method: "POST", query: { a: text }, headers: { authorization: text }, body: { a: [text] } } as const;
    expect(faultsOf(all)).toEqual(
      ["query.a", "headers.authorization", "body.a[0]"].map((at) => `${at}: ${meant(name, secret)}`),
    );
  });

  test.each(["{{ SHIP_TOKEN }}", "{{{{SHIP_TOKEN}}}}", "{{{{q}}}}", "{{name}}", "{{a:1}}", "{{{q}}}", '{{"A":{q}}}'])(
    "but not %s, which is text in braces",
    (text) => {
      expect(faultsOf({ method: "POST", query: { a: text }, body: { a: text } })).toEqual([]);
    },
  );

  test("in names", () => {
    const fault = "slots can stand in values only, not in names";
    expect(faultsOf({ method: "POST", query: { "{q}": "1" }, body: { a: { "{q}": 1 } } })).toEqual([
      `query.{q}: ${fault}`,
      `body.a.{q}: ${fault}`,
    ]);
  });

  test("no schema has properties of Object.prototype", () => {
    const faults = checkHttpSource(source({ query: { a: "{constructor}" } }), { type: "object" });
    expect(faults.map(({ path }) => path)).toEqual(["query.a"]);
  });
});

describe("headers that are refused", () => {
  test.each([
    [{ "a b": "1" }, "headers.a b: its name holds illegal characters"],
    [{ "a\r\nb": "1" }, "headers.a\r\nb: its name holds illegal characters"],
    [{ "": "1" }, "headers.: its name holds illegal characters"],
    [{ Host: "x" }, "headers.Host: Host can't be set"],
    [{ "content-length": "1" }, "headers.content-length: content-length can't be set"],
    [{ "X-Forwarded-For": "1" }, "headers.X-Forwarded-For: X-Forwarded-For can't be set"],
    [{ "toolgate-hops": "0" }, "headers.toolgate-hops: toolgate-hops can't be set"],
    [{ a: "1", A: "2" }, "headers.A: the header is there twice"],
    [{ a: "x\r\ny: z" }, "headers.a: the value must be printable ASCII on one line"],
    [{ a: "é {q}" }, "headers.a: the value must be printable ASCII on one line"],
  ])("%j", (headers, fault) => {
    expect(faultsOf({ headers })).toEqual([fault]);
  });
});

describe("bodies that are refused", () => {
  const deep = (levels: number): unknown => (levels === 0 ? "{q}" : { a: deep(levels - 1) });

  test.each<[string, Partial<HttpSource>, string]>([
    ["of GET", { body: {} }, "body: a GET request has no body"],
    ["of HEAD", { method: "HEAD", body: {} }, "body: a HEAD request has no body"],
    [
      "with a secret",
      { body: { a: ["{{secret:A}}"] } },
      "body.a[0]: a secret can't stand in the body: put it in `headers` or `query`",
    ],
    [
      "of an unknown argument",
      { body: { a: { b: "{no}" } } },
      "body.a.b: {no} names no property of inputSchema; braces as text are {{ and }}",
    ],
    [
      "whose type is not fixed",
      { headers: { "content-type": "{q}" }, body: {} },
      "headers.content-type: the type of a body is fixed: no slot or secret may stand in it",
    ],
    [
      "of a form that is no object",
      { headers: { "content-type": FORM }, body: ["{q}"] },
      `body: a body sent as ${FORM} must be an object`,
    ],
    [
      "of a form with depth",
      { headers: { "content-type": FORM }, body: { a: { b: 1 } } },
      "body.a: a form's member must be text, number, boolean or a list of them",
    ],
    [
      "of text that is none",
      { headers: { "content-type": "text/plain" }, body: {} },
      "body: a body sent as text/plain must be a string",
    ],
    [
      "of XML around an argument",
      { headers: { "content-type": "text/xml" }, body: "<a>{q}</a>" },
      "body: in a body sent as text/xml an argument could change what stands around it: make {name} all of it",
    ],
    [
      "that nests too deep",
      { body: deep(LIMITS.schemaDepth + 1) },
      `body: nesting too deep: at most ${LIMITS.schemaDepth} levels`,
    ],
    [
      "with a leaf that is too long",
      { body: ["x".repeat(LIMITS.templateChars + 1)] },
      `body[0]: expected at most ${LIMITS.templateChars} characters`,
    ],
  ])("%s", (_, more, fault) => {
    expect(faultsOf({ method: more.method ?? (fault.includes("GET") ? "GET" : "POST"), ...more })).toEqual([fault]);
  });

  test("not at the limits", () => {
    expect(faultsOf({ method: "POST", body: deep(LIMITS.schemaDepth) })).toEqual([]);
    expect(faultsOf({ method: "POST", body: ["x".repeat(LIMITS.templateChars)] })).toEqual([]);
  });
});

test("the secrets of a source are named once each", () => {
  const { A, B } = { A: "{{secret:A}}", B: "x{{secret:B}}{{secret:A}}" };
  expect(secretNames(source({ query: { a: A, b: B }, headers: { c: A } }))).toEqual(["A", "B"]);
});
