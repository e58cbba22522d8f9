// HTML → what a reader sees of it, in one pass and without a tree. The tokenizer knows where tags, comments, scripts and
// references end; it runs nothing.

import { Tokenizer } from "htmlparser2";
import { LIMITS } from "../../lib/limits.ts";
import { effectOf, WHOLE_PAGE } from "./element-effect.ts";
import { VOID_ELEMENTS } from "./html-elements.ts";
import { OpenElements } from "./open-elements.ts";
import { PageTooComplex } from "./page-too-complex.ts";
import { TextFlow } from "./text-flow.ts";

export interface PageText {
  title: string;
  text: string;
  /** Elements and comments that were left out, as no reader sees them. */
  hidden: number;
}

type TokenizerEvents = ConstructorParameters<typeof Tokenizer>[1];

/**
 * The title and the text of an HTML document: blocks on lines of their own, character references decoded. Throws
 * `ToolError` when elements are nested deeper, or have more attributes, than `LIMITS` allows.
 */
export function htmlToText(html: string): PageText {
  const reader = new PageReader(html);
  const tokenizer = new Tokenizer({ decodeEntities: true }, reader);
  tokenizer.write(html);
  tokenizer.end();
  return reader.finish();
}

class PageReader implements TokenizerEvents {
  readonly #html: string;
  readonly #flow = new TextFlow();
  readonly #open = new OpenElements((name) => this.#flow.tag(name, true));
  #hidden = 0;
  #tag = "";
  #attributes = new Map<string, string>();
  #attributeCount = 0;
  #attribute = "";
  #value: string[] = [];

  constructor(html: string) {
    this.#html = html;
  }

  finish(): PageText {
    return { ...this.#flow.finish(), hidden: this.#hidden };
  }

  isInForeignContext(): boolean {
    return this.#open.isForeign;
  }

  ontext(start: number, end: number): void {
    this.#read(this.#html.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.#read(String.fromCodePoint(codePoint));
  }

  oncdata(start: number, end: number, offset: number): void {
    if (this.#open.isForeign) this.#read(this.#html.slice(start, end - offset));
    else this.#hidden++;
  }

  oncomment(): void {
    this.#hidden++;
  }

  ondeclaration(): void {
    // A doctype: says nothing to a reader.
  }

  onprocessinginstruction(): void {
    // Of XML alone.
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#html.slice(start, end).toLowerCase();
    this.#attributes = new Map();
    this.#attributeCount = 0;
  }

  onattribname(start: number, end: number): void {
    if (++this.#attributeCount > LIMITS.pageTagAttributes) throw new PageTooComplex();
    this.#attribute = this.#html.slice(start, end).toLowerCase();
    this.#value = [];
  }

  onattribdata(start: number, end: number): void {
    this.#value.push(this.#html.slice(start, end));
  }

  onattribentity(codePoint: number): void {
    this.#value.push(String.fromCodePoint(codePoint));
  }

  // Of two attributes with one name the first counts.
  onattribend(): void {
    if (!this.#attributes.has(this.#attribute)) this.#attributes.set(this.#attribute, this.#value.join(""));
  }

  onopentagend(): void {
    this.#openElement(false);
  }

  onselfclosingtag(): void {
    this.#openElement(true);
  }

  onclosetag(start: number, end: number): void {
    const name = this.#html.slice(start, end).toLowerCase();
    // These two end SVG and MathML, as their start tags do.
    if (name === "p" || name === "br") this.#open.leaveForeign(name);
    const isOpen = this.#open.isOpen(name);
    this.#open.close(name);
    if (!isOpen && this.#open.shown) this.#flow.tag(name, true);
  }

  onend(): void {
    // What is still open ends with the page.
  }

  #openElement(selfClosing: boolean): void {
    const name = this.#tag;
    if (name === "form" && this.#open.isOpen("form")) return;
    this.#open.makeWayFor(name);
    const isForeign = this.#open.isForeign || name === "svg" || name === "math";
    const isEmpty = isForeign ? selfClosing : VOID_ELEMENTS.has(name);
    const wasShown = this.#open.shown;
    if (isEmpty || WHOLE_PAGE.has(name)) {
      if (wasShown) this.#flow.tag(name, false);
      return;
    }
    const effect = effectOf(name, this.#attributes, isForeign);
    if (this.#open.open(name, effect)) this.#flow.tag(name, false);
    else if (wasShown && !effect.noText) this.#hidden++;
  }

  #read(text: string): void {
    if (this.#open.shown) this.#flow.read(text);
  }
}
