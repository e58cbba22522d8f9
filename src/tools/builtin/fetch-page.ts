// A public page for a model to read. Where it may go is the egress guard's business.

import { cutText } from "../../lib/cut-text.ts";
import * as v from "valibot";
import { LIMITS } from "../../lib/limits.ts";
import { resource, resourceLink, text } from "../content.ts";
import type { EgressResponse } from "../context.ts";
import { defineTool } from "../define-tool.ts";
import { charsetOf, decodeText, isTextType, parseMediaType } from "../media-type.ts";
import { ToolError } from "../tool-error.ts";
import { emojiIcon } from "./emoji-icon.ts";

type Format = "text" | "html";

interface Page {
  title: string;
  text: string;
  mimeType: string;
  hidden?: number;
}

const ACCEPT = "text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, application/xml;q=0.8";
const HTML_TYPE = /^(?:text\/html|application\/xhtml\+xml)$/;

export const fetchPage = defineTool({
  name: "fetch_page",
  title: "Fetch page",
  description: `Fetches a public https page and returns what it says, with its title. Use it to read a page whose address is known; it does not search and runs no scripts.
HTML comes as plain text unless format is "html"; JSON, XML and other text come as they are. Example: {"url": "https://example.com/", "maxChars": 5000}`,
  icons: [emojiIcon("🌐")],
  annotations: { readOnlyHint: true, openWorldHint: true },
  input: v.strictObject({
    url: v.pipe(
      v.string(),
      v.maxLength(LIMITS.fetchUrlChars),
      // `v.url` would be listed as the format "uri", which Gemini's `parameters` refuses.
      v.check((url) => URL.canParse(url), "expected an absolute URL such as https://example.com/"),
      v.description("The page's address: https, a public host name."),
    ),
    format: v.optional(
      v.pipe(v.picklist(["text", "html"]), v.description("Readable text, or the markup as it was served.")),
      "text",
    ),
    maxChars: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(1),
        v.maxValue(LIMITS.pageChars),
        v.description("Where to cut the text, in characters."),
      ),
      20_000,
    ),
  }),
  run: async ({ url, format, maxChars }, ctx) => {
    const response = await ctx.fetch(url, { headers: { accept: ACCEPT } });
    const page = await readPage(response, format);
    const { host, pathname } = new URL(response.url);
    const { hidden = 0 } = page;
    if (hidden > 0) ctx.noteRemoved(hidden);
    const title = page.title === "" ? {} : { title: page.title };
    const link = { uri: response.url, name: `${host}${pathname}`, ...title, size: response.bytes.byteLength };
    return [
      resource({ uri: response.url, mimeType: page.mimeType, text: cutText(page.text, maxChars) }),
      resourceLink(link),
      ...(page.text.length > maxChars ? [text(`Cut at ${maxChars} of ${page.text.length} characters.`)] : []),
    ];
  },
});

async function readPage({ status, headers, bytes }: EgressResponse, format: Format): Promise<Page> {
  if (status < 200 || status > 299)
    throw new ToolError(`The page answered with status ${status}, expected 200 to 299.`);
  const { type: mimeType, charset } = parseMediaType(headers.get("content-type"));
  if (!isTextType(mimeType)) {
    throw new ToolError(
      `The page is ${mimeType === "" ? "of no stated type" : mimeType}, expected HTML or other text.`,
    );
  }
  const isHtml = HTML_TYPE.test(mimeType);
  const source = decodeText(bytes, charset ?? (isHtml ? declaredCharset(bytes) : undefined));
  if (!isHtml || format === "html") return { title: "", text: source, mimeType };
  // With HTML's names of characters it takes some 20 KiB: an isolate that reads no pages starts without.
  const { htmlToText } = await import("./html-text.ts");
  const { title, text, hidden } = htmlToText(source);
  return { title, text: title === "" ? text : `${title}\n\n${text}`, mimeType: "text/plain", hidden };
}

// HTML standard, "Prescan a byte stream to determine its encoding": the first 1,024 bytes.
const declaredCharset = (bytes: Uint8Array): string | undefined =>
  charsetOf(/<meta[^>]+>/i.exec(new TextDecoder("windows-1252").decode(bytes.subarray(0, 1_024)))?.[0] ?? "");
