// The trail as JSON lines, for a file. The server answers with so many rows at a time, and each answer says by its last
// line that it is whole.

import type { AdminApi } from "../../api/admin-api.ts";
import { openExport, type AuditFilter } from "../../api/audit-api.ts";

/** As many as a browser should hold before they are a file; the command line has no such bound. */
export const MAX_EXPORT_ROWS = 200_000;

export interface Exported {
  lines: Blob;
  rows: number;
  /** Whether there are more than a browser takes. */
  isCut: boolean;
}

interface End {
  rows: number;
  nextCursor?: string;
}

/** `onRows` is told how many there are so far. */
export async function exportTrail(
  api: AdminApi,
  filter: AuditFilter,
  onRows: (rows: number) => void,
  signal: AbortSignal,
): Promise<Exported> {
  const parts: string[] = [];
  const take = (line: string): void => {
    if (parts.push(line) % 1_000 === 0) onRows(parts.length);
  };
  let cursor: string | undefined;
  do {
    const response = await openExport(api, { ...filter, ...(cursor !== undefined && { cursor }) }, signal);
    const end = await takeLines(response, take);
    if (!end) throw new Error("The export broke off before its end. Try again.");
    cursor = end.nextCursor;
  } while (cursor !== undefined && parts.length < MAX_EXPORT_ROWS);
  const lines = new Blob(parts, { type: "application/x-ndjson" });
  return { lines, rows: parts.length, isCut: cursor !== undefined };
}

/** Hands on each row's line and answers the last line, if it came. */
async function takeLines({ body }: Response, take: (line: string) => void): Promise<End | undefined> {
  let [text, end] = ["", undefined as End | undefined];
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  for (let chunk = await reader?.read(); chunk?.value; chunk = await reader?.read()) {
    text += decoder.decode(chunk.value, { stream: true });
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith('{"kind":"end"')) end = JSON.parse(line) as End;
      else take(`${line}\n`);
    }
  }
  return end;
}

/** Has the browser save it. */
export function saveAs(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
