// Where the subschemas of a schema are and what they are called, within its bounds. References lead to places in the
// schema itself: none is ever fetched (MCP 2026-07-28, basic, "$ref Resolution").

import { markCut } from "../../lib/cut-text.ts";
import { isJsonObject, type JsonObject } from "../../lib/json-value.ts";
import { LIMITS } from "../../lib/limits.ts";
import { dialectOf, SUBSCHEMAS, type Dialect } from "./dialect.ts";
import { pointerTo, SchemaRefused } from "./schema-refusal.ts";

/** A subschema, and the URI that names in it are relative to. */
export interface Place {
  pointer: string;
  schema: unknown;
  base: string;
}

/** Stands for the address of a schema that has no `$id`. */
const NOWHERE = "schema:///root";

export class SchemaIndex {
  readonly dialect: Dialect;
  readonly #places = new Map<string, Place>();
  /** By URI: without a fragment for what has an `$id`, with one for anchors. */
  readonly #named = new Map<string, Place>();

  constructor(root: JsonObject, dialect: Dialect) {
    this.dialect = dialect;
    this.#named.set(NOWHERE, { pointer: "", schema: root, base: NOWHERE });
    this.#add({ pointer: "", schema: root, base: NOWHERE }, 1);
  }

  get places(): IterableIterator<Place> {
    return this.#places.values();
  }

  at(pointer: string): Place | undefined {
    return this.#places.get(pointer);
  }

  /** Where a `$ref` leads. Throws `SchemaRefused` when that is not in this schema. */
  resolve(ref: string, from: Place): Place {
    const at = pointerTo(from.pointer, "$ref");
    const uri = parseUri(ref, from.base, at);
    const fragment = decode(uri.hash.slice(1), at);
    const address = hrefWithoutHash(uri);
    const isPointer = fragment === "" || fragment.startsWith("/");
    const place = this.#named.get(isPointer ? address : `${address}#${fragment}`);
    if (place) return isPointer ? this.#descend(place, fragment, at) : place;
    if (this.#named.has(address)) throw new SchemaRefused(at, `no such anchor in the schema: ${quote(ref)}`);
    throw new SchemaRefused(at, `leads outside the schema, and is never fetched: ${quote(ref)}`);
  }

  #descend(from: Place, pointer: string, at: string): Place {
    let { schema } = from;
    let place = from;
    let path = from.pointer;
    for (const token of pointer.split("/").slice(1)) {
      const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof schema !== "object" || schema === null || !Object.hasOwn(schema, key)) {
        throw new SchemaRefused(at, `nothing in the schema at ${quote(pointer)}`);
      }
      schema = (schema as JsonObject)[key];
      path = pointerTo(path, key);
      place = this.#places.get(path) ?? { pointer: path, schema, base: place.base };
    }
    return place;
  }

  #add(found: Place, depth: number): void {
    const { pointer, schema } = found;
    if (depth > LIMITS.schemaDepth) {
      throw new SchemaRefused(pointer, `nested too deep: expected at most ${LIMITS.schemaDepth} levels of schemas`);
    }
    if (this.#places.size >= LIMITS.subschemas) {
      throw new SchemaRefused(pointer, `expected at most ${LIMITS.subschemas} subschemas`);
    }
    const place = isJsonObject(schema) ? this.#name(found, schema) : found;
    this.#places.set(pointer, place);
    if (!isJsonObject(schema)) return;
    const held = SUBSCHEMAS[this.dialect];
    for (const [keyword, value] of Object.entries(schema)) {
      const holds = held.get(keyword);
      if (holds !== undefined) this.#addHeld(place, keyword, holds, value, depth + 1);
    }
  }

  #addHeld({ pointer, base }: Place, keyword: string, holds: string, value: unknown, depth: number): void {
    const at = pointerTo(pointer, keyword);
    const isTuple = keyword === "items" && this.dialect === "draft-07" && Array.isArray(value);
    if (holds === "one" && !isTuple) return this.#add({ pointer: at, schema: value, base }, depth);
    if (holds === "map" ? !isJsonObject(value) : !Array.isArray(value)) return;
    for (const [key, schema] of Object.entries(value as object)) {
      // A list there is one of names.
      if (keyword === "dependencies" && Array.isArray(schema)) continue;
      this.#add({ pointer: pointerTo(at, key), schema, base }, depth);
    }
  }

  /** Reads what a schema calls itself. Draft-07 has `$ref` alone count, and anchors in `$id`. */
  #name(place: Place, schema: JsonObject): Place {
    const { pointer } = place;
    if (this.dialect === "draft-07" && "$ref" in schema) return place;
    if (pointer !== "" && schema["$schema"] !== undefined && dialectOf(schema["$schema"]) !== this.dialect) {
      throw new SchemaRefused(
        pointerTo(pointer, "$schema"),
        `expected the dialect of the whole schema, ${this.dialect}`,
      );
    }
    const named = schema["$id"] === undefined ? place : this.#nameById(place, schema["$id"]);
    if (this.dialect === "2020-12") {
      for (const keyword of ["$anchor", "$dynamicAnchor"]) this.#nameByAnchor(named, keyword, schema[keyword]);
    }
    return named;
  }

  #nameById(place: Place, id: unknown): Place {
    const at = pointerTo(place.pointer, "$id");
    if (typeof id !== "string") throw new SchemaRefused(at, "expected a URI");
    const uri = parseUri(id, place.base, at);
    const anchor = decode(uri.hash.slice(1), at);
    if (anchor !== "" && this.dialect === "2020-12") {
      throw new SchemaRefused(at, "expected no fragment: $anchor names a place");
    }
    const isAnchorOnly = id.startsWith("#");
    const named = isAnchorOnly ? place : { ...place, base: hrefWithoutHash(uri) };
    if (!isAnchorOnly) this.#register(named.base, named, at);
    if (anchor !== "") this.#register(`${named.base}#${anchor}`, named, at);
    return named;
  }

  #nameByAnchor(place: Place, keyword: string, anchor: unknown): void {
    if (anchor === undefined) return;
    const at = pointerTo(place.pointer, keyword);
    if (typeof anchor !== "string" || !/^[A-Za-z_][-A-Za-z0-9._]*$/.test(anchor)) {
      throw new SchemaRefused(at, "expected a name: a letter, then letters, digits, dots, dashes or underscores");
    }
    this.#register(`${place.base}#${anchor}`, place, at);
  }

  #register(uri: string, place: Place, at: string): void {
    const holder = this.#named.get(uri);
    if (holder && holder.pointer !== place.pointer) {
      throw new SchemaRefused(at, `expected a name of its own: ${quote(holder.pointer)} has it, too`);
    }
    this.#named.set(uri, place);
  }
}

const quote = (text: string): string => JSON.stringify(markCut(text, LIMITS.issueNameChars));

function parseUri(reference: string, base: string, at: string): URL {
  const uri = URL.parse(reference, base);
  if (uri) return uri;
  throw new SchemaRefused(at, `expected a URI reference, got ${quote(reference)}`);
}

function hrefWithoutHash(uri: URL): string {
  const bare = new URL(uri);
  bare.hash = "";
  return bare.href;
}

function decode(text: string, at: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new SchemaRefused(at, "expected a URI whose escapes are UTF-8");
  }
}
