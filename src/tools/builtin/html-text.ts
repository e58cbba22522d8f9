// HTML → what a reader sees of it. The platform's parser takes out what is no text, for it knows where a script ends;
// what is left is read here, in one pass, because a callback of the parser for every tag costs some 10 µs each.
// It makes no layout and runs nothing.

import { ToolError } from "../tool-error.ts";
import { decodeReferences } from "./character-references.ts";
import { removeHiddenElements } from "./hidden-html.ts";

export interface PageText {
  title: string;
  text: string;
  /** Elements and comments that were left out, as no reader sees them. */
  hidden: number;
}

// Every branch takes the rest of the input when its end is missing, so that a match never fails after a long search.
const COMMENT = String.raw`<!--[^]*?(?:-->|$)|<[!?][^>]*(?:>|$)|</(?![a-z])[^>]*(?:>|$)`;
const ATTRIBUTES = String.raw`(?:=\s*(?:"[^"]*(?:"|$)|'[^']*(?:'|$))|[^>])*`;
const TAG = String.raw`<(?<end>/?)(?<tag>[a-z][^\s/>]*)${ATTRIBUTES}(?:>|$)`;
const TOKEN = new RegExp(String.raw`${COMMENT}|${TAG}|(?<text>[^<]+|<+(?![a-z!?/]))`, "gi");

/** How many line ends a tag asks for: a block stands on lines of its own, a paragraph has an empty line around it. */
const LINE_ENDS = new Map([
  ...lineEndsOf(2, "blockquote figure h1 h2 h3 h4 h5 h6 p pre"),
  ...lineEndsOf(1, "address article aside body caption dd details dialog div dl dt fieldset figcaption footer form"),
  ...lineEndsOf(1, "header hgroup hr legend li main menu nav ol option section summary table tbody tfoot thead tr ul"),
]);

/**
 * The title and the text of an HTML document: blocks on lines of their own, character references decoded. Throws
 * `ToolError` when elements are nested deeper than the parser's memory allows.
 */
export async function htmlToText(html: string): Promise<PageText> {
  const reader = new PageReader();
  let hidden = 0;
  const shown = await dropHidden(html, () => hidden++);
  for (const { 0: token, groups = {} } of shown.matchAll(TOKEN)) {
    const { tag, end, text } = groups;
    if (tag !== undefined) reader.tag(tag.toLowerCase(), end === "/");
    if (text !== undefined) reader.read(text);
    if (token.startsWith("<!--")) hidden++;
  }
  return { ...reader.finish(), hidden };
}

async function dropHidden(html: string, onHidden: () => void): Promise<string> {
  const rewriter = removeHiddenElements(new HTMLRewriter(), onHidden);
  try {
    return await rewriter.transform(new Response(html)).text();
  } catch (cause) {
    throw new ToolError('The page\'s markup is too complex to be read as text: ask for format "html".', { cause });
  }
}

// Space and line ends wait until there is something after them, so that none has to be taken back.
class PageReader {
  readonly #text: string[] = [];
  readonly #title: string[] = [];
  #hasTitle = false;
  #inTitle = false;
  #inPre = false;
  #lineEnds = 0;
  #space = false;

  tag(name: string, isEnd: boolean): void {
    if (name === "title") {
      this.#hasTitle ||= isEnd;
      this.#inTitle = !isEnd;
    }
    if (name === "pre") this.#inPre = !isEnd;
    if (name === "td" || name === "th") this.#space = true;
    this.#endLines(name === "br" ? this.#lineEnds + 1 : (LINE_ENDS.get(name) ?? 0));
  }

  read(text: string): void {
    if (this.#inTitle) this.#readTitle(text);
    else if (this.#inPre) this.#readPreformatted(text);
    else this.#readFlowing(text);
  }

  finish(): Omit<PageText, "hidden"> {
    const title = this.#title.join("").replaceAll(/\s+/g, " ").trim();
    return { title: decodeReferences(title), text: decodeReferences(this.#text.join("")) };
  }

  // Drawings have titles too: the first is the page's.
  #readTitle(text: string): void {
    if (!this.#hasTitle) this.#title.push(text);
  }

  #readFlowing(text: string): void {
    const collapsed = text.replaceAll(/\s+/g, " ");
    this.#space ||= collapsed.startsWith(" ");
    this.#write(collapsed.trim());
    this.#space ||= collapsed.endsWith(" ");
  }

  #readPreformatted(text: string): void {
    let start = 0;
    let end = text.length;
    while (text[start] === "\n") start++;
    while (end > start && text[end - 1] === "\n") end--;
    this.#endLines(this.#lineEnds + start);
    this.#write(text.slice(start, end));
    this.#endLines(this.#lineEnds + text.length - end);
  }

  #write(text: string): void {
    if (text === "") return;
    if (this.#text.length > 0) this.#text.push("\n".repeat(this.#lineEnds) || (this.#space ? " " : ""));
    this.#text.push(text);
    this.#lineEnds = 0;
    this.#space = false;
  }

  #endLines(count: number): void {
    this.#lineEnds = Math.min(2, Math.max(this.#lineEnds, count));
  }
}

function lineEndsOf(count: number, names: string): [string, number][] {
  return names.split(" ").map((name) => [name, count]);
}
