// Server-sent events out of chunks of text, as they come (HTML standard, "Interpreting an event stream"). Only data counts
// here: names, ids and times to retry are left out.

export class EventParser {
  #rest = "";
  #data: string[] = [];
  #isFirst = true;

  /** The data of the events that this piece completes. */
  push(piece: string): string[] {
    const text = this.#isFirst ? piece.replace(/^\uFEFF/, "") : piece;
    if (piece !== "") this.#isFirst = false;
    // A carriage return at the end may be half of a line end.
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    return lines.flatMap((line) => this.#takeLine(line));
  }

  #takeLine(line: string): string[] {
    if (line === "") {
      const data = this.#data.join("\n");
      this.#data = [];
      return data === "" ? [] : [data];
    }
    if (line === "data" || line.startsWith("data:")) this.#data.push(line.slice(5).replace(/^ /, ""));
    return [];
  }
}
