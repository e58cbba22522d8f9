// Names for tools and arguments: what every client takes, unique, and the same at the next import.

import { LIMITS } from "../lib/limits.ts";
import { isReservedName } from "../tools/reserved-names.ts";
import type { Place } from "./operations.ts";

const UNSAYABLE = /[^A-Za-z0-9_-]+/g;

/** Names for operations, by `operation`; none depends on where in the document an operation stands. */
export function nameOperations(
  places: readonly (Place & { operationId?: string | undefined })[],
  prefix: string,
): Map<string, string> {
  // Many places may share one operation, and its id be long.
  const wishes = new Map<string, Wish>();
  const wanted = places.map(({ operation, operationId }) => {
    const known = operationId === undefined ? undefined : wishes.get(operationId);
    const wish = known ?? wishFor(operation, operationId, prefix);
    // One that stands for no id is the operation's own.
    if (operationId?.trim()) wishes.set(operationId, wish);
    return { operation, ...wish };
  });
  const claims = Map.groupBy(wanted, ({ name }) => name);
  const exact = new Map([...claims].map(([name, rivals]) => [name, rivals.filter(({ isExact }) => isExact).length]));
  return new Map(
    wanted.map(({ operation, name, isExact }) => {
      const rivals = claims.get(name) ?? [];
      // Of those that want one name, the one whose operationId it is keeps it.
      const isFree = !isReservedName(name);
      const keeps = isFree && (rivals.length === 1 || (isExact && exact.get(name) === 1));
      return [operation, keeps ? name : markName(name, operation)];
    }),
  );
}

interface Wish {
  name: string;
  isExact: boolean;
}

function wishFor(operation: string, operationId: string | undefined, prefix: string): Wish {
  const id = operationId?.trim() || operation.toLowerCase();
  const clean = id.replaceAll(UNSAYABLE, "_").replaceAll(/^_+|(?<!_)_+$/g, "") || "operation";
  const name = `${prefix}${clean}`;
  const fits = name.length <= LIMITS.toolNameChars;
  return { name: fits ? name : markName(name, id), isExact: fits && clean === operationId };
}

/** A name that is cut to make room for a mark of what it stands for. */
export const markName = (name: string, of: string): string => `${name.slice(0, LIMITS.toolNameChars - 7)}_${hash(of)}`;

/** The low 24 bits of FNV-1a, in hex: enough to tell a few names apart. */
function hash(text: string): string {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  return (state & 0xffffff).toString(16).padStart(6, "0");
}

/** Names of one tool's arguments. One that is taken gets its location before it (`body_id`), then a number behind it. */
export class ArgumentNames {
  readonly #taken = new Set<string>();
  readonly #numbers = new Map<string, number>();

  claim(wanted: string, location: string): string {
    const plain = toArgumentName(wanted);
    let name = this.#taken.has(plain) ? cut(`${location}_${plain}`, LIMITS.argumentNameChars) : plain;
    const base = name;
    const start = cut(base, LIMITS.argumentNameChars - 4);
    let n = this.#numbers.get(start) ?? 2;
    for (; this.#taken.has(name); n++) name = `${start}_${n}`;
    this.#numbers.set(start, n);
    this.#taken.add(name);
    return name;
  }
}

/** Letters, digits and `_` alone: some clients take no more in an argument's name. */
function toArgumentName(name: string): string {
  const clean = name.replaceAll(/[^A-Za-z0-9_]+/g, "_");
  const start = /^[A-Za-z0-9_]/.test(name) ? clean : clean.replace(/^_/, "");
  const end = /[A-Za-z0-9_]$/.test(name) ? start : start.replace(/_$/, "");
  return end === "" || end === "__proto__" ? "argument" : cut(end, LIMITS.argumentNameChars);
}

const cut = (text: string, chars: number): string => text.slice(0, chars);
