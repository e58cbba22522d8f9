import { describe, expect, test } from "vitest";
import { fetchPage } from "../../../src/tools/builtin/fetch-page.ts";
import type { EgressResponse } from "../../../src/tools/context.ts";
import { ToolError } from "../../../src/tools/tool-error.ts";
import { callTool } from "../../support/tool-context.ts";

const PAGE_URL = "https://example.com/a";

interface Served {
  body?: string | Uint8Array<ArrayBuffer>;
  type?: string;
  status?: number;
  url?: string;
}

const serve =
  ({ body = "", type = "text/html; charset=utf-8", status = 200, url = PAGE_URL }: Served) =>
  (): Promise<EgressResponse> => {
    const bytes = new Uint8Array(typeof body === "string" ? new TextEncoder().encode(body) : body);
    const headers = new Headers(type === "" ? {} : { "content-type": type });
    return Promise.resolve({ url, status, statusText: "", headers, bytes });
  };

const read = (served: Served, args: Record<string, unknown> = {}) =>
  callTool(fetchPage, { url: PAGE_URL, ...args }, { fetch: serve(served) });

async function textOf(served: Served, args: Record<string, unknown> = {}): Promise<string> {
  const [page] = (await read(served, args)).content;
  return page?.type === "resource" && "text" in page.resource ? page.resource.text : "";
}

