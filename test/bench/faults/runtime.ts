// The server under test: a workerd that can be killed like a machine that loses power, and started again on its state.

import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire, stripTypeScriptTypes } from "node:module";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { within } from "../../journeys/support/within.ts";
import { FAULT_PLAN_PATH, NO_FAULTS, type Blow, type FaultPlan } from "../../support/faults/fault-plan.ts";
import { bundleWorker, type Bundle } from "../fan-out/bundle.ts";
import { kill, type Workplace } from "../fan-out/workplace.ts";
import { runtimeConfig, type Ports } from "./runtime-config.ts";

const ENTRY = "test/support/faults/fault-worker.ts";
const CONTROL = "test/support/faults/control-worker.ts";
const READY_WITHIN_MS = 20_000;
const STRIKE_MS = 300;
const POLL_MS = 10;
const LOG_CHARS = 200_000;

// The very one that wrangler comes with; its package answers the path of the binary.
const WORKERD = (createRequire(createRequire(import.meta.url).resolve("wrangler"))("workerd") as { default: string })
  .default;

export class Runtime {
  readonly adminKey = mintSecret();
  /** The edge's isolates, each with caches of its own, on the same objects. */
  readonly urls: readonly [URL, URL];
  /** How often it was killed so far. */
  kills = 0;
  readonly #workplace: Workplace;
  readonly #dir: string;
  readonly #control: URL;
  #plan = NO_FAULTS;
  #child: ChildProcess | undefined;
  #log = "";
  /** When an isolate last said that it could not ask the registry. */
  cutOffAtMs = 0;

  /** Where its isolates can be looked into. */
  readonly inspectorPort: number | undefined;

  private constructor(workplace: Workplace, dir: string, ports: Ports, inspectorPort: number | undefined) {
    this.#workplace = workplace;
    this.#dir = dir;
    this.inspectorPort = inspectorPort;
    this.urls = [urlAt(ports.main), urlAt(ports.sibling)];
    this.#control = urlAt(ports.control);
  }

  /** Starts it on an empty state, with an inspector if it is to be looked into. Its tools may reach the hosts in `allow`. */
  static async start(workplace: Workplace, allow: string, isInspected = false): Promise<Runtime> {
    const bundle = await bundleWorker(workplace, { path: ENTRY, objects: {} });
    const dir = join(workplace.dir, "runtime");
    const { inspector, ...ports } = await findFreePorts();
    const runtime = new Runtime(workplace, dir, ports, isInspected ? inspector : undefined);
    runtime.#prepare(bundle, { EGRESS_ALLOW: allow }, ports);
    await runtime.#spawn();
    return runtime;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** What it wrote since it was asked last. */
  takeLog(): string {
    const log = this.#log;
    this.#log = "";
    return log;
  }

  /** From now on calls of objects fail by this plan, after a restart too. */
  async setFaults(plan: FaultPlan): Promise<void> {
    this.#plan = plan;
    // A runtime that is being killed takes no plan; it gets it when it starts again.
    await Promise.all(this.urls.map((url) => tell(new URL(FAULT_PLAN_PATH, url), plan).catch(() => undefined)));
  }

  /** Evicts or resets an object. One that is busy is evicted when it is not, which may take a while: nobody waits for it. */
  async strike(blow: Blow): Promise<void> {
    await within(STRIKE_MS, "blow", tell(this.#control, blow)).catch(() => undefined);
  }

  /** SIGKILL, then a start on the state that is left. */
  async restart(): Promise<void> {
    this.kills++;
    await this.stop();
    await this.#spawn();
    await this.setFaults(this.#plan);
  }

  async stop(): Promise<void> {
    if (this.#child) await kill(this.#child);
  }

  #prepare(bundle: Bundle, vars: Record<string, string>, ports: Ports): void {
    const storage = join(this.#dir, "storage");
    mkdirSync(storage, { recursive: true });
    // workerd embeds files by a path relative to its configuration.
    cpSync(bundle.script, join(this.#dir, "worker.js"));
    writeFileSync(join(this.#dir, "control.js"), stripTypeScriptTypes(readFileSync(CONTROL, "utf8")));
    const secrets = { SIGNING_SECRET: mintSecret(), SECRETS_KEY: mintSecret(), ADMIN_KEY: this.adminKey };
    const isInspected = this.inspectorPort !== undefined;
    const config = runtimeConfig(bundle, { vars: { ...vars, ...secrets }, storage, ports, isInspected });
    writeFileSync(join(this.#dir, "config.capnp"), config, { mode: 0o600 });
  }

  async #spawn(): Promise<void> {
    const inspector = this.inspectorPort === undefined ? [] : [`--inspector-addr=127.0.0.1:${this.inspectorPort}`];
    const child = spawn(WORKERD, ["serve", "--experimental", ...inspector, join(this.#dir, "config.capnp")], {
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#workplace.keep(child);
    this.#child = child;
    for (const output of [child.stdout, child.stderr]) {
      output.on("data", (chunk: Buffer) => this.#note(String(chunk)));
    }
    const ended = once(child, "exit");
    await within(READY_WITHIN_MS, "start of workerd", this.#untilHealthy(ended));
  }

  #note(written: string): void {
    this.#log = (this.#log + written).slice(-LOG_CHARS);
    if (written.includes('"registry_unreachable"')) this.cutOffAtMs = Date.now();
  }

  async #untilHealthy(ended: Promise<unknown>): Promise<void> {
    let isOver = false;
    void ended.then(() => (isOver = true));
    for (const url of this.urls) {
      while (!(await isHealthy(url))) {
        if (isOver) throw new Error(`workerd ended by itself:\n${this.#log}`);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    }
  }
}

const mintSecret = (): string => randomBytes(32).toString("hex");

const urlAt = (port: number): URL => new URL(`http://127.0.0.1:${port}/`);

async function isHealthy(url: URL): Promise<boolean> {
  const answer = await fetch(new URL("/healthz", url)).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status === 200;
}

async function tell(url: URL, body: object): Promise<void> {
  const answer = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  if (answer.status !== 204) throw new Error(`expected status 204, received ${answer.status}: ${await answer.text()}`);
}

/** Ports that nobody has: after a kill the server comes back where its clients know it. */
async function findFreePorts(): Promise<Ports & { inspector: number }> {
  const probes = ["main", "sibling", "control", "inspector"].map((name) => ({
    name,
    probe: createServer().listen(0, "127.0.0.1"),
  }));
  await Promise.all(probes.map(({ probe }) => once(probe, "listening")));
  const ports = probes.map(({ name, probe }) => [name, (probe.address() as AddressInfo).port] as const);
  await Promise.all(probes.map(({ probe }) => once(probe.close(), "close")));
  return Object.fromEntries(ports) as unknown as Ports & { inspector: number };
}
