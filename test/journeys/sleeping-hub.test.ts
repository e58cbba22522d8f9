// A hub that nothing happens at sleeps, with all that hangs on it, and wakes for the next change. In a file of its own:
// streams that another test left behind would wake it too.

import { expect, test } from "vitest";
import { countHeard, openListeners } from "./support/listeners.ts";
import { startServer } from "./support/server.ts";
import { createSwitchboard, type Change } from "./support/switchboard.ts";

/** The runtime lets an object sleep that had nothing to do for 10 s; a little more, for a busy machine. */
const IDLE_MS = 12_000;

const server = await startServer();
const changeNext = createSwitchboard(await server.toolNames());
const change = (): Promise<Change> => changeNext(server);

test("a hub sleeps while every kind of listener is silent, and the next change wakes it and reaches all", async () => {
  const listeners = await openListeners(server);
  const before = await countHeard(listeners, server, change);
  // The silence is what is tested; to look in between would keep the hub awake.
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const changedAtMs = Date.now();
  const { names } = await change();
  const lists = await Promise.all(
    listeners.map(async ({ hear, list }, i) => {
      await hear((before[i] ?? 0) + 1);
      return list();
    }),
  );
  expect({
    heard: listeners.map(({ way, heard }, i) => ({ way, times: heard().length - (before[i] ?? 0) })),
    lists,
    hubs: (await awakeSinceMs()).map((atMs) => ({ wokeForTheChange: atMs >= changedAtMs })),
  }).toEqual({
    heard: listeners.map(({ way }) => ({ way, times: 1 })),
    lists: listeners.map(() => names),
    hubs: [{ wokeForTheChange: true }],
  });
});

/** When each hub was constructed last. */
async function awakeSinceMs(): Promise<number[]> {
  const { body } = await server.admin("GET", "/sessions");
  return (body["hubs"] as { awakeSince: string }[]).map(({ awakeSince }) => Date.parse(awakeSince));
}
