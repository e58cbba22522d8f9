// What the registry and its callers say of upstreams. As in the registry's contract, payloads change only by addition.

import type { Verdict } from "../lint/verdict.ts";
import type { Upstream } from "../tools/upstream/upstream-record.ts";
import type { EditOutcome, ToolEdit } from "./registry-contract.ts";

/** A tool of an upstream's that is not served, and why. */
export interface SkippedTool {
  tool: string;
  reason: string;
}

/** What came of listing an upstream's tools. */
export interface UpstreamStatus {
  /** `new` until it was tried for the first time. */
  state: "new" | "ok" | "failing";
  sinceMs: number;
  /** When it was tried last, and when that went well. */
  triedAtMs?: number;
  refreshedAtMs?: number;
  /** Why it is failing. */
  reason?: string;
  /** The protocol revision that it speaks. */
  revision?: string;
  /** How many of its tools are served. */
  tools: number;
  skipped: SkippedTool[];
  /** Those that the record leaves out; none where it was written before they were noted. */
  excluded?: string[];
  warnings: Verdict[];
}

export interface UpstreamRow {
  name: string;
  /** Grows with every write of any upstream's record. */
  edition: number;
  record: Upstream;
  status: UpstreamStatus;
}

type VersionMismatch = Extract<EditOutcome, { outcome: "version_mismatch" }>;

export type UpstreamWritten =
  | { v: 1; outcome: "written"; edition: number; created: boolean }
  | { v: 1; outcome: "full" }
  | VersionMismatch;

/** What a list makes of the catalogue and of the upstream's status: one change, under the edition that was listed. */
export interface UpstreamChange {
  v: 1;
  name: string;
  edition: number;
  edits: ToolEdit[];
  /** The catalogue's version that the edits were worked out from. */
  ifVersion: number;
  status: UpstreamStatus;
  who: string;
  /** Whether an operator asked for it: then it is recorded although nothing changed. */
  isAsked: boolean;
}

export type UpstreamOutcome = EditOutcome | { v: 1; outcome: "upstream_changed" };

export type UpstreamDeleted =
  | { v: 1; outcome: "deleted"; version: number; listedInMs?: number }
  | { v: 1; outcome: "unknown_upstream" }
  | VersionMismatch;

/** The registry's part on upstreams. */
export interface UpstreamRegistry {
  /** Those of these names that there are, all without names; in the order of names. With the catalogue's version. */
  readUpstreams(names?: string[]): Promise<{ v: 1; upstreams: UpstreamRow[]; version: number }>;
  /**
   * Stores a record under the next edition; what is known of its tools stays until they are listed again. With `ifVersion`,
   * only while the catalogue is at that.
   */
  writeUpstream(name: string, record: Upstream, who?: string, ifVersion?: number): Promise<UpstreamWritten>;
  /** All of it, or nothing. */
  applyUpstream(change: UpstreamChange): Promise<UpstreamOutcome>;
  /** Has it listed at a time, if that is not to be done before then. */
  hastenUpstream(name: string, atMs: number): Promise<void>;
  /** Takes it away with all its tools, as one version; `ifVersion` as above. */
  deleteUpstream(name: string, who?: string, ifVersion?: number): Promise<UpstreamDeleted>;
}
