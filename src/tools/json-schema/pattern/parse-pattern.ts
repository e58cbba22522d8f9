// The structure of a regular expression: what an automaton needs to know of it. V8 has the word on what is valid (`u` flag,
// as JSON Schema 2020-12, core, section 6.4 recommends) and on what a class such as `[^\p{L}_]` matches; what only
// backtracking can do is refused.

export type Assertion = "start" | "end" | "word" | "notWord";

export type Piece =
  | { kind: "atom"; source: string }
  | { kind: "assertion"; assertion: Assertion }
  | { kind: "sequence"; pieces: Piece[] }
  | { kind: "choice"; options: Piece[] }
  | { kind: "repeat"; piece: Piece; min: number; max: number };

/** A pattern that can't be used; the message says why, for whoever wrote it. */
export class PatternRefused extends Error {
  override readonly name = "PatternRefused";
}

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  "^": "start",
  $: "end",
  [String.raw`\b`]: "word",
  [String.raw`\B`]: "notWord",
};

const QUANTIFIER = /([*+?]|\{(\d+)(,?)(\d*)\})\??/y;
/** One character's worth of a valid pattern: an escape, a class, or any character. */
const ATOM =
  /\\(?:u\{[^}]*\}|u[Dd][89ABab][\dA-Fa-f]{2}\\u[Dd][C-Fc-f][\dA-Fa-f]{2}|u.{4}|x..|c.|[pP]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|[^]/uy;
const GROUP = /\((?:\?(?::|<[^=!>]+>))?/y;

export function parsePattern(source: string): Piece {
  try {
    RegExp(source, "u");
  } catch (error) {
    throw new PatternRefused(`not a regular expression: ${error instanceof Error ? error.message : ""}`);
  }
  return new PatternParser(source).parseChoice();
}

class PatternParser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  parseChoice(): Piece {
    const options = [this.#parseSequence()];
    while (this.#source[this.#at] === "|") {
      this.#at++;
      options.push(this.#parseSequence());
    }
    return options.length === 1 && options[0] ? options[0] : { kind: "choice", options };
  }

  #parseSequence(): Piece {
    const pieces: Piece[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source.charAt(this.#at))) {
      pieces.push(this.#parseRepeats(this.#parsePiece()));
    }
    return { kind: "sequence", pieces };
  }

  #parseRepeats(piece: Piece): Piece {
    const found = this.#take(QUANTIFIER);
    if (!found) return piece;
    const [, sign, least, comma, most] = found;
    if (sign === "*") return { kind: "repeat", piece, min: 0, max: Infinity };
    if (sign === "+") return { kind: "repeat", piece, min: 1, max: Infinity };
    if (sign === "?") return { kind: "repeat", piece, min: 0, max: 1 };
    const min = Number(least);
    if (!comma) return { kind: "repeat", piece, min, max: min };
    return { kind: "repeat", piece, min, max: most ? Number(most) : Infinity };
  }

  #parsePiece(): Piece {
    if (this.#source[this.#at] === "(") return this.#parseGroup();
    const source = this.#take(ATOM)?.[0] ?? "";
    const assertion = ASSERTIONS[source];
    if (assertion !== undefined) return { kind: "assertion", assertion };
    if (/^\\[1-9k]/.test(source)) throw new PatternRefused("expected no backreference");
    return { kind: "atom", source };
  }

  #parseGroup(): Piece {
    const group = this.#take(GROUP)?.[0];
    if (group === "(" && this.#source[this.#at] === "?") {
      throw new PatternRefused(
        "expected no lookaround or modifiers: give each condition a pattern of its own under allOf or not",
      );
    }
    const piece = this.parseChoice();
    this.#at++;
    return piece;
  }

  #take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source);
    if (found) this.#at = expression.lastIndex;
    return found;
  }
}
