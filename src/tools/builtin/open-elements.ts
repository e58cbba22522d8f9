// Which elements are open where text stands, after HTML's rules of ends that nobody wrote. Not a tree: what the standard
// moves out of tables stays where it is. Every question is answered from the places of a name, without a walk.

import { LIMITS } from "../../lib/limits.ts";
import type { ElementEffect } from "./element-effect.ts";
import type { InheritedProperty } from "./hiding-style.ts";
import {
  ENDING_FOREIGN,
  FORMATTING_ELEMENTS,
  HEADINGS,
  impliedEndOf,
  INTEGRATION_POINTS,
  ITEMS,
  MARKERS,
  OPEN_TO_ITEMS,
  scopeOf,
  SPECIAL_ELEMENTS,
} from "./html-elements.ts";
import { PageTooComplex } from "./page-too-complex.ts";

interface OpenElement {
  name: string;
  effect: ElementEffect;
  /** Whether it is seen itself. */
  shown: boolean;
  closed: boolean;
}

const SPECIAL = "#special";
const WALL = "#wall";
const FOREIGN = ["svg", "math"];

/** HTML standard, "list of active formatting elements": of more that are alike, the earliest does not go on. */
const MOST_ALIKE = 3;

export class OpenElements {
  readonly #stack: OpenElement[] = [];
  readonly #places = new Map<string, number[]>();
  readonly #declared = new Map<InheritedProperty, OpenElement[]>();
  readonly #onEnd: (name: string) => void;
  #hiding = 0;

  /** Is told of every element that ends and was seen. */
  constructor(onEnd: (name: string) => void) {
    this.#onEnd = onEnd;
  }

  /** Whether text that stands here is seen. */
  get shown(): boolean {
    return this.#hiding === 0 && this.#shows("visibility") && this.#shows("font-size") && this.#shows("color");
  }

  get isForeign(): boolean {
    const foreign = this.#last(FOREIGN);
    return foreign >= 0 && foreign > this.#last(INTEGRATION_POINTS);
  }

  isOpen(name: string): boolean {
    return this.#last([name]) >= 0;
  }

  leaveForeign(name: string): void {
    while (this.isForeign && ENDING_FOREIGN.has(name)) this.#closeFrom(this.#last(FOREIGN));
  }

  /** Ends what a start tag ends without saying so. */
  makeWayFor(name: string): void {
    this.leaveForeign(name);
    if (this.isForeign) return;
    const items = ITEMS.get(name);
    if (items !== undefined && this.#last(items) >= 0 && this.#last(items) === this.#last([WALL]))
      this.#closeFrom(this.#last(items));
    const implied = impliedEndOf(name);
    if (implied !== undefined) this.#closeFrom(this.#first(implied.targets, this.#last(implied.within)));
    if (HEADINGS.includes(name) && HEADINGS.includes(this.#stack.at(-1)?.name ?? "")) this.#pop();
  }

  open(name: string, effect: ElementEffect): boolean {
    if (this.#stack.length >= LIMITS.pageDepth) throw new PageTooComplex();
    const element = { name, effect, shown: true, closed: false };
    const place = this.#stack.push(element) - 1;
    for (const key of keysOf(name)) {
      const places = this.#places.get(key);
      if (places) places.push(place);
      else this.#places.set(key, [place]);
    }
    if (effect.hides) this.#hiding++;
    for (const property of effect.shows.keys()) {
      const declared = this.#declared.get(property);
      if (declared) declared.push(element);
      else this.#declared.set(property, [element]);
    }
    return (element.shown = this.shown);
  }

  /** Ends the element that an end tag is for, if there is one that it reaches. */
  close(name: string): void {
    const group = HEADINGS.includes(name) ? HEADINGS : [name];
    const place = this.#last(group);
    if (place < 0) return;
    if (FORMATTING_ELEMENTS.has(name)) {
      if (place < this.#last(MARKERS)) return;
      if (place < this.#last([SPECIAL])) this.#forget(place);
      else this.#closeFrom(place);
      return;
    }
    if (!SPECIAL_ELEMENTS.has(name) && place < this.#last([SPECIAL])) return;
    if (place >= this.#last(scopeOf(name))) this.#closeFrom(place);
  }

  // What is formatted goes on behind a block that ended around it: only what is not seen matters, and one of a name.
  #closeFrom(place: number): void {
    if (place < 0) return;
    const goingOn = new Map<string, OpenElement>();
    while (this.#stack.length > place) {
      const element = this.#pop();
      if (element === undefined) continue;
      if (MARKERS.includes(element.name)) goingOn.clear();
      else if (this.#stack.length > place && FORMATTING_ELEMENTS.has(element.name) && isHiding(element.effect))
        goingOn.set(element.name, element);
    }
    for (const { name, effect } of [...goingOn.values()].toReversed())
      if ((this.#places.get(name)?.length ?? 0) < MOST_ALIKE) this.open(name, effect);
  }

  /** The innermost element, if it did not end before. */
  #pop(): OpenElement | undefined {
    const element = this.#stack.pop();
    if (element === undefined || element.closed) return undefined;
    this.#end(element);
    return element;
  }

  // Blocks inside an element that formats stay open when it ends.
  #forget(place: number): void {
    const element = this.#stack[place];
    if (element !== undefined) this.#end(element);
  }

  #end(element: OpenElement): void {
    const wasShown = element.shown || this.shown;
    element.closed = true;
    for (const key of keysOf(element.name)) {
      const places = this.#places.get(key);
      places?.pop();
      if (places?.length === 0) this.#places.delete(key);
    }
    if (element.effect.hides) this.#hiding--;
    if (wasShown) this.#onEnd(element.name);
  }

  #shows(property: InheritedProperty): boolean {
    const declared = this.#declared.get(property);
    while (declared?.at(-1)?.closed) declared.pop();
    return declared?.at(-1)?.effect.shows.get(property) ?? true;
  }

  #last(names: Iterable<string>): number {
    let last = -1;
    for (const name of names) last = Math.max(last, this.#places.get(name)?.at(-1) ?? -1);
    return last;
  }

  // The outermost of the elements that end; each name's last one, as none of these stands inside its like.
  #first(names: readonly string[], after: number): number {
    const places = names.map((name) => this.#places.get(name)?.at(-1) ?? -1).filter((place) => place > after);
    return places.length === 0 ? -1 : Math.min(...places);
  }
}

function keysOf(name: string): string[] {
  if (!SPECIAL_ELEMENTS.has(name)) return [name];
  return OPEN_TO_ITEMS.has(name) ? [name, SPECIAL] : [name, SPECIAL, WALL];
}

const isHiding = ({ hides, shows }: ElementEffect): boolean => hides || [...shows.values()].includes(false);
