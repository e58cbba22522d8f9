// Clients of all kinds that come, call, listen, change things and leave for a while, on a server whose parts do not fail.

import { SeededRandom } from "../../support/faults/seeded-random.ts";
import { createAdminClient, type AdminClient } from "../faults/admin-client.ts";
import { AdminWriter } from "../faults/admin-writer.ts";
import { Caller, FETCHER } from "../faults/caller.ts";
import type { KeyPair, Surroundings } from "../faults/http-clients.ts";
import { Ledger } from "../faults/ledger.ts";
import { BEACON, Listener, WAYS } from "../faults/listener.ts";
import { OnceCaller } from "../faults/once-caller.ts";
import { PasserBy } from "../faults/passer-by.ts";
import { Runtime } from "../faults/runtime.ts";
import { startUpstream, type UnsteadyUpstream } from "../faults/unsteady-upstream.ts";
import type { Witness } from "../faults/witness.ts";
import { Workplace } from "../fan-out/workplace.ts";
import { readHeaps, type Heap } from "./heap.ts";
import { readRssMiB, type Sample } from "./memory.ts";

const CALLERS = 4;
const LISTENERS_A_WAY = 3;
const CALLS_AT_ONCE = 3;
const CALL_PAUSE_MS = 40;
const LEAVE_PAUSE_MS = 300;
const SHINE_MS = 2_000;
const SAMPLE_MS = 5_000;
/** How often all garbage is collected: it stops the isolates for some tens of milliseconds. */
const HEAPS_MS = 60_000;
/** A stream whose client left is noticed by the second keep-alive after that (`LIMITS.keepAliveMs`, and a second). */
const GRACE_MS = 60_000;
const BOUNDLESS = { perMinute: 1_000_000, burst: 500_000, streams: 8_000 };

export class SoakRun {
  readonly samples: Sample[] = [];
  readonly #witness: Witness;
  readonly #random: SeededRandom;
  readonly #runtime: Runtime;
  readonly #upstream: UnsteadyUpstream;
  readonly #admin: AdminClient;
  readonly #ledger = new Ledger();
  readonly #callers: Caller[] = [];
  readonly #listeners: Listener[] = [];
  #beacon = 0;

  private constructor(witness: Witness, random: SeededRandom, runtime: Runtime, upstream: UnsteadyUpstream) {
    this.#witness = witness;
    this.#random = random;
    this.#runtime = runtime;
    this.#upstream = upstream;
    this.#admin = createAdminClient(witness, runtime.urls, random.fork(), runtime.adminKey);
  }

  static async start(witness: Witness, seed: number): Promise<SoakRun> {
    const random = new SeededRandom(seed);
    const upstream = await startUpstream(random.fork());
    const runtime = await Runtime.start(new Workplace(), upstream.host, true);
    const run = new SoakRun(witness, random, runtime, upstream);
    await run.#prepare();
    return run;
  }

