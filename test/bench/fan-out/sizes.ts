// How much is measured, and what it is measured against.

export interface Sizes {
  /** WebSocket sessions, once on one hub, once on as many as the hub's cap makes of them. */
  sockets: number;
  /** The cap that one hub needs to hold them all. */
  oneHub: { hubSockets: number };
  /** The cap for the other run; empty for the product's own. */
  manyHubs: { hubSockets?: number };
  /** Event streams, half of them GET streams of sessions, half `subscriptions/listen`. */
  streams: number;
  /** Single changes, one after the other. */
  changes: number;
  /** For how long changes are made without a pause. */
  steadyMs: number;
  /** WebSockets, and as many streams, that idle and are then dropped. */
  idlers: number;
  idleMs: number;
  /** Empty for the product's own. */
  keepAlive: { keepAliveMs?: number };
  /** The whole run. */
  deadlineMs: number;
}

export const FULL: Sizes = {
  sockets: 10_000,
  oneHub: { hubSockets: 12_000 },
  manyHubs: {},
  streams: 2_000,
  changes: 5,
  steadyMs: 2_000,
  idlers: 200,
  idleMs: 60_000,
  keepAlive: {},
  deadlineMs: 355_000,
};

export const QUICK: Sizes = {
  sockets: 160,
  oneHub: { hubSockets: 12_000 },
  manyHubs: { hubSockets: 128 },
  streams: 64,
  changes: 2,
  steadyMs: 1_000,
  idlers: 16,
  idleMs: 12_500,
  keepAlive: { keepAliveMs: 4_000 },
  deadlineMs: 120_000,
};

/** Times are told next to these and decide nothing; a machine that is busy with something else misses them. */
export const TARGETS = {
  /** From the publication to the last of 10,000 WebSockets, and of 2,000 streams. */
  socketsMs: 750,
  streamsMs: 400,
  /** Past its keep-alive, a stream whose client is gone. */
  dropSlackMs: 1_000,
};

export const BURST = {
  changes: 100,
  /** What a listener may hear of a burst that is over before two publications could follow each other. */
  heardMax: 2,
};

/** Changes on their way at a time, when they come in numbers. */
export const CHANGES_AT_ONCE = 10;

/** Sockets and streams of a key, which the server allows at a hub. */
export const LISTENERS_OF_A_KEY = 16;