const bytes = (...parts: (string | Uint8Array)[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(parts.flatMap((part) => [...(typeof part === "string" ? new TextEncoder().encode(part) : part)]));

const last = async (body: string, maxChars: number) => {
  const { content } = await read({ body, type: "text/plain" }, { maxChars });
  const [page] = content;
  const text = page?.type === "resource" && "text" in page.resource ? page.resource.text : "";
  return { text, notes: content.slice(2) };
};

test("gives the page as a resource and a link to where it was found", async () => {
  const body = "<!doctype html><title>Hello &amp; co</title><body><p>One<p>Two";
  const asked: unknown[] = [];
  const url = "https://example.com/final?q=1#x";
  const result = await callTool(
    fetchPage,
    { url: PAGE_URL },
    {
      fetch: (...args) => {
        asked.push(args);
        return serve({ body, url })();
      },
    },
  );
  const accept = "text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, application/xml;q=0.8";
  expect(asked).toEqual([[PAGE_URL, { headers: { accept } }]]);
  expect(result).toEqual({
    content: [
      { type: "resource", resource: { uri: url, mimeType: "text/plain", text: "Hello & co\n\nOne\n\nTwo" } },
      { type: "resource_link", uri: url, name: "example.com/final", title: "Hello & co", size: body.length },
    ],
  });
});

/** What a page says, and how much of it was left out because no reader sees it. */
async function readShown(body: string): Promise<[string, number]> {
  let hidden = 0;
  const ctx = { fetch: serve({ body }), noteRemoved: (elements: number) => void (hidden += elements) };
  const [page] = (await callTool(fetchPage, { url: PAGE_URL }, ctx)).content;
  return [page?.type === "resource" && "text" in page.resource ? page.resource.text : "", hidden];
}

describe("what no reader of a page sees is left out, and counted", () => {
  test.each<[string, string, string, number]>([
    ["an element that is hidden", "a<p hidden>x <b>y</b></p>b", "ab", 1],
    ["hidden in other words", 'a<p HIDDEN="">x</p><p hidden="until-found">x</p><p hidden=false>x</p>b', "ab", 3],
    ["hidden from readers' tools", 'a<i aria-hidden="true">x</i><i aria-hidden=TRUE>x</i>b', "ab", 2],
    ["not hidden from them", 'a<i aria-hidden="false">x</i><i aria-hidden>y</i>b', "axyb", 0],
    ["display", 'a<p style="display:none">x</p>b', "ab", 1],
    ["display, written as browsers read it", "a<p style='COLOR:red;Display : NONE !important ;'>x</p>b", "ab", 1],
    ["display in references", 'a<p style="display&#58;&#x6e;one">x</p>b', "ab", 1],
    ["display in escapes and comments", String.raw`a<p style="d\69 splay/**/:/* : */no\6e e">x</p>b`, "ab", 1],
    ["display that is taken back with something invalid", 'a<p style="display:none;display:nope">x</p>b', "ab", 1],
    ["visibility", 'a<i style="visibility:hidden">x</i><i style="visibility:collapse">x</i>b', "ab", 2],
    ["content-visibility", 'a<i style="content-visibility:hidden">x</i>b', "ab", 1],
    ["opacity", 'a<i style="opacity:0">x</i><i style="opacity:.09">x</i><i style="opacity:9%">x</i>b', "ab", 3],
    ["an opacity below all", 'a<i style="opacity:-1">x</i>b', "ab", 1],
    [
      "font-size",
      'a<i style="font-size:0">x</i><i style="font-size:0.0em">x</i><i style="font-size:1px">x</i>b',
      "ab",
      3,
    ],
    ["font", 'a<i style="font:0/0 a">x</i><i style="font:bold 0px serif">x</i>b', "ab", 2],
    ["lists of proposals", "a<datalist><option>x</option></datalist>b", "ab", 1],
    ["templates and noscript", "a<template><p>x<template>y</template></p></template><noscript>x</noscript>b", "ab", 2],
    ["frames", "a<noframes>x</noframes><iframe>x</iframe><noembed>x</noembed>b", "ab", 3],
    ["what stands in for pictures", "a<canvas>x</canvas><video>x</video><audio>x</audio>b", "ab", 3],
    ["dialogs that are closed", "a<dialog>x</dialog>b", "ab", 1],
    ["comments", "a<!-- x --><!---->b<!-- y", "ab", 3],
    ["a hidden element that is never closed", "a<div><p hidden>x</div>b", "a\nb", 1],
    ["all in one", 'a<p hidden style="display:none" aria-hidden="true">x</p>b', "ab", 1],
  ])("%s", async (_, body, text, hidden) => {
    expect(await readShown(body)).toEqual([text, hidden]);
  });

  test.each<[string, string, string]>([
    [
      "styles that hide nothing",
      'a<i style="display:block;opacity:0.5;font-size:10px;visibility:visible">b</i>c',
      "abc",
    ],
    [
      "names and values that look alike",
      'a<i style="x-display:none;display:none-such;opacity:1;font:10px a">b</i>c',
      "abc",
    ],
    [
      "a font of tenths",
      'a<i style="font-size:0.8em">b</i><i style="font:.8em a">c</i><i style="font:10px a">d</i>',
      "abcd",
    ],
    ["dialogs that are open", "a<dialog open>b</dialog>c", "a\nb\nc"],
    // One click away, and what many pages keep their answers in.
    ["details, closed or not", "<details><summary>a</summary>b</details><details open>c</details>", "a\nb\nc"],
    [
      "a page that shows itself once its script has run",
      '<html style="opacity:0"><body hidden style="display:none">a',
      "a",
    ],
    ["scripts and styles, which are no text", "a<script>x</script><style>y</style>b", "ab"],
  ])("but not %s", async (_, body, text) => {
    expect(await readShown(body)).toEqual([text, 0]);
  });
});

const nested = (depth: number): Served => ({ body: `${"<div>".repeat(depth)}deep` });

describe("text of HTML", () => {
  test.each([
    ["markup", "<p>Hello <b>bold</b><i>er</i> <a href=x>link</a>.</p>", "Hello bolder link."],
    ["white space", "  <p>\n a \n\t b\r\n</p>\n\n c ", "a b\n\nc"],
    ["blocks", "<h1>T</h1><div>a<div>b</div>c</div>d", "T\n\na\nb\nc\nd"],
    ["line breaks", "a<br>b<br/>c<hr>d", "a\nb\nc\nd"],
    ["lists", "<ul><li>a<li>b</ul>c", "a\nb\nc"],
    ["tables", "<table><tr><td>a</td><td>b</td></tr><tr><th>c<th>d</table>", "a b\nc d"],
    ["scripts", "a<script>if (1 < 2) document.write('<p>x</p>')</script>b<style>p{}</style>c", "abc"],
    [
      "noscript and templates",
      "a<noscript><p>x</p></noscript>b<template><p>y<template>z</template></p></template>c",
      "abc",
    ],
    ["a script never closed", "a<script>b <p> c", "a"],
    ["comments", "a<!-- <p>x</p> -->b<![CDATA[c]]>d", "abd"],
    ["stray end tags", "a</b></script></>b</ x>c</div>d", "abc\nd"],
    ["a self-closing style in SVG", "a<svg><style/><text>b</text></svg>c", "abc"],
    ["the title of an SVG", "a<svg><title>t</title></svg>b", "t\n\nab"],
    ["attributes that look like tags", `a<i title="<p>x</p>" b='>' c=d>b</i><i it's>c</i>`, "abc"],
    ["bare less-than signs", "1 < 2 <3 <<<b>x</b> a<", "1 < 2 <3 <<x a<"],
    ["a tag never closed", "a<p title='", "a"],
    ["a comment never closed", "a<!-- <p>b", "a"],
    ["upper case", "<P>a</P><SCRIPT>x</SCRIPT><BR>b", "a\n\nb"],
    ["the title comes once", "<title>T</title>a<svg><title>t</title></svg>b", "T\n\nab"],
    ["breaks pile up to one empty line", "a<br><br><br><p></p><div><p>b</p></div>", "a\n\nb"],
    ["emphasis inside words", "a<b> b </b>c <i>d</i>", "a b c d"],
    ["preformatted text", "a <pre>  x\n    y  z\n</pre> b", "a\n\n  x\n    y  z\n\nb"],
    ["named references", "&lt;p&gt; &amp;amp; &quot;&apos;&eacute;&Uuml;&euro;&mdash;&hellip;", "<p> &amp; \"'éÜ€—…"],
    ["numeric references", "&#65;&#x42;&#x1F642;&#150;&#0;&#xD800;&#x110000;", "AB🙂–\uFFFD\uFFFD\uFFFD"],
    ["references that don't exist", "&nope; &constructor; &; & &#; &amp", "&nope; &constructor; &; & &#; &"],
    ["nothing", "", ""],
  ])("%s", async (_, body, expected) => {
    expect(await textOf({ body })).toBe(expected);
  });

  test("is the same wherever the parser cuts its input", async () => {
    const cell = "<td>a&eacute;b<style>x</style></td>";
    const text = await textOf({ body: cell.repeat(20_000) }, { maxChars: 200_000 });
    expect(text).toBe(Array(20_000).fill("aéb").join(" "));
  });

  test("deep nesting is read, and beyond the parser's memory refused", async () => {
    expect(await textOf(nested(1_000))).toBe("deep");
    await expect(textOf(nested(200_000))).rejects.toThrow(
      new ToolError('The page\'s markup is too complex to be read as text: ask for format "html".'),
    );
  });

  // A tag of a hundred thousand attributes is more than the parser's memory holds.
  const TOO_COMPLEX = 'The page\'s markup is too complex to be read as text: ask for format "html".';
  test.each([
    ...[" ", "\n", "<br>", "&", "&lt;", "<p> </p>", "<", "</", "<!", "<!--", "= "].map((piece) => [piece, "read"]),
    ...["<a ", '<a b="', "<a b=''"].map((piece) => [piece, TOO_COMPLEX]),
  ])("a megabyte of %j takes no time to speak of: %s", async (piece = "", expected) => {
    const filler = piece.repeat(Math.ceil(1_000_000 / piece.length));
    const outcomes = [`a${filler}b`, `<pre>a${filler}b`].map((body) =>
      textOf({ body }).then(
        (text) => (text.length > 0 ? "read" : "empty"),
        ({ message }: Error) => message,
      ),
    );
    expect(await Promise.all(outcomes)).toEqual([expected, expected]);
  });

  test("a picture of a megabyte within the page is no hindrance", async () => {
    const body = `a<img src="data:image/png;base64,${"A".repeat(1_000_000)}" style="width:1px">b`;
    expect(await textOf({ body })).toBe("ab");
  });
});

describe("other formats", () => {
  test("html is handed on as it was served", async () => {
    const body = "<title>T</title><p>a&amp;b<script>x</script>";
    expect((await read({ body }, { format: "html" })).content).toEqual([
      { type: "resource", resource: { uri: PAGE_URL, mimeType: "text/html", text: body } },
      { type: "resource_link", uri: PAGE_URL, name: "example.com/a", size: body.length },
    ]);
  });

  test.each([
    "application/json",
    "text/plain",
    "text/markdown; charset=utf-8",
    "application/ld+json",
    "image/svg+xml",
    "application/xml",
  ])("%s is left alone", async (type) => {
    const body = '{"a": "<b>&amp;"}';
    const mimeType = type.split(";")[0];
    expect((await read({ body, type })).content).toEqual([
      { type: "resource", resource: { uri: PAGE_URL, mimeType, text: body } },
      { type: "resource_link", uri: PAGE_URL, name: "example.com/a", size: body.length },
    ]);
  });
});

describe("charsets", () => {
  const LATIN = new Uint8Array([0x63, 0x61, 0x66, 0xe9]);
  test.each<[string, Served, string]>([
    ["named in the header", { body: LATIN, type: "text/plain; charset=ISO-8859-1" }, "café"],
    ["quoted", { body: LATIN, type: 'text/plain;charset="windows-1252"' }, "café"],
    ["Japanese", { body: new Uint8Array([0x93, 0xfa, 0x96, 0x7b]), type: "text/plain; charset=Shift_JIS" }, "日本"],
    ["in a meta element", { body: bytes('<meta charset="latin1">', LATIN), type: "text/html" }, "café"],
    [
      "in an old meta element",
      { body: bytes('<meta http-equiv=content-type content="text/html; charset=latin1">', LATIN), type: "text/html" },
      "café",
    ],
    ["the header wins", { body: bytes('<meta charset="latin1">', "é"), type: "text/html; charset=utf-8" }, "é"],
    ["unknown means UTF-8", { body: "é", type: "text/plain; charset=klingon" }, "é"],
    ["none means UTF-8", { body: "é", type: "text/plain" }, "é"],
    ["a byte order mark goes", { body: "\uFEFFa", type: "text/plain" }, "a"],
    ["broken bytes are replaced", { body: LATIN, type: "text/plain" }, "caf\uFFFD"],
  ])("%s", async (_, served, expected) => {
    expect(await textOf(served)).toBe(expected);
  });
});

describe("length", () => {
  test("at the limit is whole, beyond it cut and said so", async () => {
    expect([await last("abc", 4), await last("abcd", 4), await last("abcde", 4)]).toEqual([
      { text: "abc", notes: [] },
      { text: "abcd", notes: [] },
      { text: "abcd", notes: [{ type: "text", text: "Cut at 4 of 5 characters." }] },
    ]);
  });

  test("is never cut inside a character", async () => {
    expect((await last("a🙂b", 2)).text).toBe("a");
  });
});

describe("refusals", () => {
  test.each([
    [{ status: 404 }, "The page answered with status 404, expected 200 to 299."],
    [{ status: 500, body: "stack trace" }, "The page answered with status 500, expected 200 to 299."],
    [{ status: 302 }, "The page answered with status 302, expected 200 to 299."],
    [{ type: "image/png" }, "The page is image/png, expected HTML or other text."],
    [{ type: "Application/PDF; a=b" }, "The page is application/pdf, expected HTML or other text."],
    [{ type: "application/octet-stream" }, "The page is application/octet-stream, expected HTML or other text."],
    [{ type: "" }, "The page is of no stated type, expected HTML or other text."],
  ])("%o", async (served, message) => {
    await expect(read(served)).rejects.toThrow(new ToolError(message));
  });

  test("what the guard says reaches the model", async () => {
    const refusal = new ToolError("Destination not allowed: …");
    const call = callTool(fetchPage, { url: "https://10.0.0.1/" }, { fetch: () => Promise.reject(refusal) });
    await expect(call).rejects.toBe(refusal);
  });

  test.each([
    [{}, "url required"],
    [{ url: "example.com" }, "url check"],
    [{ url: `https://example.com/${"a".repeat(8_192)}` }, "url max_length"],
    [{ url: PAGE_URL, format: "pdf" }, "format picklist"],
    [{ url: PAGE_URL, maxChars: 0 }, "maxChars min_value"],
    [{ url: PAGE_URL, maxChars: 200_001 }, "maxChars max_value"],
  ])("arguments %.60o", (args, expected) => {
    const outcome = fetchPage.validateInput(args);
    expect(outcome.ok ? [] : outcome.issues.map(({ path, rule }) => `${path} ${rule}`)).toEqual([expected]);
  });
});
