// What passes between the registry and its callers. Every payload has a version and changes only by addition: during a
// deploy, old and new talk to each other.

import type { Scope } from "../keys/key-record.ts";
import type { Region } from "../lib/region.ts";
import type { Change, Closure } from "../sessions/hub-contract.ts";
import type { ToolAnnotations } from "../tools/define-tool.ts";

/** What an operator decided about a tool; the rest of a built-in tool is code. */
export interface ToolRow {
  name: string;
  enabled: boolean;
  annotations?: ToolAnnotations;
}

export interface Snapshot {
  v: 1;
  version: number;
  /** Rows that differ from the code's own; absent when the caller has this version already. */
  rows?: ToolRow[];
  /** Whether isolates are to ask their region's replica from now on: more than one region is served. */
  replicas?: boolean;
}

/** Who asks for a snapshot: an isolate of a region, or its replica, which then holds a lease on what it was told. */
export interface SnapshotReader {
  region?: Region | undefined;
  isReplica?: boolean;
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
}

export type ToolChange =
  | { v: 1; outcome: "changed"; version: number }
  | { v: 1; outcome: "unknown_tool" }
  | { v: 1; outcome: "version_mismatch"; version: number };

/** A key as the index lists it. */
export interface KeyRow {
  id: string;
  name: string;
  urlKey: boolean;
  scopes: Scope[];
  createdAtMs: number;
  expiresAtMs?: number;
  revokedAtMs?: number;
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

export interface RegistryStub {
  /** The catalogue, or its version alone when that is what the caller has. */
  readSnapshot(have: number, reader?: SnapshotReader): Promise<Snapshot>;
  /** With `ifVersion`, only when the catalogue still is at that version. */
  changeTool(name: string, patch: ToolPatch, ifVersion?: number): Promise<ToolChange>;
  /** Lists a key. `false` when the index is full. */
  addKey(row: KeyRow): Promise<boolean>;
  readKeys(after: string, limit: number): Promise<KeyPage>;
  /** Whether the index lists such a key. */
  markKeyRevoked(keyId: string, atMs: number): Promise<boolean>;
  /** Closes all sockets and streams with a tag, within a second or so. */
  closeSockets(tag: string): Promise<void>;
  /** The hubs on the roster. */
  readHubs(): Promise<string[]>;
  /** Puts a hub on the roster, or renews its place; answers the version from which on it will be told. */
  joinRoster(hub: string): Promise<RosterEntry>;
  /** Stores a secret under the next version. */
  writeSecret(name: string, sealed: string, atMs: number): Promise<SecretWritten>;
  /** Puts the same value sealed anew in place of a version; `false` when another one is there. */
  resealSecret(name: string, version: number, sealed: string): Promise<boolean>;
  /** Whether it was there. */
  deleteSecret(name: string): Promise<boolean>;
  /** Those of these names that are set, all without names; in the order of names. */
  readSecrets(names?: string[]): Promise<{ v: 1; secrets: SecretRow[] }>;
}
