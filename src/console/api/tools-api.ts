import type { Verdict } from "../../lint/verdict.ts";
import type { HttpSource, CodeSource, ToolRecord } from "../../tools/tool-record.ts";
import { pathOf, type AdminApi } from "./admin-api.ts";

/** Where a tool's calls go, as the admin API tells it. */
export type ToolSourceView =
  | { kind: "builtin" }
  | HttpSource
  | (Omit<CodeSource, "module"> & { hash: string; module?: string })
  /** `annotations` are what the upstream says; an operator's own are laid over them. */
  | { kind: "upstream"; upstream?: string; url?: string; tool?: string; annotations?: ToolRecord["annotations"] };

/** A tool as the admin API tells it: its definition, and what an operator decided. */
export interface ToolView extends Omit<ToolRecord, "source" | "enabled"> {
  name: string;
  enabled: boolean;
  source: ToolSourceView;
}

export interface ToolVersionView {
  version: number;
  at: string;
  who: string;
  deleted?: true;
  tool?: Partial<ToolView>;
}

/** What a change answers. */
export interface ChangeAnswer {
  version: number;
  enabled?: false;
  warnings?: Verdict[];
}

/** One thing that is wrong with a record, and its place there. */
export interface Fault {
  path: string;
  message: string;
}

export interface CheckAnswer {
  /** Where nothing is wrong. */
  change?: "create" | "update";
  /** Members that an update changes; none where the record is what the catalogue has. */
  changed?: string[];
  faults: Fault[];
  warnings: Verdict[];
}

export const listTools = (api: AdminApi, signal?: AbortSignal): Promise<{ version: number; tools: ToolView[] }> =>
  api.ask("GET", "/tools", { ...(signal && { signal }) });

export const showTool = (api: AdminApi, name: string): Promise<ToolView & { version: number }> =>
  api.ask("GET", pathOf("tools", name));

export const putTool = (api: AdminApi, name: string, record: string, ifMatch?: number): Promise<ChangeAnswer> =>
  api.ask("PUT", pathOf("tools", name), { body: record, ...(ifMatch !== undefined && { ifMatch }) });

/** Checks a record as `putTool` would, and stores nothing. */
export const checkTool = (api: AdminApi, name: string, record: string, signal: AbortSignal): Promise<CheckAnswer> =>
  api.ask("PUT", pathOf("tools", name), { query: { dryRun: true }, body: record, signal });

export interface ToolPatch {
  enabled?: boolean;
  annotations?: ToolView["annotations"];
  /** `null` goes back to the tool's own. */
  cost?: number | null;
}

export const patchTool = (api: AdminApi, name: string, patch: ToolPatch): Promise<ChangeAnswer> =>
  api.ask("PATCH", pathOf("tools", name), { body: patch });

export const setEnabled = (api: AdminApi, name: string, enabled: boolean): Promise<ChangeAnswer> =>
  patchTool(api, name, { enabled });

export const deleteTool = (api: AdminApi, name: string): Promise<ChangeAnswer> =>
  api.ask("DELETE", pathOf("tools", name));

export const readHistory = (api: AdminApi, name: string): Promise<{ versions: ToolVersionView[] }> =>
  api.ask("GET", `${pathOf("tools", name)}/history`);

export const readVersion = (api: AdminApi, name: string, version: number): Promise<ToolVersionView> =>
  api.ask("GET", `${pathOf("tools", name)}/history/${version}`);

export const lintTool = (api: AdminApi, name: string): Promise<Verdict[]> =>
  api.ask("POST", `${pathOf("tools", name)}/lint`);

export const lintAll = (api: AdminApi): Promise<Verdict[]> => api.ask("POST", "/lint");
