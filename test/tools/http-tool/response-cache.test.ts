import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { ResponseCache } from "../../../src/tools/http-tool/response-cache.ts";
import type { HttpSource } from "../../../src/tools/tool-record.ts";
import { answer, openHttpTool, source, type UpstreamAnswer } from "../../support/http-tool.ts";

const plain = (body: string, headers: Record<string, string>) =>
  answer(body, { "content-type": "text/plain", ...headers });
const unchanged = (headers: HeadersInit = {}) => answer(null, headers, { status: 304 });

const MINUTE = { "cache-control": "max-age=60" };
const ETAG = { etag: '"1"' };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 11, 1) });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number): void => {
  vi.setSystemTime(Date.now() + ms);
};

/** A tool that reads `q`; `ask` answers with its text. */
function open(answers: UpstreamAnswer[], more: Partial<HttpSource> = {}, secrets: Record<string, string> = {}) {
  const tool = openHttpTool(source({ query: { q: "{q}" }, ...more }), { answers, secrets, cache: new ResponseCache() });
  const ask = async (args: Record<string, unknown> = {}, keyId?: string): Promise<string> => {
    const { content } = await tool.call(args, keyId);
    return content[0]?.type === "text" ? content[0].text : "";
  };
  return { ...tool, ask };
}

describe("an answer with max-age", () => {
  test("is given again until then without asking", async () => {
    const { ask, sent } = open([plain("one", MINUTE), plain("two", MINUTE)]);
    expect(await ask()).toBe("one");
    pass(59_999);
    expect([await ask(), sent.length]).toEqual(["one", 1]);
    pass(1);
    expect([await ask(), sent.length]).toEqual(["two", 2]);
  });

  test("is younger by what it has spent elsewhere", async () => {
    const { ask, sent } = open([plain("one", { ...MINUTE, age: "50" }), plain("two", {})]);
    await ask();
    pass(9_999);
    await ask();
    expect(sent).toHaveLength(1);
    pass(1);
    expect([await ask(), sent.length]).toEqual(["two", 2]);
  });

  test("is kept no longer than the limit", async () => {
    const { ask } = open([plain("one", { "cache-control": "public, max-age=99999999" }), plain("two", {})]);
    await ask();
    pass(LIMITS.httpCacheFreshMs - 1);
    expect(await ask()).toBe("one");
    pass(1);
    expect(await ask()).toBe("two");
  });
});

describe("an answer with a validator", () => {
  test("is given again when the upstream says that it still holds", async () => {
    const { ask, sent } = open([plain("one", ETAG), unchanged(), unchanged({ etag: '"2"' }), unchanged()]);
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual(["one", "one", "one", "one"]);
    expect(sent.map(({ headers }) => headers)).toEqual([
      {},
      { "if-none-match": '"1"' },
      { "if-none-match": '"1"' },
      { "if-none-match": '"2"' },
    ]);
  });

  test("makes room for a newer one", async () => {
    const lastModified = { "last-modified": "Tue, 01 Dec 2026 00:00:00 GMT" };
    const { ask, sent } = open([plain("one", lastModified), plain("two", ETAG), unchanged()]);
    expect([await ask(), await ask(), await ask()]).toEqual(["one", "two", "two"]);
    expect(sent[1]?.headers).toEqual({ "if-modified-since": lastModified["last-modified"] });
    expect(sent[2]?.headers).toEqual({ "if-none-match": '"1"' });
  });

  test("is fresh for as long as the 304 says", async () => {
    const { ask, sent } = open([plain("one", { ...ETAG, ...MINUTE, age: "60" }), unchanged(MINUTE)]);
    expect([await ask(), await ask(), await ask()]).toEqual(["one", "one", "one"]);
    expect(sent).toHaveLength(2);
  });

  test("is forgotten when the 304 says so", async () => {
    const gone = unchanged({ "cache-control": "no-store" });
    const { ask, sent } = open([plain("one", ETAG), gone, plain("two", {})]);
    expect([await ask(), await ask(), await ask()]).toEqual(["one", "one", "two"]);
    expect(sent[2]?.headers).toEqual({});
  });

  test("is asked for anew when the 304 is of where a redirect led", async () => {
    const away = answer(null, { location: "/other" }, { status: 302 });
    const { ask, sent } = open([plain("one", ETAG), away, unchanged(), plain("two", {})]);
    expect([await ask(), await ask()]).toEqual(["one", "two"]);
    expect(sent[3]?.headers).toEqual({});
  });

  test("is not given when the upstream fails: nothing stale is", async () => {
    const { ask } = open([plain("one", ETAG), answer(null, {}, { status: 500 })]);
    await ask();
    await expect(ask()).rejects.toThrow("The destination answered with status 500.");
  });
});

