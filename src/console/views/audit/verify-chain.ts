// Checks the chain of admin actions in this browser, with nothing of the server's but what it hands out. A row's hash is
// SHA-256 over the hash before it, a line feed and the row's JSON with its members in the order of their names.

import { readActions, type AdminRow, type Chain, type ChainLink } from "../../api/audit-api.ts";
import type { AdminApi } from "../../api/admin-api.ts";
import { SERVER_LIMITS } from "../../server-limits.ts";

export interface Verified {
  rows: number;
  anchor: ChainLink;
  head: ChainLink;
  /** What is wrong and where; all is well without it. */
  fault?: string;
}

/** More than any server keeps. */
const MAX_PAGES = 1_000;

/** Reads all admin actions and checks them. Rows that are added meanwhile are not among them. */
export async function verifyChain(api: AdminApi, signal: AbortSignal): Promise<Verified> {
  const rows: AdminRow[] = [];
  let head: ChainLink | undefined;
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await readActions(
      api,
      { limit: SERVER_LIMITS.auditPageMaxItems, ...(cursor !== undefined && { cursor }) },
      signal,
    );
    if (!page.chain) break;
    const { anchor } = page.chain;
    head ??= page.chain.head;
    rows.push(...page.rows);
    if (page.nextCursor === undefined) {
      // The oldest may have gone by age while they were read.
      const kept = rows.filter(({ seq }) => seq > anchor.seq);
      const fault = await findFault(kept, { anchor, head });
      return { rows: kept.length, anchor, head, ...(fault !== undefined && { fault }) };
    }
    cursor = page.nextCursor;
  }
  throw new Error("The server handed out no chain that ends.");
}

/** The first fault from the newest row down: numbers without a gap, each hash over the row and the hash before it. */
export async function findFault(rows: readonly AdminRow[], { anchor, head }: Chain): Promise<string | undefined> {
  let expected = head;
  for (const [index, row] of rows.entries()) {
    const before: ChainLink = rows[index + 1] ?? anchor;
    const fault = await faultOf(row, expected, before);
    if (fault !== undefined) return fault;
    expected = before;
  }
  if (rows.length > 0 || head.seq === anchor.seq) return undefined;
  return `rows ${anchor.seq + 1} to ${head.seq} are missing`;
}

async function faultOf(row: AdminRow, expected: ChainLink, before: ChainLink): Promise<string | undefined> {
  const { seq, hash } = row;
  if (seq !== expected.seq) return `row ${expected.seq} is missing: row ${seq} stands in its place`;
  if (hash !== expected.hash) return `row ${seq} has another hash than its place in the chain says`;
  if (before.seq !== seq - 1) return `row ${seq - 1} is missing: row ${seq} follows row ${before.seq}`;
  if (hash === (await hashOf(before.hash, row))) return undefined;
  return `row ${seq} does not fit its hash: it, or row ${before.seq} before it, was changed`;
}

async function hashOf(previous: string, row: AdminRow): Promise<string> {
  const { kind: _, id: __, hash: ___, ...content } = row;
  const text = `${previous}\n${canonicalJson(content)}`;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const canonicalJson = (value: object): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
