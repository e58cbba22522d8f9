import { describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { brokenStream, errorOf, openCaller, request, resultOf, unreadStream } from "../../support/app.ts";

const PING = JSON.stringify(request("ping"));
const PONG = { status: 200, body: resultOf({}) };

const refused = (status: number, reason: string) => ({
  status,
  body: errorOf(-32600, null, `Invalid request: ${reason}`),
});
const TOO_LONG = refused(413, "the body is longer than 1048576 bytes");

const parseError = (reason: string) => ({ status: 400, body: errorOf(-32700, null, `Parse error: ${reason}`) });

const encode = (text = ""): Uint8Array => new TextEncoder().encode(text);

/** A stream of `size` bytes that hold the text and spaces after it; `read` says how many were asked for. */
function streamOf(text: string, size: number, chunkBytes = 65_536) {
  const progress = { read: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const chunk = new Uint8Array(Math.min(chunkBytes, size - progress.read)).fill(0x20);
        if (progress.read === 0) new TextEncoder().encodeInto(text, chunk);
        progress.read += chunk.byteLength;
        controller.enqueue(chunk);
        if (progress.read === size) controller.close();
      },
      cancel: () => {
        progress.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, progress };
}

it("a body that breaks off is refused, and is no failure of the server's", async () => {
  const logged = vi.spyOn(console, "error");
  const { post } = await openCaller();
  expect(await post(brokenStream('{"jsonrpc"'))).toEqual(refused(400, "the body broke off"));
  expect(logged.mock.calls).toEqual([]);
  logged.mockRestore();
});

describe("Content-Type", () => {
  it.each([
    "application/json",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    "Application/JSON",
    "application/json ; charset=utf-8",
  ])("may be %j", async (type) => {
    const { post } = await openCaller();
    expect(await post(PING, { "content-type": type })).toEqual(PONG);
  });

  it.each([
    undefined,
    "",
    "text/plain",
    "application/jsonp",
    "application/x-www-form-urlencoded",
    "text/json, application/json",
  ])("must not be %j, and the body is not read", async (type) => {
    const { post } = await openCaller();
    const answer = refused(415, "Content-Type must be application/json");
    expect(await post(unreadStream(), { "content-type": type })).toEqual(answer);
  });
});

describe("Content-Encoding", () => {
  it("may be identity", async () => {
    const { post } = await openCaller();
    expect(await post(PING, { "content-encoding": "identity" })).toEqual(PONG);
    // RFC 9110 8.4.1: codings are case-insensitive.
    expect(await post(PING, { "content-encoding": "Identity" })).toEqual(PONG);
  });

  it.each(["gzip", "br", "deflate", "identity, gzip"])("must not be %s, and the body is not read", async (encoding) => {
    const { post } = await openCaller();
    const answer = refused(415, "Content-Encoding is not supported: send the body as it is");
    expect(await post(unreadStream(), { "content-encoding": encoding })).toEqual(answer);
  });
});

describe("the body's length", () => {
  it.each([LIMITS.bodyBytes - 1, LIMITS.bodyBytes])("may be %i bytes, announced or not", async (size) => {
    const { post } = await openCaller();
    expect(await post(PING.padEnd(size), { "content-length": String(size) })).toEqual(PONG);
    expect(await post(streamOf(PING, size).body)).toEqual(PONG);
  });

  it.each([LIMITS.bodyBytes + 1, 20_000_000])("announced as %i bytes is refused with nothing read", async (size) => {
    const { post } = await openCaller();
    expect(await post(unreadStream(), { "content-length": String(size) })).toEqual(TOO_LONG);
  });

  it("is refused one byte past the limit", async () => {
    const { post } = await openCaller();
    expect(await post(streamOf(PING, LIMITS.bodyBytes + 1).body)).toEqual(TOO_LONG);
    expect(await post(PING.padEnd(LIMITS.bodyBytes + 1))).toEqual(TOO_LONG);
  });

  it("is counted in bytes, not characters", async () => {
    const { post } = await openCaller();
    const text = JSON.stringify(request("ping", { text: "é".repeat(LIMITS.bodyBytes / 2) }));
    expect(await post(text)).toEqual(TOO_LONG);
  });

  // One that was announced ends there: the runtime frames it by that.
  it("without end is read no further than the limit, unless its length was announced", async () => {
    const { post } = await openCaller();
    for (const headers of [{}, { "content-length": "many" }]) {
      const { body, progress } = streamOf(PING, 20_000_000);
      expect(await post(body, headers)).toEqual(TOO_LONG);
      expect(progress.read).toBeLessThanOrEqual(LIMITS.bodyBytes + 2 * 65_536);
      expect(progress.cancelled).toBe(true);
    }
  });

  it("in pieces of one byte is one text", async () => {
    const { post } = await openCaller();
    const bytes = new TextEncoder().encode(JSON.stringify(request("ping", {}, "grüße 🙂"))).values();
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const { value, done } = bytes.next();
        if (done) controller.close();
        else controller.enqueue(new Uint8Array([value]));
      },
    });
    expect(await post(body)).toEqual({ status: 200, body: resultOf({}, "grüße 🙂") });
  });
});

