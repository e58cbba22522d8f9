/** What the Worker under load has seen of its own objects since it started. */
export interface Observed {
  /** When a hub was constructed, in milliseconds since 1970. */
  hubsAwokeAtMs: number[];
  /** Events delivered to objects: RPC calls, requests, alarms, frames and closes, as `Class.method`. */
  events: Record<string, number>;
  publications: Publication[];
}

/** A hub begins to tell its sockets of a version. */
export interface Publication {
  hub: string;
  version: number;
  atMs: number;
}

/** Answers `Observed`; no object is asked for it. */
export const OBSERVED_PATH = "/bench/observed";
/** A WebSocket of the bare hub's, or with POST a broadcast to all that hang on it. */
export const BARE_HUB_PATH = "/bench/bare-hub";
