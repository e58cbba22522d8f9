import { describe, expect, test } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { ToolError } from "../../../src/tools/tool-error.ts";
import type { HttpSource } from "../../../src/tools/tool-record.ts";
import { openHttpTool, sentBy, source } from "../../support/http-tool.ts";

const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** The call is refused, and nothing leaves. */
async function expectRefusal(of: Partial<HttpSource>, args: Record<string, unknown>, message: string) {
  const { sent, call } = openHttpTool(source(of), { answers: [] });
  await expect(call(args)).rejects.toThrow(new ToolError(message));
  expect(sent).toEqual([]);
}

describe("the path", () => {
  const users = source({ url: "https://api.example.com/users/{id}/posts" });
  const pathFor = async (id: unknown) => (await sentBy(users, { id })).url.slice("https://api.example.com".length);

  test.each([
    ["42", "/users/42/posts"],
    [42, "/users/42/posts"],
    [1.5e300, "/users/1.5e%2B300/posts"],
    [false, "/users/false/posts"],
    ["a b", "/users/a%20b/posts"],
    ["a/b", "/users/a%2Fb/posts"],
    ["a\\b", "/users/a%5Cb/posts"],
    ["a?b#c&d=e", "/users/a%3Fb%23c%26d%3De/posts"],
    ["%2ex", "/users/%252ex/posts"],
    ["%2Fx", "/users/%252Fx/posts"],
    ["a.b..c", "/users/a.b..c/posts"],
    ["...", "/users/.../posts"],
    ["..a", "/users/..a/posts"],
    ["!'()*;:@&=+$,", "/users/%21%27%28%29%2A%3B%3A%40%26%3D%2B%24%2C/posts"],
    ["-_.~", "/users/-_.~/posts"],
    ["日本", "/users/%E6%97%A5%E6%9C%AC/posts"],
    ["\ud800", "/users/%EF%BF%BD/posts"],
    ["{id}", "/users/%7Bid%7D/posts"],
    ["{{secret:KEY}}", "/users/%7B%7Bsecret%3AKEY%7D%7D/posts"],
  ])("takes %j", async (id, path) => {
    expect(await pathFor(id)).toBe(path);
  });

  // CVE-2026-11720 and the like: an argument that makes the request another one.
  test.each([
    ".",
    "..",
    "../admin",
    "x/../../admin",
    "..\\admin",
    "x/..",
    "./x",
    "%2e",
    "%2e%2e/admin",
    "%2E./admin",
    "..%2fadmin",
    "..%5Cadmin",
    "%252e%252e%252fadmin",
    "%25252e%25252e/x",
    "..;/admin",
    "..;a=b/admin",
  ])("can't be climbed by %j", async (id) => {
    await expectRefusal(users, { id }, 'Argument id: it must not hold "." or ".." as part of a path.');
  });

  test.each([
    [".{a}", { a: "." }],
    ["{a}{b}", { a: ".", b: "." }],
    ["{a}{b}", { a: "%2", b: "e%2e" }],
    ["%2e{a}", { a: "." }],
    ["x%2F{a}", { a: ".." }],
  ])("can't be climbed by what becomes of %s with %j", async (segment, args) => {
    const message = 'Argument a: it must not hold "." or ".." as part of a path.';
    await expectRefusal({ url: `https://api.example.com/${segment}/x` }, args, message);
  });

  test.each([
    ["", "expected text, received an empty text"],
    ["a\0b", "it must not hold control characters"],
    ["a\r\nb", "it must not hold control characters"],
    ["\u007f", "it must not hold control characters"],
    [undefined, "expected text, a number or a boolean"],
    [null, "expected text, a number or a boolean"],
    [["a"], "expected text, a number or a boolean"],
    [{ toString: 1 }, "expected text, a number or a boolean"],
  ])("refuses %j", async (id, reason) => {
    await expectRefusal(users, id === undefined ? {} : { id }, `Argument id: ${reason}.`);
  });

  test("does not take what arguments inherit", async () => {
    const of = { url: "https://api.example.com/{constructor}" };
    await expectRefusal(of, {}, "Argument constructor: expected text, a number or a boolean.");
  });

  test("keeps its own text as it is written", async () => {
    const url = "https://api.example.com/a%2Fb/~x/{id}.json/";
    expect((await sentBy(source({ url }), { id: "1" })).url).toBe("https://api.example.com/a%2Fb/~x/1.json/");
  });
});

const urlFor = async (query: Record<string, string>, args: Record<string, unknown>, url = "https://a.example/s") =>
  (await sentBy(source({ url, query }), args, { secrets: { KEY: "s3cret/&=" } })).url.slice("https://a.example".length);