describe("what is no JSON", () => {
  it.each([
    "",
    " ",
    "{",
    "ping",
    '{"jsonrpc":"2.0",}',
    "{'a':1}",
    "\u00a0{}",
    `${PING}${PING}`,
    `${PING}\n${PING}`,
    "NaN",
  ])("%j", async (text) => {
    const { post } = await openCaller();
    expect(await post(text)).toEqual(parseError("expected one JSON-RPC message"));
  });

  it.each([
    ["a lone continuation byte", [0x80]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["Latin-1", [0xe9]],
  ])("%s, which is no UTF-8", async (_, bytes) => {
    const { post } = await openCaller();
    const [before, after] = JSON.stringify(request("ping", {}, "·")).split("·");
    const body = new Uint8Array([...encode(before), ...bytes, ...encode(after)]);
    expect(await post(body)).toEqual(parseError("the body must be UTF-8"));
  });

  it("but a byte order mark before it is", async () => {
    const { post } = await openCaller();
    expect(await post(`\ufeff${PING}`)).toEqual(PONG);
  });
});

/** A ping whose message is nested `levels` deep: the message and its params are the first two. */
const nested = (levels: number, open: string, close: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${open.repeat(levels - 2)}1${close.repeat(levels - 2)}}}`;

describe("nesting", () => {
  const tooDeep = refused(400, "nesting too deep: at most 64 levels");

  it.each([
    ["[", "]"],
    ['{"a":', "}"],
  ])("of %s may be 64 levels and no more", async (open, close) => {
    const { post } = await openCaller();
    expect(await post(nested(LIMITS.jsonDepth, open, close))).toEqual(PONG);
    expect(await post(nested(LIMITS.jsonDepth + 1, open, close))).toEqual(tooDeep);
  });

  it.each([66, 50_000, 500_000])("of %i levels is refused", async (levels) => {
    const { post } = await openCaller();
    expect(await post(nested(levels, "[", "]"))).toEqual(tooDeep);
  });
});

const withArray = (length: number) => request("ping", { a: Array.from({ length }, () => 0) });

const withObject = (count: number) =>
  request("ping", { a: Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i])) });

describe("members", () => {
  const tooMany = refused(400, "too many members: at most 10000");
  // The message has four members and its params one.
  const SPARE = LIMITS.jsonMembers - 5;

  it("of an array are counted with all others, to the limit and no further", async () => {
    const { post } = await openCaller();
    expect(await post(withArray(SPARE))).toEqual(PONG);
    expect(await post(withArray(SPARE + 1))).toEqual(tooMany);
  });

  it("of an object are counted with all others, to the limit and no further", async () => {
    const { post } = await openCaller();
    expect(await post(withObject(SPARE))).toEqual(PONG);
    expect(await post(withObject(SPARE + 1))).toEqual(tooMany);
  });

  it("of a batch are counted, too", async () => {
    const { post } = await openCaller();
    expect(await post(Array.from({ length: 2_501 }, () => request("ping")))).toEqual(tooMany);
  });
});
