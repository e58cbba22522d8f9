import { describe, expect, test, vi } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { ToolError } from "../../../src/tools/tool-error.ts";
import type { ResultKind } from "../../../src/tools/http-tool/read-answer.ts";
import type { HttpSource } from "../../../src/tools/tool-record.ts";
import { answer, openHttpTool, source, type UpstreamAnswer } from "../../support/http-tool.ts";

const TOKEN = "t0ken/t0ken";
const SOURCE = source({ url: "https://api.example.com/things/{id}", query: { q: "{q}", key: "{{secret:TOKEN}}" } });

const resultOf = (upstream: UpstreamAnswer, more: Partial<HttpSource> = {}) =>
  openHttpTool({ ...SOURCE, ...more }, { answers: [upstream], secrets: { TOKEN } }).call({ id: "7", q: "a b" });

const bytes = (...values: number[]) => new Uint8Array(values);
const content = (type: string): HeadersInit => (type === "" ? {} : { "content-type": type });
/** A body of which nothing says what it is. */
const bytesOf = (value: string): BodyInit => new TextEncoder().encode(value);
const text = (value: string) => ({ content: [{ type: "text", text: value }] });
const json = (value: unknown) => ({ ...text(JSON.stringify(value)), structuredContent: value });
const resource = (more: object) => ({
  content: [{ type: "resource", resource: { uri: "https://api.example.com/things/7?q=a+b", ...more } }],
});

const PNG = bytes(0x89, 0x50, 0x4e, 0x47);

describe("without a word of the record, the content type decides", () => {
  test.each<[string, BodyInit, object]>([
    ["application/json", '{"a":[1]}', json({ a: [1] })],
    ["application/problem+json; charset=utf-8", "[1]", json([1])],
    ["text/plain", "hé", text("hé")],
    ["text/plain; charset=iso-8859-1", bytes(0x68, 0xe9), text("hé")],
    ["text/plain; charset=nonsense", "hé", text("hé")],
    ["text/html", "<p>", text("<p>")],
    ["application/xml", "<a/>", text("<a/>")],
    ["image/svg+xml", "<svg/>", text("<svg/>")],
    ["image/png", PNG, { content: [{ type: "image", data: "iVBORw==", mimeType: "image/png" }] }],
    ["Audio/MPEG; x=1", PNG, { content: [{ type: "audio", data: "iVBORw==", mimeType: "audio/mpeg" }] }],
    ["application/pdf", PNG, resource({ mimeType: "application/pdf", blob: "iVBORw==" })],
    ["application/octet-stream", "text", text("text")],
    ["application/octet-stream", PNG, resource({ mimeType: "application/octet-stream", blob: "iVBORw==" })],
    ["", "text", text("text")],
    ["", bytes(0x61, 0), resource({ blob: "YQA=" })],
    ["nonsense", bytes(0xff), resource({ blob: "/w==" })],
  ])("%s", async (type, body, result) => {
    expect(await resultOf(answer(body, content(type)))).toEqual(result);
  });
});

const numbers = (members: number): string => JSON.stringify(Array.from({ length: members }, () => 0));

describe("the record decides", () => {
  test.each<[ResultKind, string, BodyInit, object]>([
    ["text", "application/json", '{"a":1}', text('{"a":1}')],
    ["json", "text/plain", '{"a":1}', json({ a: 1 })],
    ["json", "", "null", json(null)],
    ["image", "image/svg+xml", "<svg/>", { content: [{ type: "image", data: "PHN2Zy8+", mimeType: "image/svg+xml" }] }],
    ["resource", "text/csv", "a,b", resource({ mimeType: "text/csv", text: "a,b" })],
    ["resource", "image/png", PNG, resource({ mimeType: "image/png", blob: "iVBORw==" })],
  ])("%s of %s", async (result, type, body, expected) => {
    expect(await resultOf(answer(body, content(type)), { result })).toEqual(expected);
  });

  const tooDeep = "[".repeat(LIMITS.jsonDepth + 1) + "]".repeat(LIMITS.jsonDepth + 1);
  test.each<[ResultKind, string, BodyInit, string]>([
    ["text", "image/png", PNG, "The destination answered with image/png, expected text."],
    ["text", "", PNG, "The destination answered with no stated type, expected text."],
    ["json", "text/html", "<p>", "The destination answered with text/html, expected JSON."],
    ["json", "image/png", "1", "The destination answered with image/png, expected JSON."],
    ["json", "application/json", "{", "The destination answered with JSON that can't be parsed."],
    [
      "json",
      "application/json",
      tooDeep,
      "The destination answered with JSON that is too much: nesting too deep: at most 64 levels.",
    ],
    [
      "json",
      "application/json",
      numbers(LIMITS.httpJsonMembers + 1),
      "The destination answered with JSON that is too much: too many members: at most 100000.",
    ],
    ["image", "audio/mpeg", PNG, "The destination answered with audio/mpeg, expected image."],
    ["audio", "text/plain", "a", "The destination answered with text/plain, expected audio."],
    ["image", "", PNG, "The destination answered with no stated type, expected image."],
  ])("%s is not %s", async (result, type, body, message) => {
    await expect(resultOf(answer(body, content(type)), { result })).rejects.toThrow(new ToolError(message));
  });

  test("JSON may be as large as its limit", async () => {
    const { structuredContent } = await resultOf(answer(numbers(LIMITS.httpJsonMembers), content("application/json")));
    expect(structuredContent).toHaveLength(LIMITS.httpJsonMembers);
  });
});

