// What passes between the run and its client processes.

/** A WebSocket session, a session's GET stream, a `subscriptions/listen`, or a socket of the bare hub. */
export type ListenerKind = "websocket" | "get" | "listen" | "bare";

export interface Target {
  kind: ListenerKind;
  /** The server's origin, or a door to it. */
  url: string;
  key: string;
}

export type Command =
  | { do: "open"; targets: Target[]; atOnce: number }
  /** From now on counts from nothing. */
  | { do: "reset" }
  /** Answered once every listener has heard a change, or after the time. */
  | { do: "await"; timeoutMs: number }
  | { do: "read" }
  /** Lists the tools with one in so many listeners: the title that each sees on a tool. */
  | { do: "list"; everyNth: number; tool: string }
  /** Drops all connections without a word. */
  | { do: "drop" };

export interface Heard {
  kind: ListenerKind;
  /** How often `list_changed` came since the reset; times are `nowMs()`. */
  count: number;
  firstMs: number;
  lastMs: number;
  /** The version that the last one was for, where its event says. */
  version?: number;
  /** Why the connection is gone, if it is. */
  closed?: string;
}

export interface Hearing {
  heard: Heard[];
  /** CPU time of the process since the reset. */
  cpuMs: number;
}

export interface Question {
  id: number;
  command: Command;
}

export interface Reply {
  id: number;
  result?: unknown;
  error?: string;
}
