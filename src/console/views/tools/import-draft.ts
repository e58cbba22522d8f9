// What the form of an import holds, and the options of the request that come of it: all that the command line has.

import type { ImportOptions } from "../../api/import-api.ts";
import type { Pair } from "./tool-draft.ts";

/** Globs of what is imported and of what is not, apart by commas. */
export const GLOB_FIELDS = {
  includeTags: "Only these tags",
  excludeTags: "Not these tags",
  includePaths: "Only these paths",
  excludePaths: "Not these paths",
  includeOperations: "Only these operationIds",
  excludeOperations: "Not these operationIds",
} as const;

export type GlobField = keyof typeof GLOB_FIELDS;

/** All as it is typed; "" where nothing is said. */
export interface ImportDraft extends Record<GlobField, string> {
  api: string;
  prefix: string;
  server: string;
  headers: readonly Pair[];
  maxTools: string;
  deprecated: boolean;
  outputSchemas: boolean;
  removeGone: boolean;
}

export const NEW_IMPORT: ImportDraft = {
  api: "",
  prefix: "",
  server: "",
  headers: [],
  includeTags: "",
  excludeTags: "",
  includePaths: "",
  excludePaths: "",
  includeOperations: "",
  excludeOperations: "",
  maxTools: "",
  deprecated: false,
  outputSchemas: false,
  removeGone: false,
};

/** Nothing is sent of what was not said. */
export function toImportOptions(draft: ImportDraft, dryRun: boolean): ImportOptions {
  const headers = draft.headers
    .filter(({ name, value }) => `${name}${value}`.trim() !== "")
    .map(({ name, value }) => `${name.trim()}: ${value.trim()}`);
  const texts = (["api", "prefix", "server", "maxTools"] as const).flatMap((name) => {
    const text = draft[name].trim();
    return text === "" ? [] : [[name, text]];
  });
  const globs = (Object.keys(GLOB_FIELDS) as GlobField[]).flatMap((name) => {
    const list = draft[name].split(",").map((glob) => glob.trim());
    const given = list.filter((glob) => glob !== "");
    return given.length === 0 ? [] : [[name, given]];
  });
  return {
    ...Object.fromEntries([...texts, ...globs]),
    ...(headers.length > 0 && { headers }),
    ...(draft.deprecated && { deprecated: true }),
    ...(draft.outputSchemas && { outputSchemas: "on" }),
    ...(dryRun && { dryRun }),
    ...(draft.removeGone && { removeGone: true }),
  };
}
