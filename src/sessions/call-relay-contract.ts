// What passes between a call's relay, the isolate that runs the call, and those where its client turns up meanwhile.

import type { JsonObject } from "../lib/json-value.ts";

/** A message of a call's stream, under its place on it. */
export interface RelayedMessage {
  seq: number;
  text: string;
}

export interface RelayPage {
  v: 1;
  messages: RelayedMessage[];
  /** Whether the last of them ends the stream. */
  done: boolean;
}

/** What a client did about a running call. */
export type ClientEvent =
  | { v: 1; kind: "cancelled" }
  | { v: 1; kind: "answered"; question: number; response: JsonObject };

/** That, under its place among all that it did; or that nothing more will come. */
export type RelayEvent = (ClientEvent & { seq: number }) | { v: 1; kind: "closed" };

export interface CallRelayStub {
  /** Begins a call's relay; an earlier one of the same name is forgotten. */
  open(): Promise<void>;
  /** Keeps messages for a client that comes back; `done` with the last. */
  append(messages: RelayedMessage[], done: boolean): Promise<void>;
  /**
   * Messages after `seq`, once there are any. `undefined` when there is no such call, not any more, or when too many
   * follow it.
   */
  read(seq: number): Promise<RelayPage | undefined>;
  /** The next thing that the client did after `seq`, once it does. What is up to there is heard, and let go. */
  nextEvent(seq: number): Promise<RelayEvent>;
  /** The client's part. Whether there is such a call to hear of it. */
  deliver(event: ClientEvent): Promise<boolean>;
}