  /** Works until a time, and tells of each sample. */
  async work(untilMs: number, onSample: (sample: Sample) => void): Promise<void> {
    const writer = new AdminWriter({
      name: "soak",
      admin: this.#admin,
      ledger: this.#ledger,
      random: this.#random.fork(),
      upstreamUrl: this.#upstream.url,
    });
    const once = new OnceCaller(this.#around(), await this.#mint(), this.#upstream);
    const passersBy = [
      new PasserBy(this.#around(), await this.#mint()),
      new PasserBy(this.#around(), await this.#mint()),
    ];
    await Promise.all([
      ...this.#callers.map((caller) => caller.work(untilMs, CALLS_AT_ONCE, CALL_PAUSE_MS)),
      ...passersBy.map((passer) => passer.work(untilMs, LEAVE_PAUSE_MS)),
      once.work(untilMs, 1),
      writer.work(untilMs),
      this.#shine(untilMs),
      this.#watch(untilMs, onSample),
    ]);
    await once.check();
    once.close();
  }

  /** Everybody leaves; answers how long it takes until nothing is open, or nothing where it stays open. */
  async leave(): Promise<number | undefined> {
    for (const caller of this.#callers) caller.close();
    for (const listener of this.#listeners) listener.stop();
    const leftAtMs = Date.now();
    while (Date.now() - leftAtMs < GRACE_MS) {
      if ((await this.#countOpen()) === 0) return Date.now() - leftAtMs;
      await pause(250);
    }
    return undefined;
  }

  get pid(): number {
    return this.#runtime.pid;
  }
  readRssMiB(): number {
    return readRssMiB(this.#runtime.pid);
  }

  /** What is reachable in its isolates once all garbage is collected. */
  readHeaps(): Promise<Heap[]> {
    const { inspectorPort } = this.#runtime;
    return inspectorPort === undefined ? Promise.resolve([]) : readHeaps(inspectorPort);
  }

  get log(): string {
    return this.#runtime.takeLog();
  }

  async stop(): Promise<void> {
    await this.#runtime.stop();
    this.#upstream.close();
  }

  #around(): Surroundings {
    return { witness: this.#witness, urls: this.#runtime.urls, random: this.#random.fork() };
  }

  async #prepare(): Promise<void> {
    await this.#put(`/tools/${FETCHER}`, {
      description: "Fetches.",
      inputSchema: { type: "object", properties: { nonce: { type: "string" } }, required: ["nonce"] },
      source: { kind: "http", method: "GET", url: `${this.#upstream.url}/api/{nonce}` },
    });
    await this.#put("/upstreams/unsteady", { url: `${this.#upstream.url}/mcp` });
    await this.#shineOnce();
    for (let n = 0; n < CALLERS; n++) {
      this.#callers.push(new Caller(this.#around(), await this.#mint(), () => false));
    }
    for (const way of Array.from({ length: LISTENERS_A_WAY }, () => WAYS).flat()) {
      const listener = new Listener(this.#around(), await this.#mint(), way, {
        beaconSince: (version) => this.#ledger.beaconSince(version),
        isCutOffSince: () => false,
      });
      this.#listeners.push(listener);
      void listener.run();
    }
  }

  async #mint(): Promise<KeyPair> {
    const { body, status } = await this.#admin.tell("POST", "/keys", { name: "steady", limits: BOUNDLESS });
    if (status !== 201) throw new Error(`a key could not be minted: ${status} ${JSON.stringify(body)}`);
    return { id: String(body["id"]), key: String(body["key"]) };
  }

  async #put(path: string, body: object): Promise<number> {
    const told = await this.#admin.tell("PUT", path, body);
    if (told.outcome !== "done") throw new Error(`PUT ${path}: ${told.status} ${JSON.stringify(told.body)}`);
    return Number(told.body["version"]);
  }

  async #shine(untilMs: number): Promise<void> {
    while (Date.now() < untilMs) {
      await this.#shineOnce();
      await pause(this.#random.int(SHINE_MS / 2, SHINE_MS));
    }
  }

  async #shineOnce(): Promise<void> {
    const count = ++this.#beacon;
    const version = await this.#put(`/tools/${BEACON}`, {
      description: `beacon ${count}`,
      inputSchema: { type: "object" },
      source: { kind: "http", method: "GET", url: `${this.#upstream.url}/api/beacon` },
    });
    this.#ledger.noteBeacon(version, count);
  }

  async #watch(untilMs: number, onSample: (sample: Sample) => void): Promise<void> {
    for (let heapsAtMs = 0; Date.now() < untilMs;) {
      const atMs = Date.now();
      const isDue = atMs >= heapsAtMs + HEAPS_MS;
      if (isDue) heapsAtMs = atMs;
      const sample: Sample = {
        atMs,
        ...(isDue && { heaps: await this.readHeaps() }),
        rssMiB: this.readRssMiB(),
        calls: this.#witness.read("calls: answered"),
        open: await this.#countOpen(),
      };
      this.samples.push(sample);
      onSample(sample);
      await pause(SAMPLE_MS);
    }
  }

  /** What is still open, for who has to find out why. */
  async describeOpen(): Promise<string> {
    const { sessions } = await this.#admin.read("/sessions");
    return JSON.stringify(sessions);
  }

  async #countOpen(): Promise<number> {
    const { total } = await this.#admin.read("/sessions");
    return Number(total);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
