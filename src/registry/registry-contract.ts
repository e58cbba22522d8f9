// What passes between the registry and its callers. Every payload has a version and changes only by addition: during a
// deploy, old and new talk to each other.

import type { AdminAct } from "../audit/admin-act.ts";
import type { AdminPage } from "../audit/admin-log.ts";
import type { AuditQuery } from "../audit/audit-contract.ts";
import type { Scope } from "../keys/key-record.ts";
import type { Region } from "../lib/region.ts";
import type { Change, Closure } from "../sessions/hub-contract.ts";
import type { ToolAnnotations } from "../tools/define-tool.ts";
import type { StoredRecord } from "../tools/tool-record.ts";
import type { UpstreamRegistry } from "./upstream-contract.ts";

/** What an operator decided about a tool, and the tool itself where it came as data. */
export interface ToolRow {
  name: string;
  enabled: boolean;
  annotations?: ToolAnnotations;
  /** What a call costs, where that differs from the code's own. */
  cost?: number;
  record?: StoredRecord;
}

/** A row with the version that changed it last; `null` for one that is gone. */
export interface RowChange {
  name: string;
  version: number;
  row: ToolRow | null;
}

export interface Snapshot {
  v: 1;
  version: number;
  /** The rows that changed after `since`, or without it all there are; absent when the caller has this version. */
  rows?: RowChange[];
  since?: number;
  /** Whether isolates are to ask their region's replica from now on: more than one region is served. */
  replicas?: boolean;
  /** For how long after it asked, in milliseconds, an isolate may list from this. */
  listableMs?: number;
  /** The newest version that clients were told of by then, for who lists. */
  published?: number;
}

/** Who asks for a snapshot: an isolate of a region, or its replica, which then holds a lease on what it was told. */
export interface SnapshotReader {
  region?: Region | undefined;
  isReplica?: boolean;
  /** Whether it will answer lists for as long as it may. */
  lists?: boolean;
}

/** A region's copy of the catalogue, between its isolates and the registry. */
export interface CatalogueReplicaStub {
  /** As the registry's, never older than any version that a client was told of. */
  readSnapshot(have: number, reader: SnapshotReader): Promise<Snapshot>;
  /** What the registry tells it before any client hears of a change. */
  refresh(snapshot: Snapshot): Promise<{ v: 1 }>;
}

export interface ToolPatch {
  enabled?: boolean | undefined;
  annotations?: ToolAnnotations | undefined;
  /** `null` goes back to the code's own. */
  cost?: number | null | undefined;
}

/**
 * What an operator wants of one tool. `put` replaces all that was decided about it, but with `keepsEnabled` not whether it
 * is enabled; `module` is a code tool's.
 */
export type ToolEdit =
  | { op: "put"; name: string; row: ToolRow; module?: string; keepsEnabled?: true }
  | { op: "patch"; name: string; patch: ToolPatch }
  | { op: "delete"; name: string };

/**
 * All edits, or none. `created` are the tools that were not there, `disabled` those that were put and are not enabled;
 * `unchanged` where all was so; `listedInMs` how long lists may still be older.
 */
export type EditOutcome =
  | {
      v: 1;
      outcome: "changed";
      version: number;
      created: string[];
      disabled?: string[];
      unchanged?: true;
      listedInMs?: number;
    }
  | { v: 1; outcome: "unknown_tool" | "builtin_tool"; name: string }
  | { v: 1; outcome: "version_mismatch"; version: number }
  | { v: 1; outcome: "catalogue_full" };

/** What edits are recorded as where they are one action: an import. */
export type EditAct = Pick<AdminAct, "action" | "target" | "detail">;

/** A version of a tool that an operator made: what it was from then on, or `null` where it was deleted. */
export interface ToolVersion {
  version: number;
  atMs: number;
  who: string;
  row: ToolRow | null;
}