describe("the query", () => {
  test.each([
    [{ q: "{q}" }, { q: "a&b=c d+é" }, "/s?q=a%26b%3Dc+d%2B%C3%A9"],
    [{ q: "{q}" }, { q: "\r\n\0#" }, "/s?q=%0D%0A%00%23"],
    [{ q: "{q}" }, { q: ["a", 1, true, "b&c"] }, "/s?q=a&q=1&q=true&q=b%26c"],
    [{ q: "{q}" }, { q: [] }, "/s"],
    [{ q: "{q}", fixed: "1" }, {}, "/s?fixed=1"],
    [{ q: "{q}" }, { q: null }, "/s"],
    [{ q: "{q}" }, { q: "" }, "/s?q="],
    [{ q: "{q}" }, { q: { a: 1 } }, "/s?q=%7B%22a%22%3A1%7D"],
    [{ q: "x-{q}-{r}" }, { q: 1, r: [1, 2] }, "/s?q=x-1-1%2C2"],
    [{ q: "x-{q}-{r}" }, { q: 1 }, "/s"],
    [{ q: "{{{q}}}" }, { q: "a" }, "/s?q=%7Ba%7D"],
    [{ "a&b": "{q}" }, { q: "c" }, "/s?a%26b=c"],
    [{ key: "{{secret:KEY}}", q: "{q}" }, { q: "{{secret:KEY}}" }, "/s?key=s3cret%2F%26%3D&q=%7B%7Bsecret%3AKEY%7D%7D"],
  ])("%j with %j", async (query, args, url) => {
    expect(await urlFor(query, args)).toBe(url);
  });

  test("comes after the one in the URL", async () => {
    expect(await urlFor({ q: "{q}" }, { q: "x" }, "https://a.example/s?v=2&w=%20")).toBe("/s?v=2&w=%20&q=x");
  });
});

describe("headers", () => {
  const headers = { "X-Name": "{name}", authorization: "Bearer {{secret:TOKEN}}", "x-list": "{list}" };
  const of = source({ headers });
  const secrets = { TOKEN: "t0ken-t0ken" };

  test("hold arguments and secrets; those whose argument is absent are left out", async () => {
    const sent = await sentBy(of, { list: ["a", "b"] }, { secrets });
    expect(sent.headers).toEqual({ authorization: "Bearer t0ken-t0ken", "x-list": "a,b" });
  });

  test.each(["a\r\nX-Admin: 1", "a\nb", "a\0", "é", "日本", "a\u007f", "\u2028"])("refuse %j", async (name) => {
    const { sent, call } = openHttpTool(of, { secrets, answers: [] });
    await expect(call({ name })).rejects.toThrow(new ToolError("Argument name: expected printable ASCII on one line."));
    expect(sent).toEqual([]);
  });

  test("refuse 100 KB", async () => {
    const { sent, call } = openHttpTool(of, { secrets, answers: [] });
    await expect(call({ name: "a".repeat(100_000) })).rejects.toThrow(/^Request headers too large: \d+ bytes/);
    expect(sent).toEqual([]);
  });

  test("refuse a secret that no header can hold, without a word of it", async () => {
    const { sent, call } = openHttpTool(of, { secrets: { TOKEN: "two\nlines-of-it" }, answers: [] });
    await expect(call()).rejects.toThrow(
      new ToolError("Request header refused: the value of authorization must be printable ASCII on one line."),
    );
    expect(sent).toEqual([]);
  });

  test.each([
    ["json", "application/json"],
    ["image", "image/*"],
    ["audio", "audio/*"],
  ] as const)("ask for what result %s needs", async (result, accept) => {
    const { sent, call } = openHttpTool(source({ result }), { answers: [] });
    await call().catch(() => undefined);
    expect(sent[0]?.headers).toEqual({ accept });
  });

  test("ask for what the record says instead", async () => {
    const { sent, call } = openHttpTool(source({ result: "json", headers: { Accept: "application/vnd.x+json" } }));
    await call().catch(() => undefined);
    expect(sent[0]?.headers).toEqual({ accept: "application/vnd.x+json" });
  });
});

const bodyFor = async (body: unknown, args: Record<string, unknown>) => {
  const sent = await sentBy(source({ method: "POST", body }), args);
  return { type: sent.headers["content-type"], body: sent.body };
};

const json = (body: string) => ({ type: "application/json", body });

