// The clients of one scenario, spread over a few processes so that none of them is what is measured.

import { fork, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { nowMs } from "./clock.ts";
import type { Command, Hearing, ListenerKind, Question, Reply, Target } from "./fleet-contract.ts";
import { countDirect, readFileLimit } from "./open-files.ts";
import type { Runtime } from "./runtime.ts";
import { LISTENERS_OF_A_KEY } from "./sizes.ts";
import { kill, type Workplace } from "./workplace.ts";

const PROCESSES = 2;
const KEYS_AT_ONCE = 8;
/** Connections that one client process opens at a time. */
const OPEN_AT_ONCE = 8;

export interface Plan {
  /** Listeners of each kind, mixed on the keys. */
  kinds: ListenerKind[];
  listeners: number;
  /** One after the other: many upgrades at once can keep a local object from hibernating. */
  oneByOne?: boolean;
}

export class Fleet {
  readonly size: number;
  /** How many of them connect through a door. */
  readonly throughDoor: number;
  /** When the last of them was connected, as `nowMs()`. */
  connectedAtMs = 0;
  /** How long it took until all were connected. */
  connectMs = 0;
  /** The server's CPU time for one of them, where the system tells. */
  connectCpuMs: number | undefined;
  readonly #runtime: Runtime;
  readonly #plan: Plan;
  readonly #members: Member[];

  /** Starts the processes. Throws when the machine grants them too few open files. */
  constructor(workplace: Workplace, runtime: Runtime, plan: Plan) {
    this.size = plan.listeners;
    this.throughDoor = plan.listeners - countDirect(plan.listeners, readFileLimit());
    this.#runtime = runtime;
    this.#plan = plan;
    this.#members = Array.from({ length: plan.oneByOne ? 1 : PROCESSES }, () => new Member(workplace));
  }

  /** Mints the keys and connects all listeners. */
  async connect(): Promise<void> {
    const targets = await this.#prepareTargets();
    const share = Math.ceil(targets.length / this.#members.length);
    const atOnce = this.#plan.oneByOne ? 1 : OPEN_AT_ONCE;
    const [beganAtMs, cpuMs] = [nowMs(), this.#runtime.cpuMs()];
    await Promise.all(
      this.#members.map((member, index) =>
        member.ask({ do: "open", targets: targets.slice(index * share, (index + 1) * share), atOnce }),
      ),
    );
    this.connectedAtMs = nowMs();
    this.connectMs = this.connectedAtMs - beganAtMs;
    if (cpuMs !== undefined) this.connectCpuMs = ((this.#runtime.cpuMs() ?? 0) - cpuMs) / this.size;
  }

  async #prepareTargets(): Promise<Target[]> {
    const { kinds } = this.#plan;
    const direct = this.size - this.throughDoor;
    const door = this.throughDoor > 0 ? await this.#runtime.openDoor() : this.#runtime.url;
    const keys = kinds.includes("bare") ? [] : await mintKeys(this.#runtime, this.size);
    return Array.from({ length: this.size }, (_, index) => ({
      kind: kinds[index % kinds.length] ?? "websocket",
      url: (index < direct ? this.#runtime.url : door).href,
      key: keys[Math.floor(index / LISTENERS_OF_A_KEY)] ?? "",
    }));
  }

  reset(): Promise<unknown> {
    return this.#ask({ do: "reset" });
  }

  /** Waits until every listener has heard a change since the reset, or until the time is over. */
  allHeard(timeoutMs: number): Promise<unknown> {
    return this.#ask({ do: "await", timeoutMs });
  }

  async read(): Promise<Hearing> {
    const hearings = (await this.#ask({ do: "read" })) as Hearing[];
    return {
      heard: hearings.flatMap(({ heard }) => heard),
      cpuMs: hearings.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    };
  }

  /** The title that some of the listeners see on a tool when they list. */
  async listTitles(sample: number, tool: string): Promise<(string | undefined)[]> {
    const everyNth = Math.max(1, Math.floor(this.size / sample));
    return ((await this.#ask({ do: "list", everyNth, tool })) as (string | undefined)[][]).flat();
  }

  /** Drops every connection without a word; when the last one was, as `nowMs()`. */
  async drop(): Promise<number> {
    return Math.max(...((await this.#ask({ do: "drop" })) as number[]));
  }

  async end(): Promise<void> {
    await Promise.all(this.#members.map((member) => member.end()));
  }

  #ask(command: Command): Promise<unknown[]> {
    return Promise.all(this.#members.map((member) => member.ask(command)));
  }
}

class Member {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  #asked = 0;

  constructor(workplace: Workplace) {
    this.#child = fork(join(import.meta.dirname, "client-process.ts"), { detached: true, serialization: "advanced" });
    workplace.keep(this.#child);
    this.#child.on("message", ({ id, result, error }: Reply) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(result);
      else waiting?.reject(new Error(error));
    });
    this.#child.once("exit", (code, signal) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`a client process ended: ${signal ?? code}`));
    });
  }

  ask(command: Command): Promise<unknown> {
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, command } satisfies Question);
    });
  }

  async end(): Promise<void> {
    await kill(this.#child);
  }
}

async function mintKeys({ mintKey }: Runtime, listeners: number): Promise<string[]> {
  const keys: string[] = Array.from({ length: Math.ceil(listeners / LISTENERS_OF_A_KEY) }, () => "");
  let next = 0;
  const mintSome = async (): Promise<void> => {
    for (let index = next++; index < keys.length; index = next++) keys[index] = (await mintKey()).key;
  };
  await Promise.all(Array.from({ length: KEYS_AT_ONCE }, mintSome));
  return keys;
}
