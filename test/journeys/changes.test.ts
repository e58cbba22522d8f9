// A change of the catalogue, heard in every way there is to listen and in whichever isolate, and the lists asked for then.

import { expect, test } from "vitest";
import { countHeard, openListeners, type Listener } from "./support/listeners.ts";
import { post, request, toolNames } from "./support/rpc.ts";
import { startSiblings, type Server } from "./support/server.ts";
import { createSwitchboard } from "./support/switchboard.ts";

/** More when it is to be known better: `CHANGES=25`. */
const CHANGES = Number(process.env["CHANGES"] ?? 10);
/** What is promised, of which a machine that does other things may fall short at times. */
const HEARD_WITHIN_MS = 1_000;
const HEARD_AT_LAST_WITHIN_MS = 5_000;

const [owner, sibling] = await startSiblings();
const changeNext = createSwitchboard(await owner.toolNames());

// Frames of a WebSocket or of /sse are answered by the entrypoint that their hub calls, in the isolate that runs the
// objects; what is POSTed to the endpoint, by the isolate that it reaches. So each listener lists in both.
test.each([
  { at: "the sibling", through: "the owner", holder: sibling, changer: owner },
  { at: "the sibling", through: "the sibling", holder: sibling, changer: sibling },
  { at: "the owner", through: "the owner", holder: owner, changer: owner },
  { at: "the owner", through: "the sibling", holder: owner, changer: sibling },
])("tells each listener at $at once of each change made through $through", async ({ holder, changer }) => {
  const other = holder === owner ? sibling : owner;
  const listeners = await openListeners(holder);
  const before = await countHeard(listeners, owner, () => changeNext(changer));
  const delaysMs: number[] = [];
  const stale: unknown[] = [];
  const versions: number[] = [];
  for (let change = 1; change <= CHANGES; change++) {
    const { version, names } = await changeNext(changer);
    const changedAtMs = performance.now();
    versions.push(version);
    const checkLists = async (listener: Listener, count: number): Promise<void> => {
      await listener.hear(count + change, HEARD_AT_LAST_WITHIN_MS);
      delaysMs.push(performance.now() - changedAtMs);
      const lists = await Promise.all([listener.list(), listAt(other, listener.key)]);
      for (const list of lists) {
        if (String(list) !== String(names)) stale.push({ way: listener.way, version, expected: names, received: list });
      }
    };
    await Promise.all(listeners.map((listener, i) => checkLists(listener, before[i] ?? 0)));
  }
  expect({
    stale,
    heard: listeners.map(({ way, heard }, i) => ({ way, times: heard().length - (before[i] ?? 0) })),
    versions: listeners
      .find(({ way }) => way === "GET stream")
      ?.heard()
      .slice(-CHANGES),
    isInTime: median(delaysMs) <= HEARD_WITHIN_MS,
  }).toEqual({
    stale: [],
    heard: listeners.map(({ way }) => ({ way, times: CHANGES })),
    versions: versions.map((version) => `v.${version}`),
    isInTime: true,
  });
});

test("never lists less than was heard of or answered, though lists are asked for all the time", async () => {
  const listeners = await openListeners(owner);
  const { key } = await owner.mintKey({ limits: { perMinute: 60_000 } });
  const over = new AbortController();
  const lists = [owner, sibling].map(async (server) => {
    let count = 0;
    for (; !over.signal.aborted; count++) await listAt(server, key);
    return count;
  });
  const stale: unknown[] = [];
  try {
    const before = await countHeard(listeners, owner, () => changeNext(owner));
    for (let change = 1; change <= 5; change++) {
      const { version, names } = await changeNext(change % 2 === 0 ? owner : sibling);
      const check = async (when: string): Promise<void> => {
        for (const list of await Promise.all([listAt(owner, key), listAt(sibling, key)])) {
          if (String(list) !== String(names)) stale.push({ when, version, expected: names, received: list });
        }
      };
      await check("answered");
      const hear = async ({ hear, way }: Listener, count: number): Promise<void> => {
        await hear(count + change, HEARD_AT_LAST_WITHIN_MS);
        await check(way);
      };
      await Promise.all(listeners.map((listener, i) => hear(listener, before[i] ?? 0)));
    }
  } finally {
    over.abort();
  }
  expect([stale, (await Promise.all(lists)).every((count) => count > 20)]).toEqual([[], true]);
});

const listAt = async (server: Server, key: string): Promise<string[]> =>
  toolNames((await post(server.endpoint(), key, request("tools/list"))).body);

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Infinity;
