// `npm run bench:flat`: what a call costs over a WebSocket, and how little it matters how many tools, keys and listeners there
// are. Ends by itself.

import { join } from "node:path";
import { textTable } from "../../../src/cli/text-table.ts";
import { Workplace } from "../fan-out/workplace.ts";
import { compare, type Contestant } from "./contest.ts";
import { keyHeaders, mintKeys } from "./keys.ts";
import { Client, write } from "./load.ts";
import { ask } from "./requests.ts";
import { makeHome, startServer, type Home, type Running } from "./runtime.ts";
import { buildServer, FLOOR, TOOLGATE } from "./servers.ts";
import { callOnSockets, openSockets } from "./sockets.ts";
import { prepareQuestion } from "./work.ts";

const GIVE_UP_MS = 12 * 60_000;
const ROUNDS = 24;
const MANY_TOOLS = 5_000;
// As many as stay warm in turn, and more than that: then each call is its key's first within a lease's life.
const SOME_KEYS = 250;
const MANY_KEYS = 10_000;
// A full hub. workerd by itself opens two files for each, of which a process may have 20,000 here.
const MANY_LISTENERS = 8_000;

const workplace = new Workplace({ inMemory: true });

interface Started {
  running: Running;
  home: Home;
  headers: Record<string, string>;
}

async function start(name: string, tools: number): Promise<Started> {
  const built = await buildServer(TOOLGATE, tools, join(workplace.dir, name));
  const home = makeHome(workplace, name, built);
  const running = await startServer(workplace, home, built);
  return { running, home, headers: await keyHeaders(TOOLGATE, running, home) };
}

const calls = async (name: string, { running, headers }: Started): Promise<Contestant> => ({
  ...(await prepareQuestion("call", { server: TOOLGATE, running, headers, tools: 3 })),
  name,
});

/** Calls of so many keys in turn. */
async function callsOfKeys(name: string, count: number, { running, home }: Started): Promise<Contestant> {
  const keys = await mintKeys(running, home, count);
  const requests = keys.map((key, id) => write(ask("call", "modern", id, { authorization: `Bearer ${key}` })));
  const client = new Client(running.url);
  return { name, running, work: (times) => client.load(requests, times) };
}

const giveUp = setTimeout(() => {
  console.error(`Not done within ${GIVE_UP_MS / 60_000} minutes.`);
  process.exit(1);
}, GIVE_UP_MS);

const few = await start("few", 3);
const many = await start("many", MANY_TOOLS);
const keys = await start("keys", 3);
const listened = await start("listened", 3);
const floorBuilt = await buildServer(FLOOR, 3, join(workplace.dir, "floor"));
const floorHome = makeHome(workplace, "floor", floorBuilt);
const floor = await startServer(workplace, floorHome, floorBuilt);

const listeners = await openSockets(listened.running, { home: listened.home, count: MANY_LISTENERS });
const talkers = await openSockets(keys.running, { home: keys.home, count: 16 });
const contests = [
  await compare([await calls("3 tools", few), await calls(`${MANY_TOOLS} tools`, many)], ROUNDS),
  await compare([await calls("0 listeners", few), await calls(`${MANY_LISTENERS} listeners`, listened)], ROUNDS),
  await compare(
    [
      await calls("1 key", few),
      await callsOfKeys(`${SOME_KEYS} keys in turn`, SOME_KEYS, keys),
      await callsOfKeys(`${MANY_KEYS} keys in turn`, MANY_KEYS, keys),
    ],
    ROUNDS,
  ),
  await compare(
    [
      await prepareQuestion("call", { server: FLOOR, running: floor, headers: {}, tools: 3 }),
      { name: "over WebSockets", running: keys.running, work: (times) => callOnSockets(talkers, times) },
    ],
    ROUNDS,
  ),
];
for (const socket of [...listeners, ...talkers]) socket.close();
const rows = contests.flatMap((standings) =>
  standings.map(({ name, cpuUs, ratio, lower, upper }) => [
    name,
    `${cpuUs.toFixed(0)} µs`,
    `${ratio.toFixed(2)} (${lower.toFixed(2)}-${upper.toFixed(2)})`,
  ]),
);
console.log(textTable(["call", "CPU", "ratio to the first of its kind (middle half of the rounds)"], rows));
clearTimeout(giveUp);
process.exit(0);
