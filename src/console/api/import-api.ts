import type { Verdict } from "../../lint/verdict.ts";
import type { ToolRecord } from "../../tools/tool-record.ts";
import type { AdminApi, AdminRequest } from "./admin-api.ts";

export type ImportOptions = NonNullable<AdminRequest["query"]>;

/** What an operation came to, or would. */
export interface ImportedTool {
  name: string;
  operation: string;
  change: "create" | "update" | "unchanged" | "conflict";
  /** With a dry run. */
  record?: ToolRecord;
}

export interface ImportAnswer {
  dryRun?: true;
  version: number;
  api: string;
  serverUrl?: string;
  tools: ImportedTool[];
  skipped: { operation: string; reason: string }[];
  notes: { operation?: string; note: string }[];
  secrets: { name: string; set: boolean; expects?: string }[];
  /** What clients refuse of the tools that are made or changed, or warn of. */
  warnings: Verdict[];
  /** Tools of an earlier import that the document has no more. */
  gone: string[];
}

/** `version` is that of the preview: what changed since is not written over. */
export const importOpenApi = (
  api: AdminApi,
  document: string,
  query: ImportOptions,
  version: number | undefined,
): Promise<ImportAnswer> =>
  api.ask("POST", "/imports/openapi", { query, body: document, ...(version !== undefined && { ifMatch: version }) });
