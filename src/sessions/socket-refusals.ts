// What a client on a socket is told that asks for more at once than it may.

import { LIMITS } from "../lib/limits.ts";
import { ProtocolError } from "../protocol/protocol-error.ts";

export const tooManySubscriptions = (): ProtocolError =>
  new ProtocolError(
    429,
    `Too many subscriptions: at most ${LIMITS.socketSubscriptions} on a socket, cancel one first`,
    429,
    { retryAfterSeconds: 5 },
  );

export const tooManyRequests = (): ProtocolError =>
  new ProtocolError(
    429,
    `Too many requests: at most ${LIMITS.socketRequests} at once and ${LIMITS.socketFramesPerMinute} a minute on a socket`,
  );
