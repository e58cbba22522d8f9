// A process full of clients. Ends with the process that started it.

import { nowMs } from "./clock.ts";
import type { Command, Hearing, ListenerKind, Question, Reply, Target } from "./fleet-contract.ts";
import { Listener, type Connection } from "./listener.ts";
import { openBareSocket, openSession } from "./socket-connection.ts";
import { openGetStream, openListenStream } from "./stream-connection.ts";

const OPEN: Record<ListenerKind, (target: Target, listener: Listener) => Promise<Connection>> = {
  websocket: openSession,
  get: openGetStream,
  listen: openListenStream,
  bare: openBareSocket,
};

let listeners: Listener[] = [];
/** How many have heard nothing since the reset, and who waits for that to be none. */
let silent = 0;
let onAllHeard: (() => void) | undefined;
let cpuAtReset = process.cpuUsage();

async function run(command: Command): Promise<unknown> {
  switch (command.do) {
    case "open":
      return open(command.targets, command.atOnce);
    case "reset":
      return reset();
    case "await":
      return allHeard(command.timeoutMs);
    case "read":
      return read();
    case "list":
      return listTitles(command.everyNth, command.tool);
    case "drop":
      return drop();
  }
}

async function open(targets: Target[], atOnce: number): Promise<void> {
  let next = 0;
  const openSome = async (): Promise<void> => {
    for (let target = targets[next++]; target; target = targets[next++]) {
      const listener = new Listener(target.kind, noteFirst);
      listener.connected(await OPEN[target.kind](target, listener));
      listeners.push(listener);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, openSome));
}

function reset(): void {
  for (const listener of listeners) listener.reset();
  silent = listeners.length;
  cpuAtReset = process.cpuUsage();
}

function noteFirst(): void {
  if (--silent === 0) onAllHeard?.();
}

function allHeard(timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs);
    onAllHeard = () => {
      clearTimeout(timer);
      resolve();
    };
    if (silent === 0) onAllHeard();
  });
}

function read(): Hearing {
  const { user, system } = process.cpuUsage(cpuAtReset);
  return { heard: listeners.map(({ heard }) => heard), cpuMs: (user + system) / 1_000 };
}

async function listTitles(everyNth: number, tool: string): Promise<(string | undefined)[]> {
  const titles: (string | undefined)[] = [];
  for (let index = 0; index < listeners.length; index += everyNth) {
    const tools = await listeners[index]?.listTools();
    titles.push(tools?.find(({ name }) => name === tool)?.annotations?.title);
  }
  return titles;
}

/** When it was done. */
function drop(): number {
  for (const listener of listeners) listener.drop();
  listeners = [];
  return nowMs();
}

process.on("disconnect", () => process.exit());
process.on("message", ({ id, command }: Question) => {
  const answer = (reply: Omit<Reply, "id">): void => void process.send?.({ id, ...reply });
  void run(command).then(
    (result) => answer({ result }),
    (error: unknown) => answer({ error: error instanceof Error ? error.message : String(error) }),
  );
});
