// Takes out of what tools give back what people don't see and models, terminals and logs obey. Nearly all texts have nothing
// of the kind: one look at the serialized whole tells, and only the others are walked.

import { findHidden, HIDDEN, type HiddenKind } from "./hidden-characters.ts";

/** How many pieces were removed, by kind: of characters, or elements of a page that nobody sees. */
export type Removed = Readonly<Partial<Record<HiddenKind | "elements", number>>>;

export interface Cleaned<T> {
  value: T;
  removed: Removed;
}

export const NOTHING_REMOVED: Removed = Object.freeze({});

// In JSON: what must be escaped (controls, lone surrogates and returns), and what is hidden as it stands.
const ESCAPED = /\\[ubf]|\\r(?!\\n)/;

// Most texts are plain ASCII with no such escape: one pass of a simple pattern tells.
const NOT_PLAIN = /[^ -~]|\\[ubfr]/;

/** Whether serialized JSON may hold something hidden. */
export const maybeHides = (json: string): boolean => NOT_PLAIN.test(json) && (HIDDEN.test(json) || ESCAPED.test(json));

/** A text without what is hidden in it; lone surrogates become U+FFFD, next lines (U+0085) and lone returns line ends. */
export const removeHidden = (text: string): string => remove(text, {});

/**
 * A JSON value with every text in it cleaned, names of members included; `value` itself when there was nothing to clean.
 * A name that becomes another member's gets a U+FFFD at its end, and a number after several, so that nothing is lost.
 */
export function cleanJson<T>(value: T): Cleaned<T> {
  const counts: Partial<Record<HiddenKind, number>> = {};
  const cleaned = walk(value, counts) as T;
  return { value: cleaned, removed: Object.keys(counts).length === 0 ? NOTHING_REMOVED : counts };
}

export function addRemoved(one: Removed, other: Removed): Removed {
  if (other === NOTHING_REMOVED) return one;
  const sum: Partial<Record<keyof Removed, number>> = { ...one };
  for (const [kind, count] of Object.entries(other) as [keyof Removed, number][]) sum[kind] = (sum[kind] ?? 0) + count;
  return sum;
}

function remove(text: string, counts: Partial<Record<HiddenKind, number>>): string {
  const found = findHidden(text);
  if (found.length === 0) return text;
  const kept: string[] = [];
  let from = 0;
  for (const { characters, kind, index } of found) {
    kept.push(text.slice(from, index));
    if (kind === "surrogates") kept.push("\uFFFD");
    if (characters === "\u0085" || characters === "\r") kept.push("\n");
    from = index + characters.length;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  kept.push(text.slice(from));
  return kept.join("");
}

function walk(value: unknown, counts: Partial<Record<HiddenKind, number>>): unknown {
  if (typeof value === "string") return remove(value, counts);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => walk(item, counts));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  let isChanged = false;
  const nameOf = createNames(value);
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    const cleanName = nameOf(name, remove(name, counts));
    const cleanMember = walk(member, counts);
    isChanged ||= cleanName !== name || cleanMember !== member;
    return [cleanName, cleanMember];
  });
  return isChanged ? Object.fromEntries(members) : value;
}

/** A name of its own for each member. Numbers are counted on, so that thousands that become one take no more than a few. */
function createNames(value: object): (name: string, cleanName: string) => string {
  const given = new Set<string>();
  const numbers = new Map<string, number>();
  const isTaken = (name: string): boolean => given.has(name) || Object.hasOwn(value, name);
  return (name, cleanName) => {
    if (cleanName === name) return name;
    let free = cleanName;
    while (isTaken(free)) {
      const number = (numbers.get(cleanName) ?? 0) + 1;
      numbers.set(cleanName, number);
      free = `${cleanName}\uFFFD${number === 1 ? "" : number}`;
    }
    given.add(free);
    return free;
  };
}
