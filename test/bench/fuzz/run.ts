// `npm run fuzz -- --requests N --seed S`: the shots of the short test, as many as wanted, at a server of its own. Exit code
// 1 if any of them was not answered as it should be or time ran out, 2 for a wrong command line, 130 after Ctrl-C.

import { describeFinding, makeShots, shrink, type Finding } from "../../fuzz/findings.ts";
import { checkAlive, Gun } from "../../fuzz/gun.ts";
import { startFuzzServer, type FuzzServer } from "../../fuzz/server.ts";
import { openWorld, type World } from "../../fuzz/world.ts";
import { counted, runArguments } from "../run-arguments.ts";
import { Tally } from "./tally.ts";

/** Shots of one seed; the next round's is one more. */
const ROUND = 1_000;
const ALIVE_EVERY = 500;
const PROGRESS_MS = 15_000;
/** By then something is broken, and more of the same tells nothing. */
const MOST_FINDINGS = 30;
const SHRUNK_FINDINGS = 5;

interface Options {
  requests: number;
  seed: number;
  connections: number;
  minutes: number;
}

interface Run extends Options {
  server: FuzzServer;
  world: World;
  tally: Tally;
  findings: Finding[];
  /** What a good call was answered with that should not have been. */
  broken: string[];
  isOver: () => boolean;
}

const readOptions = (): Options =>
  runArguments("fuzz", {
    requests: { help: "requests to send", preset: 20_000, least: 1, most: 100_000_000, isWhole: true },
    seed: {
      help: "which requests",
      preset: Date.now() % 1_000_000_000,
      shown: "another each time",
      least: 0,
      most: 2_000_000_000,
      isWhole: true,
    },
    connections: { help: "connections at the same time", preset: 8, least: 1, most: 64, isWhole: true },
    minutes: { help: "end after this long, whatever was sent", preset: 180, least: 1, most: 1_440, isWhole: true },
  });

/** The shots of all rounds, one after the other. */
function* allShots({ seed }: Options) {
  for (let round = seed; ; round++) {
    for (const [index, shot] of makeShots(round, ROUND).entries()) yield { shot, index, seed: round };
  }
}

async function shoot(run: Run, shots: ReturnType<typeof allShots>): Promise<void> {
  const { world, tally, findings, broken } = run;
  const gun = new Gun(world);
  for (const { shot, index, seed } of { [Symbol.iterator]: () => ({ next: () => shots.next() }) }) {
    const { outcome, faults, messages, ms } = await gun.fire(shot);
    tally.note(shot, outcome, messages, ms);
    if (faults.length > 0) {
      findings.push({ faults, shot, seed, index });
      console.log(`found: ${describeFinding({ faults, shot, seed, index })}`);
    }
    if (tally.sent % ALIVE_EVERY === 0) {
      const fault = await checkAlive(world);
      if (fault !== undefined) broken.push(`after ${tally.sent} requests: ${fault}`);
    }
    if (run.isOver()) break;
  }
  gun.close();
}

function tellProgress({ tally, findings, requests, server }: Run, startedMs: number): void {
  const seconds = (Date.now() - startedMs) / 1000;
  const rate = Math.round(tally.requests / seconds);
  const bad = findings.length + server.complaints.length;
  console.log(`${tally.requests} of ${requests} after ${Math.round(seconds)} s, ${rate} a second; findings: ${bad}`);
}

/** What was found, told; how much it was. */
async function report({ world, server, tally, findings, broken, seed }: Run, startedMs: number): Promise<number> {
  const alive = await checkAlive(world);
  if (alive !== undefined) broken.push(`at the end: ${alive}`);
  for (const [at, finding] of findings.entries()) {
    const told = at < SHRUNK_FINDINGS ? await shrink(finding, world) : finding;
    console.log(`\nFINDING ${at + 1}: ${describeFinding(told)}`);
  }
  for (const fault of broken) console.log(`\nBROKEN: ${fault}`);
  for (const line of server.complaints) console.log(`\nLOGGED: ${line}`);
  const crashes = server.complaints.filter((line) => line.startsWith("workerd ended")).length;
  const seconds = Math.round((Date.now() - startedMs) / 1000);
  console.log(`\n${tally.describe()}`);
  console.log(`requests: ${tally.requests}, in ${tally.sent} exchanges and ${seconds} s, seed ${seed}`);
  console.log(`unanswered: ${tally.unanswered}, 5xx: ${tally.serverErrors}, crashes: ${crashes}`);
  console.log(
    `findings: ${findings.length}, good calls that failed: ${broken.length}, logged: ${server.complaints.length}`,
  );
  return findings.length + broken.length + server.complaints.length;
}

async function main(): Promise<number> {
  const options = readOptions();
  console.log(`seed ${options.seed}: shots of round n come from seed ${options.seed} + n, ${ROUND} a round`);
  let signalled = 0;
  process.once("SIGINT", () => (signalled = 130)).once("SIGTERM", () => (signalled = 143));
  const server = await startFuzzServer();
  try {
    const world = await openWorld(server);
    const startedMs = Date.now();
    const endMs = startedMs + options.minutes * 60_000;
    const findings: Finding[] = [];
    const tally = new Tally();
    const isDone = (): boolean => tally.requests >= options.requests;
    const isOver = (): boolean => isDone() || signalled > 0 || Date.now() > endMs || findings.length >= MOST_FINDINGS;
    const run: Run = { ...options, server, world, findings, isOver, tally, broken: [] };
    const progress = setInterval(() => tellProgress(run, startedMs), PROGRESS_MS);
    const shots = allShots(options);
    await Promise.all(Array.from({ length: options.connections }, () => shoot(run, shots)));
    clearInterval(progress);
    const found = await report(run, startedMs);
    console.log(verdict(found, tally.requests, options.requests));
    return signalled || (found === 0 && isDone() ? 0 : 1);
  } finally {
    await server.stop();
  }
}

function verdict(found: number, sent: number, wanted: number): string {
  const what = found === 0 ? "every request was answered as it should be" : `${counted(found, "fault")} came up`;
  if (sent < wanted) return `Ended early, after ${sent} of ${counted(wanted, "request")}: ${what} so far.`;
  return `${what.charAt(0).toUpperCase()}${what.slice(1)}.`;
}

// The streams that the run left behind would keep it.
process.exit(await main());
