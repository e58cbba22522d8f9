// `npm run bench`: what an answer costs here, next to other servers and to what nothing can beat, on loopback. Prints tables,
// writes them as JSON to dist/bench.json, and ends by itself.

import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { textTable } from "../../../src/cli/text-table.ts";
import { Workplace } from "../fan-out/workplace.ts";
import { compare, type Contestant, type Standing } from "./contest.ts";
import { keyHeaders } from "./keys.ts";
import { makeHome, startServer } from "./runtime.ts";
import { buildServer, FLOOR, SERVERS, type BuiltWorker, type Server } from "./servers.ts";
import { measureStarts, type StartUp } from "./start-up.ts";
import { prepareNewClient, prepareQuestion, prepareSession } from "./work.ts";

const GIVE_UP_MS = 15 * 60_000;
const ROOT = resolve(import.meta.dirname, "../../..");

const { values } = parseArgs({ options: { quick: { type: "boolean" }, only: { type: "string" } } });
const rounds = values.quick ? 8 : 30;
const starts = values.quick ? 3 : 7;
const only = values.only?.split(",");
const servers = SERVERS.filter((server) => server === FLOOR || !only || only.includes(server.name));

interface Contest {
  what: string;
  standings: Standing[];
}

type Prepare = (bench: Bench) => Promise<Contestant>;

const NEW_CLIENT = "new legacy client";

/** What is asked of servers with so many tools; the floor is asked the same of all, as it answers everything with the same. */
const QUESTIONS: Record<number, [what: string, prepare: Prepare][]> = {
  3: [
    ["tools/call", (bench) => prepareQuestion("call", bench)],
    ["tools/call in a session", prepareSession],
    ["bad arguments", (bench) => prepareQuestion("bad call", bench)],
    [NEW_CLIENT, prepareNewClient],
    ["tools/list, 3 tools", (bench) => prepareQuestion("list", bench)],
  ],
  100: [["tools/list, 100 tools", (bench) => prepareQuestion("list", bench)]],
  1_000: [["tools/list, 1000 tools", (bench) => prepareQuestion("list", bench)]],
};

/** All that is asked of servers with so many tools, each question in a process of its own, and all of them in each round. */
async function measure(
  workplace: Workplace,
  tools: number,
): Promise<{ contests: Contest[]; built: Map<Server, BuiltWorker> }> {
  const built = new Map<Server, BuiltWorker>();
  const entered: { what: string; contestant: Contestant }[] = [];
  for (const server of servers) {
    const name = `${server.name.replace(/\W/g, "")}-${tools}`;
    const worker = await buildServer(server, tools, join(workplace.dir, name));
    built.set(server, worker);
    for (const [index, [what, prepare]] of (QUESTIONS[tools] ?? []).entries()) {
      // Of floors the first is the measure of all questions; of the other it is told what differs from one to the next.
      const isMeasure = server === FLOOR && !what.startsWith("tools/list");
      const isOwn = what.startsWith("tools/list") || what === NEW_CLIENT || index === 0;
      if (server.isFloor && server !== FLOOR && !isOwn) continue;
      const home = makeHome(workplace, `${name}-${index}`, worker);
      const running = await startServer(workplace, home, worker);
      const bench = { server, running, headers: await keyHeaders(server, running, home), tools };
      const prepared = isMeasure ? prepareQuestion("call", bench) : prepare(bench);
      entered.push({ what, contestant: { ...(await prepared), isFloor: server === FLOOR } });
    }
  }
  const standings = await compare(
    entered.map(({ contestant }) => contestant),
    rounds,
  );
  const contests = Map.groupBy(standings, (_, index) => entered[index]?.what ?? "");
  for (const { contestant } of entered) await contestant.running.stop();
  console.log(`${tools} tools: done`);
  return { contests: [...contests].map(([what, some]) => ({ what, standings: some })), built };
}

type Bench = Parameters<typeof prepareQuestion>[1];

const cell = ({ ratio, lower, upper }: Standing): string => `${times(ratio)} (${times(lower)}-${times(upper)})`;

function contestText(contests: readonly Contest[]): string {
  const names = servers.map(({ name }) => name);
  const rows = contests.map(({ what, standings }) => [
    what,
    `${(standings[0]?.cpuUs ?? 0).toFixed(0)} µs`,
    ...names.slice(1).map((name) => {
      const standing = standings.find((one) => one.name === name);
      return standing ? cell(standing) : "";
    }),
  ]);
  return textTable(["CPU × floor", "floor", ...names.slice(1)], rows);
}

const times = (ratio: number): string => ratio.toFixed(ratio < 10 ? 2 : 0);

function startText(startUps: readonly StartUp[], built: ReadonlyMap<Server, BuiltWorker>): string {
  const floor = startUps[0]?.cpuMs ?? 0;
  const rows = startUps.map(({ name, cpuMs, memoryMiB }) => {
    const { first = 0, all = 0 } = [...built].find(([server]) => server.name === name)?.[1].gzipBytes ?? {};
    const over = name === FLOOR.name ? cpuMs : cpuMs - floor;
    return [name, over.toFixed(1), memoryMiB.toFixed(0), (first / 1024).toFixed(1), (all / 1024).toFixed(1)];
  });
  const heading = ["start-up", "CPU ms over the floor's", "MiB then", "gzip KiB loaded first", "gzip KiB in all"];
  return textTable(heading, rows);
}

const giveUp = setTimeout(() => {
  console.error(`Not done within ${GIVE_UP_MS / 60_000} minutes.`);
  process.exit(1);
}, GIVE_UP_MS);
const workplace = new Workplace({ inMemory: true });
const machine = { cores: cpus().length, memoryGiB: Math.round(totalmem() / 2 ** 30), node: process.version };
const few = await measure(workplace, 3);
const contests = [...few.contests];
for (const tools of [100, 1_000]) contests.push(...(await measure(workplace, tools)).contests);
const startUps = await measureStarts(workplace, few.built, starts);
console.log(
  `\n${machine.cores} cores, ${machine.memoryGiB} GiB, ${rounds} rounds: medians (and the middle half of the rounds)\n`,
);
console.log(contestText(contests));
console.log(`\n${startText(startUps, few.built)}`);
mkdirSync(join(ROOT, "dist"), { recursive: true });
const sizes = [...few.built].map(([{ name }, { gzipBytes }]) => ({ name, ...gzipBytes }));
writeFileSync(
  join(ROOT, "dist/bench.json"),
  JSON.stringify({ machine, rounds, contests, startUps, sizes }, undefined, 2),
);
clearTimeout(giveUp);
process.exit(0);
