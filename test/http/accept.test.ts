import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { acceptanceOf } from "../../src/http/accept.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { errorOf, notification, openCaller, request, resultOf, type Caller } from "../support/app.ts";

const PING = request("ping");
const PONG = JSON.stringify(resultOf({}));
const asEvent = (body: string): string => `event: message\ndata: ${body}\n\n`;

async function read({ send }: Caller, body: unknown, accept: string | undefined) {
  const response = await send(body, { accept });
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
}

describe("a client gets what it can read", () => {
  it.each([
    undefined,
    "",
    " ",
    "*/*",
    "application/json",
    "Application/JSON",
    "application/json, text/event-stream",
    "text/event-stream, application/json",
    "text/event-stream,application/json",
    "text/event-stream;q=1, application/json;q=0.1",
    "application/*;q=0.5",
    "application/json; charset=utf-8",
    "text/html, application/xhtml+xml, */*;q=0.8",
    "text/event-stream, */*;q=0.1",
  ])("JSON for %j", async (accept) => {
    const caller = await openCaller();
    expect(await read(caller, PING, accept)).toEqual({ status: 200, type: "application/json", text: PONG });
  });

  it.each([
    "text/event-stream",
    "TEXT/EVENT-STREAM",
    "text/event-stream;q=0.1",
    "text/*",
    "text/html, text/event-stream",
    "application/json;q=0, text/event-stream",
    "application/json;q=0, */*",
    "application/*;q=0, text/event-stream",
  ])("one event for %j", async (accept) => {
    const caller = await openCaller();
    expect(await read(caller, PING, accept)).toEqual({ status: 200, type: "text/event-stream", text: asEvent(PONG) });
  });

  it.each([
    "text/html",
    "application/xml",
    "image/*",
    "*/*;q=0",
    "application/json;q=0",
    "json",
    "text/html;q=1, */*;q=0.0",
  ])("406 for %j", async (accept) => {
    const caller = await openCaller();
    const { status, type, text } = await read(caller, PING, accept);
    const message = "Not acceptable: Accept must allow application/json or text/event-stream";
    expect([status, type, JSON.parse(text)]).toEqual([406, "application/json", errorOf(-32600, null, message)]);
  });
});

const lines = defineTool({
  name: "lines",
  description: "Ends lines in every way there is.",
  input: v.object({}),
  sanitize: false,
  run: () => "a\n\nevent: message\ndata: {}\n\n\r\r\r\n\u0085\u2028\u2029\v\f\0z",
});

const LINES = String.raw`a\n\nevent: message\ndata: {}\n\n\r\r\r\n\u0085\u2028\u2029\u000b\f\u0000z`;

describe("an event", () => {
  it("is one data line, whatever its text", async () => {
    const caller = await openCaller([lines]);
    const { text } = await read(caller, request("tools/call", { name: "lines" }), "text/event-stream");
    const body = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"${LINES}"}]}}`;
    expect(text).toBe(asEvent(body));
  });

  it("is one data line, whatever the id and the method", async () => {
    const caller = await openCaller([]);
    const { text } = await read(caller, request("x\u2028\n\r", {}, "1\u0085\n\n\u2029"), "text/event-stream");
    // A carriage return alone would let a terminal write over what came before it.
    const error = String.raw`{"code":-32601,"message":"Method not found: x\u2028\n\n"}`;
    expect(text).toBe(asEvent(String.raw`{"jsonrpc":"2.0","id":"1\u0085\n\n\u2029","error":${error}}`));
  });

  it("carries a whole batch", async () => {
    const caller = await openCaller([]);
    const { text } = await read(caller, [PING, request("ping", {}, 2)], "text/event-stream");
    expect(text).toBe(asEvent(JSON.stringify([resultOf({}), resultOf({}, 2)])));
  });

  it("carries an error with its status", async () => {
    const caller = await openCaller([]);
    const { status, text } = await read(caller, "{", "text/event-stream");
    expect(status).toBe(400);
    expect(JSON.parse(text.replace(/^event: message\ndata: /, ""))).toEqual(errorOf(-32700, null));
  });

  it("is held back by no proxy and kept by no cache", async () => {
    const { send } = await openCaller([]);
    const { headers } = await send(PING, { accept: "text/event-stream" });
    expect([headers.get("x-accel-buffering"), headers.get("cache-control")]).toEqual([
      "no",
      expect.stringMatching(/no-store|no-cache/),
    ]);
  });

  it("is none where there is nothing to say", async () => {
    const caller = await openCaller([]);
    const answer = { status: 202, type: null, text: "" };
    expect(await read(caller, notification("notifications/initialized"), "text/event-stream")).toEqual(answer);
  });
});

it("lets no cache keep an answer", async () => {
  const { send } = await openCaller([]);
  const answers = [await send(PING), await send("{"), await send(notification("notifications/initialized"))];
  expect(answers.map(({ headers }) => headers.get("cache-control"))).toEqual(["no-store", "no-store", "no-store"]);
});

it.each([
  [LIMITS.acceptChars - 1, true],
  [LIMITS.acceptChars, true],
  [LIMITS.acceptChars + 1, false],
])("of %i characters is remembered: %s", (chars, isKept) => {
  const accept = "text/event-stream,".padEnd(chars, "x");
  const first = acceptanceOf(accept);
  expect(first).toEqual({ format: "sse", streams: true });
  expect(acceptanceOf(accept) === first).toBe(isKept);
});

it("is remembered of as many clients as there may be, the latest", () => {
  const [oldest, second] = ["text/html, */*;q=0.1", "text/html, */*;q=0.2"].map((accept) => acceptanceOf(accept));
  for (let n = 1; n < LIMITS.accepts; n++) acceptanceOf(`application/json;n=${n}`);
  expect(acceptanceOf("text/html, */*;q=0.2") === second).toBe(true);
  expect(acceptanceOf("text/html, */*;q=0.1") === oldest).toBe(false);
});
