// The text of a page as it is read aloud: white space collapsed, blocks on lines of their own. It makes no layout.

/** HTML's white space: a no-break space is none. */
const SPACE = /[\t\n\f\r ]+/g;

/** How many line ends a tag asks for: a block stands on lines of its own, a paragraph has an empty line around it. */
const LINE_ENDS = new Map([
  ...lineEndsOf(2, "blockquote figure h1 h2 h3 h4 h5 h6 p pre"),
  ...lineEndsOf(1, "address article aside body caption dd details dialog div dl dt fieldset figcaption footer form"),
  ...lineEndsOf(1, "header hgroup hr legend li main menu nav ol option section summary table tbody tfoot thead tr ul"),
]);

// Space and line ends wait until there is something after them, so that none has to be taken back.
export class TextFlow {
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

  finish(): { title: string; text: string } {
    const title = this.#title.join("").replaceAll(SPACE, " ").trim();
    return { title, text: this.#text.join("") };
  }

  // Drawings have titles too: the first is the page's.
  #readTitle(text: string): void {
    if (!this.#hasTitle) this.#title.push(text);
  }

  #readFlowing(text: string): void {
    const collapsed = text.replaceAll(SPACE, " ");
    const start = collapsed.startsWith(" ") ? 1 : 0;
    const end = collapsed.endsWith(" ") ? collapsed.length - 1 : collapsed.length;
    this.#space ||= start > 0;
    this.#write(collapsed.slice(start, end));
    this.#space ||= end < collapsed.length;
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
