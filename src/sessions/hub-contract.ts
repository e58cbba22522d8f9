// What passes between hubs, the registry and the Worker's own entrypoint. Payloads change only by addition.

import type { ToolRules } from "../keys/key-record.ts";
import type { JsonObject } from "../lib/json-value.ts";
import type { Region } from "../lib/region.ts";
import type { Abilities } from "../protocol/abilities.ts";
import type { Id } from "../protocol/json-rpc.ts";
import type { LogLevel } from "../protocol/log-level.ts";
import type { SocketKind } from "./attachment.ts";

/** Which revision the client on a socket speaks, and what it calls itself. */
export interface SocketSpeaker {
  revision: string;
  client: { name: string; version: string };
}

/** What `initialize` settled on a socket. */
export interface SocketHandshake extends SocketSpeaker {
  abilities: Abilities;
  logLevel?: LogLevel | undefined;
}

/** Who is on a socket and what was settled there: all that a frame needs besides itself. */
export interface SocketSession {
  v: 1;
  keyId: string;
  digest: string;
  /** The host that the client connected to, which tools may not fetch from. */
  host: string;
  /** Set where the frames come by way of HTTP+SSE. */
  transport?: "sse";
  /** What of the catalogue the key may see, where that is short enough to keep; without it, all news concern it. */
  tools?: ToolRules;
  /** When the key ends, in milliseconds since 1970. */
  expiresAtMs?: number;
  /** The region that the client connected to. */
  region?: Region;
  /** Tells what is kept here of the key from what it was before a change. */
  changes?: number;
  /** How many sockets and streams the key may hold open, where that is its own number. */
  streams?: number;
  /** The legacy session, once `initialize` was answered. */
  legacy?: SocketHandshake;
  /** A client without such a session, once it is known. */
  speaker?: SocketSpeaker;
}

/**
 * What to do about a frame: send `text` if there is any, keep what is new, end the call or subscription that the client
 * cancelled, pass on its response to a question, close if told so.
 */
export interface FrameAnswer {
  v: 1;
  text?: string;
  legacy?: SocketHandshake;
  /** The request whose client now hears of changes, and who that is. */
  subscribe?: Id;
  /** What its key may see changed so lately that the client may hold a list from before. */
  changedOfLate?: true;
  speaker?: SocketSpeaker;
  /** Whether the frame made no sense as the first of a session. */
  noGreeting?: true;
  cancel?: Id;
  response?: JsonObject;
  /** What the messages of a batch ask of the hub, each as if it were alone. */
  parts?: Pick<FrameAnswer, "cancel" | "response">[];
  close?: { code: number; reason: string };
}

/** The hub's side of one request, for as long as it runs. */
export interface FrameChannel {
  /** Sends a message that belongs to the request. */
  send(text: string): Promise<void>;
  /** Sends a question and waits for its response. */
  ask(question: string, text: string): Promise<JsonObject>;
  /** Settles when the client cancels the request, or is gone. */
  whenCancelled(id: Id): Promise<void>;
  /** Asks to run so many requests besides the frame's first; how many may. */
  claim(count: number): Promise<number>;
}

export interface McpEntrypointStub {
  answerFrame(frame: string, session: SocketSession, channel: FrameChannel): Promise<FrameAnswer>;
  /** Begins to list an upstream's tools, and answers at once. */
  refreshUpstream(name: string): Promise<{ v: 1 }>;
}

/** A closure of all sockets and streams with a tag, in the order of the registry's outbox. */
export interface Closure {
  seq: number;
  tag: string;
}

/** One version of the catalogue. Its age travels, not its time: clocks differ from machine to machine. */
export interface Change {
  version: number;
  agoMs: number;
  /** The tools that changed; absent when it may be any. */
  tools?: string[];
}

/** What the registry has to tell a hub. */
export interface Publication {
  v: 1;
  version: number;
  epoch: number;
  closures: Closure[];
  /** The latest changes up to `version`, without a gap, oldest first. */
  changes: Change[];
  /** Sockets and streams at all hubs, as far as it is known. */
  audience: number;
}

/** What a hub tells the edge's end of a stream: the version it is at, and whether its client is to be told. */
export interface VersionFrame {
  version: number;
  isNews: boolean;
}

/** A live socket or stream as an operator sees it. */
export interface HubListener {
  kind: SocketKind;
  keyId: string;
  openedAtMs: number;
  revision?: string;
  client?: { name: string; version: string };
}

export interface HubStatus {
  v: 1;
  /** When the hub woke from its last sleep. */
  awakeSinceMs: number;
  /** How many there are, and the first of them. */
  total: number;
  listeners: HubListener[];
}

export interface HubStub {
  fetch(request: Request): Promise<Response>;
  /**
   * Tells every socket that has not heard of it of a catalogue version, and closes those that a closure names.
   * `sockets` 0 means that the hub has left the roster at `epoch` and joins again with its next socket.
   */
  publish(publication: Publication): Promise<{ v: 1; sockets: number }>;
  /** Who is connected: at most `limit`, those of one key alone if one is named. */
  readStatus(limit: number, keyId?: string): Promise<HubStatus>;
  /** A message of a client whose own stream only goes one way. Whether that stream is there. */
  receive(tag: string, frame: string): Promise<boolean>;
}

/** Tags under which a hub finds sockets. */
export const keyTag = (keyId: string): string => `key:${keyId}`;
export const sessionTag = (sessionId: string): string => `session:${sessionId}`;
export const channelTag = (channel: string): string => `channel:${channel}`;

/** Closes a socket whose end is meant and not to be mended (RFC 6455, section 7.4.1: policy). */
export const ENDED_CODE = 1008;
/** Closes a socket whose client may well come back (RFC 6455, section 7.4.1: going away). */
export const AWAY_CODE = 1001;
/** Closes a socket that newer code can't make sense of (IANA's registry of close codes: service restart). */
export const RESTART_CODE = 1012;
