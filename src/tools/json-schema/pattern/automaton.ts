// A pattern's nondeterministic automaton (Thompson's construction). Counted repetition is written out, so that its size is
// known before anything runs.

import type { Assertion, Piece } from "./parse-pattern.ts";

/** `atom` reads one character; the others are passed through on the way. State 0 is the end of a match. */
export type State =
  | { kind: "match" }
  | { kind: "atom"; atom: number; next: number }
  | { kind: "assertion"; assertion: Assertion; next: number }
  | { kind: "split"; nexts: number[] };

export interface Automaton {
  states: readonly State[];
  start: number;
  /** What it took to build, in the unit of `maxStates`. */
  size: number;
  /** Sources of the different atoms. */
  atoms: readonly string[];
}

/** More states than allowed. */
export class TooManyStates extends Error {
  override readonly name = "TooManyStates";
}

/** Throws `TooManyStates`. */
export function buildAutomaton(piece: Piece, maxStates: number): Automaton {
  const builder = new AutomatonBuilder(maxStates);
  const start = builder.build(piece, 0);
  return { start, size: maxStates - builder.left, states: builder.states, atoms: [...builder.atoms.keys()] };
}

class AutomatonBuilder {
  readonly states: State[] = [{ kind: "match" }];
  readonly atoms = new Map<string, number>();
  left: number;

  constructor(maxStates: number) {
    this.left = maxStates;
  }

  /** Puts a piece before `next`; gives its first state. */
  build(piece: Piece, next: number): number {
    // Pieces that add no state, such as an empty group, count too: repeated, they take as long to write out.
    if (--this.left < 0) throw new TooManyStates();
    switch (piece.kind) {
      case "atom":
        return this.#add({ kind: "atom", atom: this.#atom(piece.source), next });
      case "assertion":
        return this.#add({ kind: "assertion", assertion: piece.assertion, next });
      case "sequence":
        return piece.pieces.reduceRight((after, part) => this.build(part, after), next);
      case "choice":
        return this.#add({ kind: "split", nexts: piece.options.map((option) => this.build(option, next)) });
      case "repeat":
        return this.#repeat(piece.piece, piece.min, piece.max, next);
    }
  }

  #repeat(piece: Piece, min: number, max: number, next: number): number {
    let entry = max === Infinity ? this.#loop(piece, next) : next;
    if (max !== Infinity) {
      for (let count = min; count < max; count++) {
        entry = this.#add({ kind: "split", nexts: [this.build(piece, entry), next] });
      }
    }
    for (let count = 0; count < min; count++) entry = this.build(piece, entry);
    return entry;
  }

  #loop(piece: Piece, next: number): number {
    const nexts = [next];
    const entry = this.#add({ kind: "split", nexts });
    nexts.push(this.build(piece, entry));
    return entry;
  }

  #add(state: State): number {
    return this.states.push(state) - 1;
  }

  #atom(source: string): number {
    const known = this.atoms.get(source) ?? this.atoms.size;
    this.atoms.set(source, known);
    return known;
  }
}
