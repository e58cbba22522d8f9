// Finds a pattern in a text in time linear in the text, whatever the pattern: V8's own matcher backtracks, and nothing can
// stop it. States of the automaton are walked together, and each set of them met is kept (a lazy DFA).

import { LIMITS } from "../../../lib/limits.ts";
import { buildAutomaton, type Automaton, type State } from "./automaton.ts";
import { parsePattern } from "./parse-pattern.ts";

/** Takes what a match costs, in steps; throws when there are none left. */
export interface Budget {
  spend(steps: number): void;
}

type Before = "start" | "word" | "other";
type After = "end" | "word" | "other";

/** Characters that no atom tells apart. */
interface CharClass {
  atoms: boolean[];
  isWord: boolean;
}

/** A set of states between two characters. */
interface Stage {
  states: number[];
  before: Before;
  /** By class of the next character. */
  nexts: (Stage | undefined)[];
  /** Whether a match ends here when the text does; `undefined` until that is asked. */
  matches: boolean | undefined;
}

/** Stages that settle the matter: a match has ended, or none can. */
const MATCHED: Stage = { states: [], before: "other", nexts: [], matches: true };
const DEAD: Stage = { ...MATCHED, matches: false };

const ASCII = 128;
/** Characters that take about as long as one step, and how many steps are paid at once. */
const STEP_CHARS = 8;
const PAID_STEPS = 64;
/** What it costs to pass through a state, and to ask V8 about a character. */
const VISIT_STEPS = 3;
const TEST_STEPS = 2;
const FREE: Budget = { spend: () => undefined };
const BEFORE = ["word", "other"] as const;
const AFTER = ["word", "other", "end"] as const;

export class Pattern {
  readonly source: string;
  /** Its part of `LIMITS.schemaPatternStates`. */
  readonly size: number;
  readonly #automaton: Automaton;
  readonly #tests: readonly RegExp[];
  /** Whether a match can begin later than at the start. */
  readonly #floats: boolean;
  /** Ids of ASCII's classes, −1 for those not met yet. */
  readonly #ascii = new Int16Array(ASCII).fill(-1);
  #wide = new Map<number, number>();
  readonly #classes: CharClass[] = [];
  readonly #classIds = new Map<string, number>();
  #stages = new Map<string, Stage>();
  #first: Stage | undefined;
  #cells = 0;

  /** Throws `PatternRefused` or `TooManyStates`. */
  constructor(source: string, maxStates: number) {
    this.source = source;
    this.#automaton = buildAutomaton(parsePattern(source), maxStates);
    this.size = this.#automaton.size;
    this.#tests = this.#automaton.atoms.map((atom) => new RegExp(`^(?:${atom})$`, "u"));
    this.#floats = BEFORE.some((before) => AFTER.some((after) => this.#goesOn(before, after)));
  }

  /** Whether the pattern matches anywhere in the text. */
  isIn(text: string, budget: Budget): boolean {
    budget.spend(1);
    let stage = (this.#first ??= this.#stage([this.#automaton.start], "start"));
    let paidChars = STEP_CHARS;
    for (let at = 0; at < text.length; at++) {
      if (at >= paidChars) {
        budget.spend(PAID_STEPS);
        paidChars += PAID_STEPS * STEP_CHARS;
      }
      let code = text.charCodeAt(at);
      if (code >= 0xd800 && code < 0xdc00) {
        code = text.codePointAt(at) ?? code;
        if (code > 0xffff) at++;
      }
      const known = code < ASCII ? this.#ascii[code] : this.#wide.get(code);
      const id = known === undefined || known < 0 ? this.#classify(code, budget) : known;
      const next = stage.nexts[id] ?? this.#advance(stage, id, budget);
      if (next === MATCHED || next === DEAD) return next === MATCHED;
      stage = next;
    }
    return (stage.matches ??= this.#reach(stage, "end", budget).isMatch);
  }

  /** Whether a match can begin between two characters such as these, or after the last one. */
  #goesOn(before: Before, after: After): boolean {
    const { reads, isMatch } = this.#reach({ states: [this.#automaton.start], before }, after, FREE);
    return isMatch || reads.length > 0;
  }

  #advance(stage: Stage, id: number, budget: Budget): Stage {
    const { atoms = [], isWord = false } = this.#classes[id] ?? {};
    const kind = isWord ? "word" : "other";
    const { reads, isMatch } = this.#reach(stage, kind, budget);
    const states = new Set(reads.filter(({ atom }) => atoms[atom]).map(({ next }) => next));
    if (this.#floats) states.add(this.#automaton.start);
    const next = isMatch ? MATCHED : this.#stage(states, kind);
    stage.nexts[id] = next;
    this.#cells++;
    return next;
  }

  #stage(set: Iterable<number>, before: Before): Stage {
    const states = [...set].sort((a, b) => a - b);
    if (states.length === 0) return DEAD;
    const key = `${before} ${states.join(" ")}`;
    const known = this.#stages.get(key);
    if (known) return known;
    // A pattern can have exponentially many: what it has met is forgotten rather than kept without end.
    if (this.#cells > LIMITS.patternCells) {
      this.#stages = new Map();
      this.#first = undefined;
      this.#cells = 0;
    }
    const stage: Stage = { states, before, nexts: [], matches: undefined };
    this.#stages.set(key, stage);
    this.#cells += states.length + 1;
    return stage;
  }

  /** The states that read the next character, and whether the end of a match is reached without reading it. */
  #reach({ states, before }: Pick<Stage, "states" | "before">, after: After, budget: Budget): Reach {
    const reads: ReadState[] = [];
    const visited = new Set<number>();
    const left = [...states];
    let isMatch = false;
    for (let at = left.pop(); at !== undefined; at = left.pop()) {
      if (visited.has(at)) continue;
      visited.add(at);
      const state = this.#automaton.states[at];
      if (state?.kind === "match") isMatch = true;
      else if (state?.kind === "atom") reads.push(state);
      else if (state?.kind === "split") left.push(...state.nexts);
      else if (state && holds(state.assertion, before, after)) left.push(state.next);
    }
    budget.spend(visited.size * VISIT_STEPS);
    return { reads, isMatch };
  }

  /** The id of a character's class. */
  #classify(code: number, budget: Budget): number {
    budget.spend(this.#tests.length * TEST_STEPS);
    const char = String.fromCodePoint(code);
    const atoms = this.#tests.map((test) => test.test(char));
    const isWord = /^\w$/.test(char);
    const key = `${isWord} ${atoms.join(" ")}`;
    const id = this.#classIds.get(key) ?? this.#classes.push({ atoms, isWord }) - 1;
    this.#classIds.set(key, id);
    if (code < ASCII) this.#ascii[code] = id;
    else {
      if (this.#wide.size >= LIMITS.patternCells) this.#wide = new Map();
      this.#wide.set(code, id);
    }
    return id;
  }
}

type ReadState = Extract<State, { kind: "atom" }>;

interface Reach {
  reads: ReadState[];
  isMatch: boolean;
}

function holds(assertion: string, before: Before, after: After): boolean {
  if (assertion === "start") return before === "start";
  if (assertion === "end") return after === "end";
  return (assertion === "word") === ((before === "word") !== (after === "word"));
}
