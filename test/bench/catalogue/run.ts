// `npm run bench:catalogue`: what a catalogue of thousands costs, next to one of three, on loopback. Ends by itself.

import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBareServer, startBenchServer, type BenchServer, type ServerProcess } from "./bench-server.ts";
import { askAdmin, readPlain, createClient, mintKey, type McpClient } from "./mcp-client.ts";
import { toolPuts } from "./tool-records.ts";

// Ten fewer than there may be: some come later.
const MANY = 4_990;
const FEW = 3;
const BATCH = 500;
const ROUNDS = 10;
const CALLS_A_ROUND = 150;
const SEARCHES = 50;
const LISTED = 1_500;
const LISTS_A_ROUND = 20;
const GIVE_UP_MS = 300_000;

async function run(dir: string, upstream: string): Promise<void> {
  const puts = toolPuts(MANY, upstream);
  const allow = new URL(upstream).host;
  const few = await startBenchServer(dir, allow);
  const many = await startBenchServer(dir, allow);
  const bare = await startBareServer(dir);
  try {
    await measure(puts, few, many);
    await compareLists(puts.slice(0, LISTED), few, bare);
  } finally {
    await bare.close();
    await few.close();
    await many.close();
  }
}

async function measure(puts: ReturnType<typeof toolPuts>, few: BenchServer, many: BenchServer): Promise<void> {
  const name = puts[1]?.name ?? "";
  await askAdmin(few, "POST", "/tools", { changes: puts.slice(0, FEW) });
  const few3 = createClient(few.url, await mintKey(few));
  const key = await mintKey(many);
  const client = createClient(many.url, key);
  await client.list();
  print("memory of workerd, 5 tools", `${many.memoryMiB().toFixed(0)} MiB`);
  await putAll(puts, many);
  print("memory after that", `${many.memoryMiB().toFixed(0)} MiB`);
  await listAll(client, "cold");
  await listAll(client, "warm");
  await compareCalls(name, [few, few3], [many, client]);
  await loadCold(name, many, key);
  await changeOne(puts[0], many, client);
  print("memory before the first search", `${many.memoryMiB().toFixed(0)} MiB`);
  await search(many);
  print("memory of workerd, all of it", `${many.memoryMiB().toFixed(0)} MiB`);
}

async function putAll(puts: ReturnType<typeof toolPuts>, server: BenchServer): Promise<void> {
  const times: number[] = [];
  for (let at = 0; at < puts.length; at += BATCH) {
    const changes = puts.slice(at, at + BATCH);
    times.push(await timed(() => askAdmin(server, "POST", "/tools", { changes })));
  }
  print(`put ${BATCH} tools, first to last batch`, times.map(ms).join(" "));
}

/** Every page, one after the other. */
async function listAll(client: McpClient, how: string): Promise<void> {
  const times: number[] = [];
  let [tools, bytes] = [0, 0];
  let cursor: string | undefined;
  do {
    const start = performance.now();
    const page = await client.list(cursor);
    times.push(performance.now() - start);
    tools += page.tools;
    bytes += page.bytes;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  print(`tools/list, ${how}: ${tools} tools, ${(bytes / 1024).toFixed(0)} KiB, by page`, times.map(ms).join(" "));
}

type Side = [BenchServer, McpClient];

/** Turn by turn, so that what else the machine does falls on both. */
async function compareCalls(name: string, few: Side, many: Side): Promise<void> {
  const sides = [few, many].map(([server, client]) => ({ server, client, times: [] as number[], cpu: [] as number[] }));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { server, client, times, cpu } of round % 2 === 0 ? sides : sides.toReversed()) {
      const before = server.cpuMicroseconds();
      const mine: number[] = [];
      for (let n = 0; n < CALLS_A_ROUND; n++) mine.push(await timed(() => client.call(name, { id: "7", limit: 3 })));
      // The first round is for the compiler.
      if (round > 0) {
        times.push(...mine);
        cpu.push((server.cpuMicroseconds() - before) / CALLS_A_ROUND);
      }
    }
  }
  const [three, thousands] = sides.map(({ times, cpu }) => ({ ms: median(times), cpu: median(cpu) }));
  if (!three || !thousands) return;
  print(`call with ${FEW} tools, median`, `${ms(three.ms)}, CPU ${three.cpu.toFixed(0)} µs`);
  print(`call with ${MANY} tools, median`, `${ms(thousands.ms)}, CPU ${thousands.cpu.toFixed(0)} µs`);
  print("ratio of times, of CPU", `${ratio(three.ms, thousands.ms)}, ${ratio(three.cpu, thousands.cpu)}`);
}