/** A key as the index lists it. */
export interface KeyRow {
  id: string;
  name: string;
  urlKey: boolean;
  scopes: Scope[];
  createdAtMs: number;
  expiresAtMs?: number;
  revokedAtMs?: number;
  discovery?: boolean;
  /** The last act on the key that is recorded. */
  noted?: number;
  /** Absent in rows from before they were listed. */
  limits?: {
    perMinute: number;
    burst: number;
    perDay?: number;
    concurrent?: number;
    streams?: number;
    tools?: Record<string, { perMinute: number; burst: number }>;
  };
}

/** Who did what to a key. */
export type KeyAct = Pick<AdminAct, "who" | "action" | "detail">;

/** An act and what came of it, under its number among all acts on its key. */
export interface KeyNews {
  n: number;
  act: KeyAct & Pick<AdminAct, "outcome">;
}

export interface KeyPage {
  keys: KeyRow[];
  /** The id to go on after. */
  next?: string;
}

/** A hub's stay on the roster: what it is told of from now on, and what changed and was closed just before. */
export interface RosterEntry {
  v: 1;
  version: number;
  epoch: number;
  closures: Closure[];
  changes: Change[];
}

/** A secret as it is stored: sealed at the edge, which alone can open it. */
export interface SecretRow {
  name: string;
  /** Grows with every write of any secret. */
  version: number;
  setAtMs: number;
  sealed: string;
}

export type SecretWritten = { v: 1; outcome: "written"; version: number } | { v: 1; outcome: "full" };

/** How the registry is, in numbers alone. */
export interface RegistryState {
  v: 1;
  version: number;
  /** The newest version that clients were told of. */
  published: number;
  /** Tools that came as data or that an operator decided something about. */
  toolRows: number;
  keys: number;
  /** Hubs on the roster, those that have still something to be told, and sockets and streams at all of them. */
  hubs: number;
  lateHubs: number;
  sockets: number;
  upstreams: number;
  failingUpstreams: number;
  databaseBytes: number;
}

export interface RegistryStub extends UpstreamRegistry {
  /** The catalogue, or its version alone when that is what the caller has. */
  readSnapshot(have: number, reader?: SnapshotReader): Promise<Snapshot>;
  /** As one version; with `ifVersion`, only when the catalogue still is at that. `who` acts is recorded, as with all changes. */
  editTools(edits: ToolEdit[], ifVersion?: number, who?: string, as?: EditAct): Promise<EditOutcome>;
  /** The latest versions of a tool, newest first. */
  readToolHistory(name: string): Promise<ToolVersion[]>;
  /** A code tool's module by the hash of its text. */
  readModule(hash: string): Promise<string | undefined>;
  /** Lists a key. `false` when the index is full. */
  addKey(row: KeyRow, who?: string): Promise<boolean>;
  readKeys(after: string, limit: number): Promise<KeyPage>;
  /** As `noteKey`, by isolates from before that: lists a key as it is now; when it was revoked stays. */
  changeKey(row: KeyRow, act: KeyAct): Promise<void>;
  /** Lists a key as it is and records its news, the oldest first; what came before changes nothing when it comes again. */
  noteKey(row: KeyRow, news: KeyNews[]): Promise<void>;
  /** Whether the index lists such a key. */
  markKeyRevoked(keyId: string, atMs: number, who?: string): Promise<boolean>;
  readAdminLog(query: AuditQuery): Promise<AdminPage>;
  readState(): Promise<RegistryState>;
  /** Closes all sockets and streams with a tag, within a second or so. */
  closeSockets(tag: string): Promise<void>;
  /** The hubs on the roster. */
  readHubs(): Promise<string[]>;
  /** Puts a hub on the roster, or renews its place; answers the version from which on it will be told. */
  joinRoster(hub: string): Promise<RosterEntry>;
  /** Stores a secret under the next version. */
  writeSecret(name: string, sealed: string, atMs: number, who?: string): Promise<SecretWritten>;
  /** Puts the same value sealed anew in place of a version; `false` when another one is there. */
  resealSecret(name: string, version: number, sealed: string, who?: string): Promise<boolean>;
  /** Whether it was there. */
  deleteSecret(name: string, who?: string): Promise<boolean>;
  /** Those of these names that are set, all without names; in the order of names. */
  readSecrets(names?: string[]): Promise<{ v: 1; secrets: SecretRow[] }>;
}
