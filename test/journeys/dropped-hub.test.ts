// A hub that goes with all its sockets, as in a deploy, while clients listen.

import { expect, test } from "vitest";
import { countHeard, openListener, type Listener } from "./support/listeners.ts";
import { startServer } from "./support/server.ts";
import { createSwitchboard, type Change } from "./support/switchboard.ts";
import { within } from "./support/within.ts";

const ENDED_WITHIN_MS = 5_000;

const server = await startServer();
const changeNext = createSwitchboard(await server.toolNames());
const change = (): Promise<Change> => changeNext(server);
const dropHub = (): Promise<void> => server.evictHubs("close");

async function changeThenDrop(): Promise<Change> {
  const changed = await change();
  await dropHub();
  return changed;
}

async function dropThenChange(): Promise<Change> {
  await dropHub();
  return change();
}

test.each([
  { when: "while the hub is away", changeAndDrop: dropThenChange },
  { when: "just before the hub goes", changeAndDrop: changeThenDrop },
])("streams of changes go on, and hear once of a change made $when", async ({ changeAndDrop }) => {
  const streams = [await openListener("GET stream", server), await openListener("subscriptions/listen", server)];
  const before = await countHeard(streams, server, change);
  const missed = await changeAndDrop();
  const lists = [await hearAndList(streams, before, 1)];
  const next = await change();
  lists.push(await hearAndList(streams, before, 2));
  expect({ heard: streams.map(({ heard }, i) => heard().slice(before[i])), lists }).toEqual({
    // A subscription's events have no ids.
    heard: [
      [`v.${missed.version}`, `v.${next.version}`],
      [undefined, undefined],
    ],
    lists: [
      [missed.names, missed.names],
      [next.names, next.names],
    ],
  });
});

test.each(["WebSocket", "/sse"] as const)("a session over %s ends with its hub, and begins anew", async (way) => {
  const listener = await openListener(way, server);
  await countHeard([listener], server, change);
  const { names } = await dropThenChange();
  await within(ENDED_WITHIN_MS, `end of the session over ${way}`, listener.ended);
  const again = await openListener(way, server);
  const lists = [await again.list()];
  const [before = 0] = await countHeard([again], server, change);
  const next = await change();
  await again.hear(before + 1);
  lists.push(await again.list());
  expect({ lists, heard: again.heard().length - before }).toEqual({ lists: [names, next.names], heard: 1 });
});

/** Waits until each was told so often since `before`, and asks each for the list at once. */
const hearAndList = (listeners: Listener[], before: number[], times: number): Promise<string[][]> =>
  Promise.all(
    listeners.map(async ({ hear, list }, i) => {
      await hear((before[i] ?? 0) + times);
      return list();
    }),
  );
