import type { Gate } from "./app.ts";

/** A row of the audit trail as the admin API shows it. */
export type AuditRow = Record<string, unknown> & { kind: string; id: string; at: string };

export interface AuditAnswer {
  rows: AuditRow[];
  nextCursor?: string;
  lost: Record<string, number>;
  chain?: { anchor: { seq: number; hash: string }; head: { seq: number; hash: string } };
}

export const NOTHING_LOST = { full: 0, refused: 0, unsent: 0, queue: 0, trimmed: 0 };

/** A page of the trail; the query begins with `?`. */
export async function readAudit({ admin }: Pick<Gate, "admin">, query = ""): Promise<AuditAnswer> {
  const response = await admin("GET", `/audit${query}`);
  if (response.status !== 200) throw new Error(`audit: ${response.status} ${await response.text()}`);
  return response.json();
}

/** All rows that a query finds, page by page. */
export async function readAllAudit(gate: Pick<Gate, "admin">, query = "?kind=call"): Promise<AuditRow[]> {
  const rows: AuditRow[] = [];
  let cursor = "";
  do {
    const page = await readAudit(gate, `${query}${cursor}`);
    rows.push(...page.rows);
    cursor = page.nextCursor === undefined ? "" : `&cursor=${page.nextCursor}`;
  } while (cursor !== "");
  return rows;
}