/** Both pages of a thousand tools, next to a Worker that answers with as many bytes and does nothing else. */
async function compareLists(puts: ReturnType<typeof toolPuts>, server: BenchServer, bare: ServerProcess) {
  await putAll(puts, server);
  const client = createClient(server.url, await mintKey(server));
  const { bytes, nextCursor } = await client.list();
  const second = await client.list(nextCursor);
  const plain = async (): Promise<unknown> => {
    await readPlain(bare.url, bytes);
    return readPlain(bare.url, second.bytes);
  };
  const pages = async (): Promise<unknown> => {
    await client.send("tools/list", {});
    return client.send("tools/list", { cursor: nextCursor });
  };
  const pings = async (): Promise<unknown> => {
    await client.send("ping", {});
    return client.send("ping", {});
  };
  const sides = [
    { process: server, work: pages, times: [] as number[], cpu: [] as number[] },
    { process: server, work: pings, times: [] as number[], cpu: [] as number[] },
    { process: bare, work: plain, times: [] as number[], cpu: [] as number[] },
  ];
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { process, work, times, cpu } of round % 2 === 0 ? sides : sides.toReversed()) {
      const before = process.cpuMicroseconds();
      const mine: number[] = [];
      for (let n = 0; n < LISTS_A_ROUND; n++) mine.push(await timed(work));
      if (round > 0) {
        times.push(...mine);
        cpu.push((process.cpuMicroseconds() - before) / LISTS_A_ROUND / 1000);
      }
    }
  }
  const [listed, pinged, plainly] = sides.map(({ times, cpu }) => `${ms(median(times))}, CPU ${ms(median(cpu))}`);
  print(`${LISTED} tools in two pages, warm, median`, listed ?? "");
  print("two pings", pinged ?? "");
  print("a bare Worker with as many bytes", plainly ?? "");
}

/** An isolate that has served nothing yet, on the same objects. */
async function loadCold(name: string, server: BenchServer, key: string): Promise<void> {
  const sibling = createClient(server.siblingUrl, key);
  const before = server.cpuMicroseconds();
  const first = await timed(() => sibling.call(name, { id: "7" }));
  print("first call of a cold isolate", `${ms(first)}, CPU ${ms((server.cpuMicroseconds() - before) / 1000)}`);
  print("its second call", ms(await timed(() => sibling.call(name, { id: "7" }))));
}

/** A tool that is called as soon as it is there: the isolate is behind by that one row. */
async function changeOne(put: ReturnType<typeof toolPuts>[number] | undefined, server: BenchServer, client: McpClient) {
  const times: number[] = [];
  for (let n = 0; n < 10; n++) {
    const name = `fresh_${n}`;
    await askAdmin(server, "PUT", `/tools/${name}`, put?.record ?? {});
    times.push(await timed(() => client.call(name, { id: "7" })));
  }
  print("first call after a change of one tool, median", ms(median(times)));
  print("first page of tools/list after another", ms(await timed(() => changeAndList(server, client))));
}

async function changeAndList(server: BenchServer, client: McpClient): Promise<void> {
  await askAdmin(server, "PATCH", "/tools/fresh_0", { enabled: false });
  await client.list();
}

async function search(server: BenchServer): Promise<void> {
  const client = createClient(server.url, await mintKey(server, { discovery: true }));
  const { bytes, tools } = await client.list();
  print(`tools/list with discovery`, `${tools} tools, ${bytes} bytes`);
  const queries = ["refund an overdue invoice", "create invoice", "list every message of the channel by its id"];
  for (const query of queries) {
    const first = await timed(() => client.call("search_tools", { query }));
    const times: number[] = [];
    for (let n = 0; n < SEARCHES; n++) times.push(await timed(() => client.call("search_tools", { query })));
    print(`search "${query}", first and median`, `${ms(first)} ${ms(median(times))}`);
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const ratio = (a: number, b: number): string => (b / a).toFixed(2);

const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

const print = (what: string, value: string): void => console.log(`${what.padEnd(64)} ${value}`);

const upstream = createServer((request, response) => {
  request.resume();
  response.setHeader("content-type", "text/plain").end("done");
}).listen(0, "127.0.0.1");
await once(upstream, "listening");
const dir = await mkdtemp(join(tmpdir(), "toolgate-bench-"));
const giveUp = setTimeout(() => {
  console.error(`Not done within ${GIVE_UP_MS / 1000} s.`);
  process.exit(1);
}, GIVE_UP_MS);
try {
  await run(dir, `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`);
} finally {
  clearTimeout(giveUp);
  upstream.close();
  await rm(dir, { recursive: true, force: true, maxRetries: 5 });
}
