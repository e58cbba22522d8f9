// What passes between the registry and its callers. Every payload has a version and changes only by addition: during a
// deploy, old and new talk to each other.

import type { Scope } from "../keys/key-record.ts";
import type { Closure } from "../sessions/hub-contract.ts";
import type { ToolAnnotations } from "../tools/define-tool.ts";

/** What an operator decided about a tool; the rest of a built-in tool is code. */
export interface ToolRow {
  name: string;
  enabled: boolean;
  annotations?: ToolAnnotations;
  /** What a call costs, where that differs from the code's own. */
  cost?: number;
}

export interface Snapshot {
  v: 1;
  version: number;
  /** Rows that differ from the code's own; absent when the caller has this version already. */
  rows?: ToolRow[];
}

export interface ToolPatch {
  enabled?: boolean | undefined;
  annotations?: ToolAnnotations | undefined;
  /** `null` goes back to the code's own. */
  cost?: number | null | undefined;
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

/** A hub's stay on the roster: what it is told of from now on, and what was closed just before. */
export interface RosterEntry {
  v: 1;
  version: number;
  epoch: number;
  closures: Closure[];
}

export interface RegistryStub {
  /** The catalogue, or its version alone when that is what the caller has. */
  readSnapshot(have: number): Promise<Snapshot>;
  /** With `ifVersion`, only when the catalogue still is at that version. */
  changeTool(name: string, patch: ToolPatch, ifVersion?: number): Promise<ToolChange>;
  /** Lists a key. `false` when the index is full. */
  addKey(row: KeyRow): Promise<boolean>;
  readKeys(after: string, limit: number): Promise<KeyPage>;
  /** Lists a key that is listed already as it is now; when it was revoked stays. */
  changeKey(row: KeyRow): Promise<void>;
  /** Whether the index lists such a key. */
  markKeyRevoked(keyId: string, atMs: number): Promise<boolean>;
  /** Closes all sockets and streams with a tag, within a second or so. */
  closeSockets(tag: string): Promise<void>;
  /** The hubs on the roster. */
  readHubs(): Promise<string[]>;
  /** Puts a hub on the roster, or renews its place; answers the version from which on it will be told. */
  joinRoster(hub: string): Promise<RosterEntry>;
}
