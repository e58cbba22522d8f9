// What it costs to start: CPU time of a fresh process up to its first right answer, with a key that an earlier one minted;
// and the memory that it has then.

import { median } from "../fan-out/spread.ts";
import type { Workplace } from "../fan-out/workplace.ts";
import { keyHeaders } from "./keys.ts";
import { Client } from "./load.ts";
import { ask, check } from "./requests.ts";
import { makeHome, startServer, type Home } from "./runtime.ts";
import type { BuiltWorker, Server } from "./servers.ts";

export interface StartUp {
  name: string;
  cpuMs: number;
  memoryMiB: number;
}

interface Starter {
  server: Server;
  built: BuiltWorker;
  home: Home;
  headers: Record<string, string>;
  cpuMs: number[];
  memoryMiB: number[];
}

export async function measureStarts(
  workplace: Workplace,
  built: ReadonlyMap<Server, BuiltWorker>,
  rounds: number,
): Promise<StartUp[]> {
  const starters: Starter[] = [];
  for (const [server, worker] of built) {
    const home = makeHome(workplace, `start-${server.name.replace(/\W/g, "")}`, worker);
    const running = await startServer(workplace, home, worker);
    const headers = await keyHeaders(server, running, home);
    await running.stop();
    starters.push({ server, built: worker, home, headers, cpuMs: [], memoryMiB: [] });
  }
  for (let round = 0; round < rounds; round++) for (const starter of starters) await startOnce(workplace, starter);
  return starters.map(({ server, cpuMs, memoryMiB }) => ({
    name: server.name,
    cpuMs: median(cpuMs),
    memoryMiB: median(memoryMiB),
  }));
}

async function startOnce(workplace: Workplace, starter: Starter): Promise<void> {
  const { server, built, home, headers, cpuMs, memoryMiB } = starter;
  const running = await startServer(workplace, home, built);
  const client = new Client(running.url);
  check("call", 7, 0, (await client.ask(ask("call", server.era, 7, headers))).body);
  cpuMs.push(running.cpuMs());
  memoryMiB.push(running.memoryMiB());
  client.close();
  await running.stop();
}