describe("answers without content", () => {
  test("are no failure", async () => {
    const empty = answer(null, {}, { status: 204 });
    expect(await resultOf(empty)).toEqual(text("Done: status 204, no content."));
    expect(await resultOf(empty, { result: "image" })).toEqual(text("Done: status 204, no content."));
    expect(await resultOf(empty, { result: "json" })).toEqual({
      ...text("Done: status 204, no content."),
      structuredContent: null,
    });
  });

  test("tell what HEAD asks for", async () => {
    const headers = { "content-type": "text/plain", etag: '"1"', "content-length": "7", "set-cookie": "a=b" };
    expect(await resultOf(answer(null, headers), { method: "HEAD" })).toEqual(
      text('status: 200\ncontent-type: text/plain\ncontent-length: 7\netag: "1"'),
    );
  });
});

const failure = async (body: BodyInit | null, headers: HeadersInit, status: number, statusText = "") => {
  const error: unknown = await resultOf(answer(body, headers, { status, statusText }), { method: "POST" }).catch(
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(ToolError);
  return (error as ToolError).message;
};

describe("errors of the upstream", () => {
  test.each<[BodyInit | null, HeadersInit, number, string, string]>([
    [null, {}, 404, "Not Found", "The destination answered with status 404 Not Found."],
    [null, {}, 500, "", "The destination answered with status 500."],
    [
      '{"error":\n "no such\\u0007 id"}',
      content("application/json"),
      400,
      "",
      'The destination answered with status 400. It said: {"error": "no such\\u0007 id"}',
    ],
    [
      "a\u0000b\u001b[2J\r\n\u202ec",
      content("text/plain"),
      422,
      "",
      "The destination answered with status 422. It said: ab c",
    ],
    [bytesOf("no such user"), content(""), 404, "", "The destination answered with status 404. It said: no such user"],
    [
      "no such user",
      content("application/octet-stream"),
      404,
      "",
      "The destination answered with status 404. It said: no such user",
    ],
    [bytesOf("<html>secret stack"), content(""), 502, "", "The destination answered with status 502."],
    [new Uint8Array([0xff, 0xfe, 0]), content(""), 500, "", "The destination answered with status 500."],
    ["<html>secret stack", content("text/html"), 502, "", "The destination answered with status 502."],
    [PNG, content("image/png"), 418, "", "The destination answered with status 418."],
    [
      "slow down",
      { ...content("text/plain"), "retry-after": "7" },
      429,
      "",
      "The destination answered with status 429. Retry after 7 s. It said: slow down",
    ],
    ["odd", content("text/plain"), 302, "", "The destination answered with status 302. It said: odd"],
    [
      null,
      { "x-internal": "10.0.0.1" },
      403,
      "x".repeat(65),
      `The destination answered with status 403 ${"x".repeat(64)}.`,
    ],
  ])("%j with %j and status %i", async (body, headers, status, statusText, message) => {
    expect(await failure(body, headers, status, statusText)).toBe(message);
  });

  test("are cut at the limit, not between the halves of a character", async () => {
    const head = "The destination answered with status 400. It said: ";
    const plain = content("text/plain");
    expect(await failure("a".repeat(500), plain, 400)).toBe(head + "a".repeat(500));
    expect(await failure("a".repeat(501), plain, 400)).toBe(`${head}${"a".repeat(500)}…`);
    expect(await failure(`${"a".repeat(499)}😀`, plain, 400)).toBe(`${head}${"a".repeat(499)}…`);
  });
});

describe("secrets", () => {
  const FORMS = [TOKEN, encodeURIComponent(TOKEN), btoa(TOKEN), btoa(`user:${TOKEN}`)];

  const expectGone = (told: string): void => {
    expect(told).toContain("[redacted]");
    for (const form of [TOKEN, encodeURIComponent(TOKEN), btoa(TOKEN), btoa(TOKEN).slice(4, 12)]) {
      expect(told).not.toContain(form);
    }
  };

  test.each<[ResultKind, (form: string) => UpstreamAnswer]>([
    ["text", (form) => answer(`you sent ${form}!`, content("text/plain"))],
    ["json", (form) => answer(JSON.stringify({ [form]: [form] }), content("application/json"))],
    ["json", (form) => answer(`{"a":"${form.replace("0", "\\u0030")}"}`, content("application/json"))],
    ["resource", (form) => answer(form, content("text/csv"))],
  ])("are not told by %s", async (result, upstream) => {
    for (const form of FORMS) expectGone(JSON.stringify(await resultOf(upstream(form), { result })));
  });

  test.each([
    ["whole", TOKEN],
    ["with control characters in it", `t0ken\u0000/t0ken`],
    ["with colours in it", [...TOKEN].join("\u001b[0m")],
    ["with grapheme joiners in it", [...TOKEN].join("\u034f")],
    ["with variation selectors in it", [...TOKEN].join("\ufe0f")],
    ["over the cut", `${"a".repeat(495)}${TOKEN}`],
    ["encoded", encodeURIComponent(TOKEN)],
  ])("are not told by an error that has one %s", async (_, body) => {
    const upstream = answer(body, content("text/plain"), { status: 400 });
    const error: unknown = await resultOf(upstream).catch((error: unknown) => error);
    const message = (error as ToolError).message;
    expect(message).toMatch(/\[reda/);
    expect(message).not.toContain("t0ken");
  });

  test.each<[string, UpstreamAnswer, Partial<HttpSource>, unknown]>([
    ["a type of bytes", answer(PNG, content("image/T0ken-Of-Type")), {}, resource({ blob: "iVBORw==" })],
    ["a type of text", answer("a", content("text/x.t0ken-of-type")), {}, text("a")],
    ["a type of what else", answer(PNG, content("application/x-T0ken-OF-Type")), {}, resource({ blob: "iVBORw==" })],
    ["a type in lower case", answer(PNG, content("image/t0ken-of-type")), {}, resource({ blob: "iVBORw==" })],
    [
      "HEAD",
      answer(null, content(`a/${"b".repeat(LIMITS.httpErrorChars - 5)}T0ken-Of-Type`)),
      { method: "HEAD" },
      text(`status: 200\ncontent-type: a/${"b".repeat(LIMITS.httpErrorChars - 5)}[re`),
    ],
  ])("are not told by %s", async (_, upstream, more, expected) => {
    const { call } = openHttpTool({ ...SOURCE, ...more }, { answers: [upstream], secrets: { TOKEN: "T0ken-Of-Type" } });
    expect(await call({ id: "7", q: "a b" })).toEqual(expected);
  });

  test("are not told by an error about a type", async () => {
    const upstream = answer(PNG, content("image/T0ken-Of-Type"));
    const { call } = openHttpTool(
      { ...SOURCE, result: "json" },
      { answers: [upstream], secrets: { TOKEN: "T0ken-Of-Type" } },
    );
    await expect(call({ id: "7", q: "a b" })).rejects.toThrow(
      new ToolError("The destination answered with no stated type, expected JSON."),
    );
  });

  test("are not told by numbers of JSON", async () => {
    const upstream = answer('{"pin":48213377,"n":[48213378]}', content("application/json"));
    const { call } = openHttpTool(SOURCE, { answers: [upstream], secrets: { TOKEN: "48213377" } });
    expect(await call({ id: "7", q: "a b" })).toEqual(json({ pin: "[redacted]", n: [48213378] }));
  });

  test("are not told by a time to wait", async () => {
    const upstream = answer(null, { "retry-after": "48213377" }, { status: 429 });
    const { call } = openHttpTool(
      { ...SOURCE, method: "POST" },
      { answers: [upstream], secrets: { TOKEN: "48213377" } },
    );
    await expect(call({ id: "7", q: "a b" })).rejects.toThrow(
      new ToolError("The destination answered with status 429. Retry after [redacted] s."),
    );
  });

  test("are not told by a reason phrase", async () => {
    await expect(resultOf(answer(null, {}, { status: 400, statusText: TOKEN }))).rejects.toThrow(
      new ToolError("The destination answered with status 400 [redacted]."),
    );
  });

  test.each(["image/png", "application/pdf"])("in bytes withhold the answer: %s", async (type) => {
    const body = new Uint8Array([0, 0xff, ...new TextEncoder().encode(TOKEN), 0xff]);
    await expect(resultOf(answer(body, content(type)))).rejects.toThrow(
      new ToolError("The answer holds a secret of this tool's and is withheld."),
    );
  });

  test("that are not there end the call before anything is sent, and the model is not told which", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { sent, call } = openHttpTool(SOURCE, { answers: [] });
    await expect(call({ id: "1" })).rejects.toThrow(
      new ToolError("This tool can't be used now: a secret that it needs is not available. Tell its operator."),
    );
    expect(sent).toEqual([]);
    expect(log.mock.calls).toEqual([[expect.stringContaining('"secret":"TOKEN"')]]);
    log.mockRestore();
  });

  test("are not in what is logged of an unforeseen failure", async () => {
    const { call } = openHttpTool(source({ headers: { a: "{{secret:TOKEN}}" } }), {
      secrets: { TOKEN },
      pause: () => Promise.reject(new TypeError(`broke on ${TOKEN}`)),
      answers: [answer(null, {}, { status: 503 })],
    });
    const error: unknown = await call().catch((error: unknown) => error);
    expect(error).not.toBeInstanceOf(ToolError);
    expect(`${String(error)} ${(error as Error).stack}`).toMatch(
      /^Error: TypeError: broke on \[redacted\] (?!.*t0ken)/s,
    );
  });
});