describe("an answer is asked for anew each time", () => {
  const large = "a".repeat(LIMITS.httpCacheEntryBytes + 1);

  test.each<[string, UpstreamAnswer]>([
    ["without a word on caching", plain("one", {})],
    ["with no-store", plain("one", { ...ETAG, "cache-control": "max-age=60, No-Store" })],
    ["with Vary: *", plain("one", { ...ETAG, ...MINUTE, vary: "accept, *" })],
    ["with a cookie", plain("one", { ...ETAG, ...MINUTE, "set-cookie": "a=b" })],
    ["with max-age=0", plain("one", { "cache-control": "max-age=0" })],
    ["with a max-age that is none", plain("one", { "cache-control": "max-age=1e9" })],
    ["with s-maxage, which is for shared caches", plain("one", { "cache-control": "s-maxage=60" })],
    ["with Expires alone", plain("one", { expires: "Wed, 02 Dec 2026 00:00:00 GMT" })],
    ["with an age that is none", plain("one", { ...MINUTE, age: "x" })],
    ["of too many bytes", plain(large, { ...ETAG, ...MINUTE })],
    ["with an ETag that is too long", plain("one", { etag: `"${"a".repeat(LIMITS.httpValidatorChars)}"` })],
    ["with another status", answer("one", { "content-type": "text/plain", ...ETAG, ...MINUTE }, { status: 203 })],
  ])("%s", async (_, first) => {
    const { ask, sent } = open([first, plain("two", {})]);
    await ask();
    expect([await ask(), sent[1]?.headers]).toEqual(["two", {}]);
  });

  test("after a redirect", async () => {
    const moved = answer(null, { location: "/other" }, { status: 301 });
    const { ask } = open([moved, plain("one", { ...ETAG, ...MINUTE }), plain("two", {})]);
    expect([await ask(), await ask()]).toEqual(["one", "two"]);
  });

  test.each(["Cache-Control", "Pragma", "If-None-Match", "Range"])("of a tool that sends %s", async (name) => {
    const { ask } = open([plain("one", { ...ETAG, ...MINUTE }), plain("two", {})], { headers: { [name]: "no-cache" } });
    expect([await ask(), await ask()]).toEqual(["one", "two"]);
  });

  test("of other methods", async () => {
    const { ask } = open([plain("one", { ...ETAG, ...MINUTE }), plain("two", {})], { method: "POST" });
    expect([await ask(), await ask()]).toEqual(["one", "two"]);
  });

  test("with no-cache, but under its validator", async () => {
    const { ask, sent } = open([plain("one", { ...ETAG, "cache-control": "max-age=60, no-cache" }), unchanged()]);
    expect([await ask(), await ask(), sent.length]).toEqual(["one", "one", 2]);
  });

  test("when it is the largest that is kept, not", async () => {
    const { ask, sent } = open([plain(large.slice(1), MINUTE)]);
    await ask();
    await ask();
    expect(sent).toHaveLength(1);
  });
});

const two = () => [plain("one", MINUTE), plain("two", MINUTE)];

describe("an answer is kept apart", () => {
  test("by key, even when the upstream calls it public", async () => {
    const { ask } = open([plain("one", { "cache-control": "public, max-age=60" }), plain("two", MINUTE)]);
    const answers = [await ask({}, "k1"), await ask({}, "k2"), await ask({}, "k1"), await ask({}, "k2")];
    expect(answers).toEqual(["one", "two", "one", "two"]);
  });

  test("by argument in the URL", async () => {
    const { ask } = open(two());
    expect([await ask({ q: "a" }), await ask({ q: "b" }), await ask({ q: "a" })]).toEqual(["one", "two", "one"]);
  });

  test("by argument in a header, so that any Vary is kept", async () => {
    const vary = { ...MINUTE, vary: "accept-language" };
    const { ask } = open([plain("one", vary), plain("two", vary)], { headers: { "accept-language": "{lang}" } });
    const answers = [await ask({ lang: "de" }), await ask({ lang: "fr" }), await ask({ lang: "de" })];
    expect(answers).toEqual(["one", "two", "one"]);
  });

  test("by secret", async () => {
    const secrets = { TOKEN: "first-token" };
    const { ask } = open(two(), { headers: { authorization: "Bearer {{secret:TOKEN}}" } }, secrets);
    const before = [await ask(), await ask()];
    secrets.TOKEN = "second-token";
    expect([...before, await ask()]).toEqual(["one", "one", "two"]);
  });
});

test("no more answers are kept than the limit", async () => {
  const answers = Array.from({ length: LIMITS.httpCacheEntries + 2 }, (_, at) => plain(String(at), MINUTE));
  const { ask, sent } = open(answers);
  for (let q = 0; q <= LIMITS.httpCacheEntries; q++) await ask({ q });
  expect(await ask({ q: 1 })).toBe("1");
  expect(sent).toHaveLength(LIMITS.httpCacheEntries + 1);
  expect(await ask({ q: 0 })).toBe(String(LIMITS.httpCacheEntries + 1));
});
