// Checks the chain of admin actions on this machine, with nothing of the server's but what it hands out.

import { createHash } from "node:crypto";
import { isObject, type JsonObject } from "./admin-api.ts";

export interface ChainLink {
  seq: number;
  hash: string;
}

export interface Chain {
  /** The last row that is gone; with number 0, none is. */
  anchor: ChainLink;
  head: ChainLink;
}

/** SHA-256, hex, over the hash before a row, a line feed and the row's canonical JSON. */
export const hashRow = (previous: string, row: JsonObject): string =>
  createHash("sha256")
    .update(`${previous}\n${canonicalJson(contentOf(row))}`)
    .digest("hex");

/**
 * Checks all rows, newest first, from the head down to the anchor: numbers without a gap, each hash over the row and the
 * hash before it. What is wrong and where, or `undefined`.
 */
export function checkRows(rows: readonly JsonObject[], { anchor, head }: Chain): string | undefined {
  let expected = head;
  for (const [index, row] of rows.entries()) {
    const next = rows[index + 1];
    const before = next ? linkOf(next) : anchor;
    const fault = checkRow(row, expected, before);
    if (fault !== undefined) return fault;
    expected = before;
  }
  if (rows.length > 0 || head.seq === anchor.seq) return undefined;
  return `rows ${anchor.seq + 1} to ${head.seq} are missing`;
}

function checkRow(row: JsonObject, expected: ChainLink, before: ChainLink): string | undefined {
  const { seq, hash } = linkOf(row);
  if (seq !== expected.seq) return `row ${expected.seq} is missing: row ${seq} stands in its place`;
  if (hash !== expected.hash) return `row ${seq} has another hash than its place in the chain says`;
  if (before.seq !== seq - 1) return `row ${seq - 1} is missing: row ${seq} follows row ${before.seq}`;
  if (hash === hashRow(before.hash, row)) return undefined;
  return `row ${seq} does not fit its hash: it, or row ${before.seq} before it, was changed`;
}

/** Reads the ends of the chain; `undefined` when they are not there. */
export function parseChain(value: unknown): Chain | undefined {
  if (!isObject(value) || !isObject(value["anchor"]) || !isObject(value["head"])) return undefined;
  return { anchor: linkOf(value["anchor"]), head: linkOf(value["head"]) };
}

export const linkOf = ({ seq, hash }: JsonObject): ChainLink => ({ seq: Number(seq), hash: String(hash) });

/** What the hash is over: everything but itself and what the list adds. */
function contentOf(row: JsonObject): JsonObject {
  const { kind: _, id: __, hash: ___, ...content } = row;
  return content;
}

const canonicalJson = (value: JsonObject): string =>
  JSON.stringify(value, (_, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
