// Everything that arrived from somewhere, in order, for tests that wait for a message and say what must not arrive.

import { within } from "./within.ts";

const ARRIVES_WITHIN_MS = 5_000;

export interface Mailbox<T> {
  received: T[];
  put: (message: T) => void;
  /** Nothing arrives any more: whoever waits is told why. */
  end: (reason: string) => void;
  /** Waits for something to be true of the messages received. */
  until: <V>(what: string, find: (received: T[]) => V | undefined, timeoutMs?: number) => Promise<V>;
  /** The reason, once nothing arrives any more. */
  ended: Promise<string>;
}

export function createMailbox<T>(): Mailbox<T> {
  const received: T[] = [];
  const arrivals = new EventTarget();
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  const put = (message: T): void => {
    received.push(message);
    arrivals.dispatchEvent(new Event("message"));
  };
  const until: Mailbox<T>["until"] = (what, find, timeoutMs = ARRIVES_WITHIN_MS) =>
    within(timeoutMs, what, Promise.race([found(arrivals, received, find), endedBefore(what, ended)]));
  return { received, put, end, until, ended };
}

function found<T, V>(arrivals: EventTarget, received: T[], find: (received: T[]) => V | undefined): Promise<V> {
  return new Promise((resolve) => {
    const look = (): void => {
      const value = find(received);
      if (value === undefined) return;
      arrivals.removeEventListener("message", look);
      resolve(value);
    };
    arrivals.addEventListener("message", look);
    look();
  });
}

const endedBefore = async (what: string, ended: Promise<string>): Promise<never> => {
  throw new Error(`${what}: ${await ended} first`);
};
