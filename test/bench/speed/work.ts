// Kinds of work, each checked before it is measured.

import type { Contestant } from "./contest.ts";
import { Client, write, type Reply } from "./load.ts";
import { ask, check, initialize, initialized, type Question } from "./requests.ts";
import type { Running } from "./runtime.ts";
import type { Era, Server } from "./servers.ts";

/** Ids that differ, so that no answer can be told for another's. */
const IDS = 64;
const CLIENTS = 4;

interface Bench {
  server: Server;
  running: Running;
  headers: Record<string, string>;
  tools: number;
}

/** One request, again and again. */
export async function prepareQuestion(
  question: Question,
  { server, running, headers, tools }: Bench,
  era: Era = server.era,
): Promise<Contestant> {
  const client = new Client(running.url);
  const asked = Array.from({ length: IDS }, (_, id) => ask(question, era, id, headers));
  for (const id of [0, 1]) check(question, id, tools, (await client.ask(asked[id] ?? ask(question, era, id))).body);
  const requests = asked.map(write);
  return { name: server.name, running, work: (count) => client.load(requests, count) };
}

/** A legacy session's calls. */
export async function prepareSession(bench: Bench): Promise<Contestant> {
  const session = await openSession(new Client(bench.running.url), bench.headers);
  return prepareQuestion("call", { ...bench, headers: { ...bench.headers, ...session } }, "legacy");
}

/** A client that nobody knows: handshake, its end, a list and a call. A floor is sent the same, and answers as it does. */
export async function prepareNewClient({ server, running, headers, tools }: Bench): Promise<Contestant> {
  const clients = Array.from({ length: CLIENTS }, () => new Client(running.url));
  const comeIn = async (client: Client): Promise<Reply[]> => {
    const own = { ...headers, ...(await openSession(client, headers)) };
    return [await client.ask(ask("list", "legacy", 2, own)), await client.ask(ask("call", "legacy", 3, own))];
  };
  const [first] = clients;
  const [listed, called] = first ? await comeIn(first) : [];
  if (!server.isFloor) {
    check("list", 2, tools, listed?.body ?? "");
    check("call", 3, tools, called?.body ?? "");
  }
  const work = async (count: number): Promise<void> => {
    let left = count;
    const run = async (client: Client): Promise<void> => {
      while (left-- > 0) await comeIn(client);
    };
    await Promise.all(clients.map(run));
  };
  return { name: server.name, running, work };
}

async function openSession(client: Client, headers: Record<string, string>): Promise<Record<string, string>> {
  const { head } = await client.ask(initialize(headers));
  const id = /^mcp-session-id: (.+)$/im.exec(head)?.[1]?.trim();
  const session = id === undefined ? {} : { "mcp-session-id": id };
  await client.ask(initialized({ ...headers, ...session }));
  return session;
}