describe("a JSON body", () => {
  test.each([
    [{ a: "{x}" }, { x: 'quote " and \\ and \n' }, '{"a":"quote \\" and \\\\ and \\n"}'],
    [{ a: "{x}" }, { x: { b: [1, null, true] } }, '{"a":{"b":[1,null,true]}}'],
    [{ a: "{x}" }, { x: null }, '{"a":null}'],
    [{ a: "{x}", b: 1 }, {}, '{"b":1}'],
    [{ a: "to {x}!" }, { x: 'Ann", "admin": true, "b": "' }, '{"a":"to Ann\\", \\"admin\\": true, \\"b\\": \\"!"}'],
    [{ a: "to {x}{y}!", b: 1 }, { x: 1 }, '{"b":1}'],
    [{ a: "{x}/{y}" }, { x: { b: 1 }, y: [1, 2] }, '{"a":"{\\"b\\":1}/1,2"}'],
    [["{x}", "{y}", 1, null], { y: false }, "[false,1,null]"],
    ["{x}", { x: [1] }, "[1]"],
    [{ a: { b: [{ c: "{x}" }] } }, { x: 1 }, '{"a":{"b":[{"c":1}]}}'],
    [{ q: "query {{ u(id: {x}) {{ n }} }}" }, { x: 1 }, '{"q":"query { u(id: 1) { n } }"}'],
    [{ a: "{x}" }, { x: "{y} {{secret:K}}", y: 1 }, '{"a":"{y} {{secret:K}}"}'],
    [JSON.parse('{"__proto__":{"a":"{x}"}}'), { x: 1 }, '{"__proto__":{"a":1}}'],
  ])("%j with %j", async (body, args, text) => {
    expect(await bodyFor(body, args)).toEqual(json(text));
  });

  test("is not sent when the argument that is all of it is absent", async () => {
    expect(await bodyFor("{x}", {})).toEqual({ type: undefined, body: undefined });
  });

  test("is sent under the JSON type that the record says", async () => {
    const headers = { "content-type": "application/merge-patch+json" };
    const sent = await sentBy(source({ method: "PATCH", headers, body: { a: "{x}" } }), { x: 1 });
    expect(sent).toEqual({ method: "PATCH", url: "https://api.example.com/", headers, body: '{"a":1}' });
  });
});

describe("a form", () => {
  test("holds scalars, and lists as repeated members", async () => {
    const body = { a: "{x}", list: "{list}", fixed: ["1", "{x}"], n: 2, gone: "{gone}", t: "n={n}" };
    const args = { x: "a&b=c", list: ["d", "e"], n: 1 };
    const sent = await sentBy(source({ method: "POST", headers: FORM, body }), args);
    expect(sent.headers).toEqual(FORM);
    expect(sent.body).toBe("a=a%26b%3Dc&list=d&list=e&fixed=1&fixed=a%26b%3Dc&n=2&t=n%3D1");
  });
});

describe("a text body", () => {
  test("holds arguments where they stand", async () => {
    const headers = { "content-type": "text/plain" };
    const sent = await sentBy(source({ method: "POST", headers, body: "Dear {who},\n{{x}}" }), { who: "Ann\n" });
    expect(sent.body).toBe("Dear Ann\n,\n{x}");
  });
});

describe("what arguments grow to", () => {
  const twice = source({ method: "POST", body: ["{x}", "{x}"] });
  const half = LIMITS.httpFilledChars / 2;

  test("may reach the limit", async () => {
    const { body } = await sentBy(twice, { x: "a".repeat(half) });
    expect(body).toHaveLength(LIMITS.httpFilledChars + 7);
  });

  test("may not pass it", async () => {
    const message = `The arguments are too long: together at most ${LIMITS.httpFilledChars} characters.`;
    await expectRefusal(twice, { x: "a".repeat(half + 1) }, message);
  });

  test("a template that names an argument a thousand times is no bomb", async () => {
    const of = source({ method: "POST", body: Array.from({ length: 1_000 }, () => "{x}{x}") });
    await expectRefusal(
      of,
      { x: ["a".repeat(100_000)] },
      `The arguments are too long: together at most ${LIMITS.httpFilledChars} characters.`,
    );
  });

  test("must fit into a URL", async () => {
    const { sent, call } = openHttpTool(source({ query: { q: "{q}" } }), { answers: [] });
    await expect(call({ q: "a".repeat(LIMITS.fetchUrlChars) })).rejects.toThrow(
      /the URL is longer than 8192 characters/,
    );
    expect(sent).toEqual([]);
  });
});

test("a source that was not checked does not compile", () => {
  expect(() => openHttpTool(source({ headers: { host: "x" } }))).toThrow("HTTP tool: headers.host: host can't be set");
  expect(() => openHttpTool(source({ url: "nowhere" }))).toThrow("HTTP tool: url: expected an absolute https URL");
});
