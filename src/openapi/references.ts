// What a document's `$ref`s stand for. Nothing is ever fetched: a reference to another document is no reference here.

import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import type * as v from "valibot";
import { parsePart } from "./document.ts";
import { Inexpressible } from "./inexpressible.ts";
import type { Work } from "./work.ts";

// Members that hold data, not schemas: a "$ref" in there is just a word.
const DATA = new Set(["example", "examples", "default", "enum", "const"]);

export class References {
  /** Whether what stands beside a `$ref` counts, as it does since 3.1. */
  readonly readsSiblings: boolean;
  readonly work: Work;
  readonly #document: JsonObject;
  readonly #found = new Map<string, unknown>();
  readonly #reached = new Map<string, Reached>();
  readonly #inlinable = new Map<string, boolean>();

  /** `work` pays for what is looked up. */
  constructor(document: JsonObject, work: Work) {
    this.#document = document;
    this.work = work;
    this.readsSiblings = !String(document["openapi"]).startsWith("3.0");
  }

  /** What a value or its `$ref` holds, in a schema's shape. Throws `Inexpressible` naming the part when it is not. */
  parse<T extends v.GenericSchema>(schema: T, part: string, value: unknown): v.InferOutput<T> {
    const own = this.resolve(value);
    this.work.spend(this.work.widthOf(own));
    return parsePart(schema, part, own);
  }

  /** The object that a value is, or that its `$ref` leads to. Throws `Inexpressible` when it leads nowhere. */
  resolve(value: unknown): JsonObject {
    let target = value;
    for (let hops = 0; hops <= LIMITS.importRefHops; hops++) {
      this.work.spend(1);
      if (!isJsonObject(target)) throw new Inexpressible(`expected an object, received ${describe(target)}`);
      if (typeof target["$ref"] !== "string") return target;
      target = this.find(target["$ref"]);
    }
    throw new Inexpressible("a $ref that leads in circles");
  }

  /** What is at `#/…`. Throws `Inexpressible` for a reference that leads nowhere or out of the document. */
  find(ref: string): unknown {
    const known = this.#found.get(ref);
    if (known instanceof Inexpressible) throw known;
    if (known !== undefined) return known;
    try {
      const found = this.#look(ref);
      this.#found.set(ref, found);
      return found;
    } catch (error) {
      this.#found.set(ref, error);
      throw error;
    }
  }

  #look(ref: string): unknown {
    const shown = JSON.stringify(ref.slice(0, LIMITS.importGlobChars));
    if (!ref.startsWith("#")) throw new Inexpressible(`$ref ${shown} leads to another document: bundle them first`);
    if (!/^#(\/|$)/.test(ref)) throw new Inexpressible(`$ref ${shown}: expected a JSON pointer such as #/components/…`);
    let target: unknown = this.#document;
    for (const part of parsePointer(ref)) {
      target = typeof target === "object" && target !== null ? readOwn(target as JsonObject, part) : undefined;
      if (target === undefined) throw new Inexpressible(`$ref ${shown} leads nowhere`);
    }
    return target;
  }

  /** Whether a copy can take a reference's place: what it stands for does not hold itself, nor more than a schema may. */
  isInlinable(ref: string): boolean {
    const known = this.#inlinable.get(ref);
    if (known !== undefined) return known;
    const seen = new Set<string>();
    const open = [ref];
    let weight = 0;
    for (let next = open.pop(); next !== undefined && weight <= LIMITS.subschemas; next = open.pop()) {
      const { refs, size } = this.#reach(next);
      weight += size;
      if (refs.has(ref)) weight = Number.POSITIVE_INFINITY;
      for (const found of refs) {
        if (!seen.has(found)) open.push(found);
        seen.add(found);
      }
    }
    const inlinable = weight <= LIMITS.subschemas;
    this.#inlinable.set(ref, inlinable);
    return inlinable;
  }

  #reach(ref: string): Reached {
    const known = this.#reached.get(ref);
    if (known) return known;
    const reached = collectRefs(this.find(ref), this.work);
    this.#reached.set(ref, reached);
    return reached;
  }
}

/** A member of an object's own, or an item of a list. */
export const readOwn = (holder: JsonObject, name: string): unknown =>
  Object.hasOwn(holder, name) ? holder[name] : undefined;

interface Reached {
  refs: Set<string>;
  /** Objects that were looked at: about how many subschemas a copy would have. */
  size: number;
}

/** The references below a value; stops looking once it is larger than any schema may be. */
function collectRefs(value: unknown, work: Work): Reached {
  const refs = new Set<string>();
  const open: unknown[] = [value];
  let size = 0;
  for (let next = open.pop(); next !== undefined && size <= LIMITS.subschemas; next = open.pop()) {
    if (Array.isArray(next)) {
      work.spend(next.length);
      for (const item of next) open.push(item);
    }
    if (!isJsonObject(next)) continue;
    size++;
    work.spend(work.widthOf(next));
    if (typeof next["$ref"] === "string") refs.add(next["$ref"]);
    for (const [key, member] of Object.entries(next)) if (!DATA.has(key)) open.push(member);
  }
  return { refs, size };
}

function parsePointer(ref: string): string[] {
  const [, ...parts] = ref.split("/");
  return parts.map((part) => decodePart(part).replaceAll("~1", "/").replaceAll("~0", "~"));
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const describe = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "a list" : typeof value);
