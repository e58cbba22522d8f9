// Rounds of work and faults on one server, whose state grows from round to round, and what is checked after each.

import { SeededRandom } from "../../support/faults/seeded-random.ts";
import { Workplace } from "../fan-out/workplace.ts";
import { createAdminClient, type AdminClient } from "./admin-client.ts";
import { AdminWriter } from "./admin-writer.ts";
import { AuditCheck } from "./audit-check.ts";
import { Caller, FETCHER } from "./caller.ts";
import { ConversingCaller } from "./conversing-caller.ts";
import { FaultMaker } from "./fault-maker.ts";
import { openSession, type KeyPair, type Session, type Surroundings } from "./http-clients.ts";
import { Ledger } from "./ledger.ts";
import { LimitedCaller, type Limits } from "./limited-caller.ts";
import { BEACON, Listener, WAYS } from "./listener.ts";
import { OnceCaller } from "./once-caller.ts";
import { PasserBy } from "./passer-by.ts";
import { Runtime } from "./runtime.ts";
import { StateCheck } from "./state-check.ts";
import { startUpstream, type UnsteadyUpstream } from "./unsteady-upstream.ts";
import type { Witness } from "./witness.ts";

const CALLERS = 4;
const CALL_PAUSE_MS = 25;
const FAULTY_MS = 900;
const KILL_SHARE = 1 / 4;
/** After the last fault everything must work again. */
const RECOVERS_WITHIN_MS = 8_000;
const HEARD_WITHIN_MS = 8_000;
/** Rounds after which keys with limits give way to new ones. */
const LIMITED_ROUNDS = 20;

const LIMITED: Limits[] = [
  { perMinute: 6_000, burst: 100, perDay: 60 },
  { perMinute: 30, burst: 5 },
  { perMinute: 300, burst: 20 },
  { perMinute: 6_000, burst: 100, concurrent: 2 },
];

export class FaultsRun {
  readonly #witness: Witness;
  readonly #random: SeededRandom;
  readonly #kills: SeededRandom;
  readonly runtime: Runtime;
  readonly #upstream: UnsteadyUpstream;
  readonly #admin: AdminClient;
  readonly #ledger = new Ledger();
  readonly #faults: FaultMaker;
  readonly #audit: AuditCheck;
  readonly #state: StateCheck;
  readonly #writers: AdminWriter[];
  readonly #keyIds: string[] = [];
  readonly #callers: Caller[] = [];
  #once: OnceCaller | undefined;
  #limited: LimitedCaller[] = [];
  readonly #conversing: ConversingCaller[] = [];
  #passerBy: PasserBy | undefined;
  readonly #listeners: Listener[] = [];
  readonly #sessions: Session[] = [];
  readonly #ended: (Session & { endedAtMs: number })[] = [];
  #beacon = 0;

  private constructor(witness: Witness, random: SeededRandom, runtime: Runtime, upstream: UnsteadyUpstream) {
    this.#witness = witness;
    this.#random = random;
    this.#kills = random.fork();
    this.runtime = runtime;
    this.#upstream = upstream;
    this.#admin = createAdminClient(witness, runtime.urls, random.fork(), runtime.adminKey);
    this.#faults = new FaultMaker({
      runtime,
      upstream,
      witness,
      random: random.fork(),
      keyIds: () => this.#keyIds,
      relays: () => this.#conversing.flatMap(({ relay }) => relay ?? []),
    });
    this.#audit = new AuditCheck(witness, this.#admin);
    this.#state = new StateCheck(this.#around(), this.#admin, this.#ledger);
    this.#writers = ["anna", "ben"].map(
      (name) =>
        new AdminWriter({
          name,
          admin: this.#admin,
          ledger: this.#ledger,
          random: random.fork(),
          upstreamUrl: upstream.url,
        }),
    );
  }

  static async start(witness: Witness, seed: number): Promise<FaultsRun> {
    const random = new SeededRandom(seed);
    const upstream = await startUpstream(random.fork());
    const runtime = await Runtime.start(new Workplace(), upstream.host);
    const run = new FaultsRun(witness, random, runtime, upstream);
    await run.#prepare();
    return run;
  }

  /** One round: work with faults, then without, then the checks. Kills the runtime by the seed, or as it is told. */
  async round(isKill = this.#kills.chance(KILL_SHARE)): Promise<void> {
    const { round } = this.#witness;
    if (round % LIMITED_ROUNDS === 1) await this.#renewLimited();
    const untilMs = Date.now() + FAULTY_MS;
    await Promise.all([
      this.#faults.work(untilMs, isKill),
      ...this.#callers.map((caller) => caller.work(untilMs, 2, CALL_PAUSE_MS)),
      ...this.#limited.map((caller) => caller.work(untilMs, 3)),
      ...this.#writers.map((writer) => writer.work(untilMs)),
      ...this.#conversing.map((caller) => caller.work(untilMs)),
      this.#once?.work(untilMs, 3),
      this.#passerBy?.work(untilMs, 150),
      this.#refresh(untilMs),
      this.#shine(untilMs),
      this.#endSession(),
    ]);
    await this.#check();
  }

  /** The whole chain once more; answers how many rows it has. */
  finish(): Promise<number> {
    return this.#audit.checkAll();
  }

  get openCalls(): number {
    return this.#once?.open ?? 0;
  }

  async stop(): Promise<void> {
    for (const listener of this.#listeners) listener.stop();
    for (const caller of this.#callers) caller.close();
    this.#once?.close();
    await this.runtime.stop();
    this.#upstream.close();
  }

  #around(): Surroundings {
    return { witness: this.#witness, urls: this.runtime.urls, random: this.#random.fork() };
  }

  async #prepare(): Promise<void> {
    const isKilledSince = (atMs: number): boolean => this.#faults.isKilledSince(atMs);
    for (let n = 0; n < CALLERS; n++) {
      const key = await this.#mint({ perMinute: 100_000, burst: 50_000 });
      this.#callers.push(new Caller(this.#around(), key, isKilledSince));
      this.#conversing.push(new ConversingCaller(this.#around(), key, isKilledSince));
      const session = await openSession(this.#around(), key, "2025-11-25");
      if (session) this.#sessions.push(session);
    }
    this.#once = new OnceCaller(
      this.#around(),
      await this.#mint({ perMinute: 100_000, burst: 50_000 }),
      this.#upstream,
    );
    this.#passerBy = new PasserBy(
      this.#around(),
      await this.#mint({ perMinute: 100_000, burst: 50_000, streams: 1_000 }),
    );
    await this.#set("/tools/" + FETCHER, {
      description: "Fetches.",
      inputSchema: { type: "object", properties: { nonce: { type: "string" } }, required: ["nonce"] },
      source: { kind: "http", method: "GET", url: `${this.#upstream.url}/api/{nonce}` },
    });
    await this.#set("/upstreams/unsteady", { url: `${this.#upstream.url}/mcp` });
    await this.#shineOnce();
    for (const way of WAYS) {
      const key = await this.#mint({ perMinute: 6_000 });
      const listener = new Listener(this.#around(), key, way, {
        beaconSince: (version) => this.#ledger.beaconSince(version),
        isCutOffSince: (atMs) => this.runtime.cutOffAtMs >= atMs,
      });
      this.#listeners.push(listener);
      void listener.run();
    }
  }

  async #set(path: string, body: object): Promise<void> {
    const told = await this.#admin.tell("PUT", path, body);
    if (told.status !== 201) throw new Error(`PUT ${path}: ${told.status} ${JSON.stringify(told.body)}`);
  }

  async #renewLimited(): Promise<void> {
    this.#limited = [];
    for (const limits of LIMITED) {
      const { concurrent, perDay, ...rates } = limits;
      const key = await this.#mint({
        ...rates,
        ...(perDay !== undefined && { perDay }),
        ...(concurrent !== undefined && { concurrent }),
      });
      this.#limited.push(new LimitedCaller(this.#around(), key, limits, this.#upstream));
    }
  }

  async #mint(limits: object): Promise<KeyPair> {
    const { body, status } = await this.#admin.tell("POST", "/keys", { name: "steady", limits });
    if (status !== 201) throw new Error(`a key could not be minted: ${status} ${JSON.stringify(body)}`);
    const id = String(body["id"]);
    this.#keyIds.push(id);
    return { id, key: String(body["key"]) };
  }

  /** Has the upstream listed now and then, which may fail: its tools stay. */
  async #refresh(untilMs: number): Promise<void> {
    while (Date.now() < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, this.#random.int(100, 900)));
      await this.#admin.tell("POST", "/upstreams/unsteady/refresh");
    }
  }

  /** Changes the beacon again and again, for listeners to hear of. */
  async #shine(untilMs: number): Promise<void> {
    while (Date.now() < untilMs) {
      await this.#shineOnce();
      await new Promise((resolve) => setTimeout(resolve, this.#random.int(50, 300)));
    }
  }

  async #shineOnce(): Promise<boolean> {
    const count = ++this.#beacon;
    const askedAtMs = Date.now();
    const { outcome, body } = await this.#admin.tell("PUT", `/tools/${BEACON}`, {
      description: `beacon ${count}`,
      inputSchema: { type: "object" },
      source: { kind: "http", method: "GET", url: `${this.#upstream.url}/api/beacon` },
    });
    if (outcome !== "done") return false;
    const version = Number(body["version"]);
    this.#ledger.noteBeacon(version, count);
    this.#ledger.noteVersion({ version, askedAtMs, answeredAtMs: Date.now() });
    this.#ledger.acts.push({ action: "tool.put", target: BEACON, version });
    return true;
  }

  async #endSession(): Promise<void> {
    const around = this.#around();
    const key = this.#random.pick(this.#sessions);
    const session = await openSession(around, { id: key.keyId, key: key.key }, "2025-06-18");
    if (!session || !(await this.#state.endSession(session))) return;
    this.#witness.count("sessions ended");
    this.#ended.push({ ...session, endedAtMs: Date.now() });
  }

  async #check(): Promise<void> {
    await Promise.all(this.#callers.map((caller) => caller.check(RECOVERS_WITHIN_MS)));
    this.#ledger.checkVersions(this.#witness);
    await this.#state.checkTools();
    await this.#state.checkKeys();
    await this.#state.checkSessions(this.#sessions, this.#ended);
    await this.#audit.check(this.#ledger.acts);
    this.#ledger.acts = [];
    await this.#once?.check();
    for (const caller of this.#limited) caller.check();
    await this.#checkListeners();
  }
  /** Everybody who listens hears of the last change that was acknowledged, and of one more. */
  async #checkListeners(): Promise<void> {
    await this.#expectHeard(this.#ledger.beaconSince(Infinity));
    const untilMs = Date.now() + HEARD_WITHIN_MS;
    while (!(await this.#shineOnce()) && Date.now() < untilMs);
    await this.#expectHeard(this.#beacon);
  }

  async #expectHeard(last: number): Promise<void> {
    const untilMs = Date.now() + HEARD_WITHIN_MS;
    for (const listener of this.#listeners) {
      while (listener.beacon < last && Date.now() < untilMs) await new Promise((resolve) => setTimeout(resolve, 10));
      this.#witness.expect(
        listener.beacon >= last,
        () =>
          `${listener.way}: not told of the last change within ${HEARD_WITHIN_MS} ms: it has ${listener.beacon} of ${last}`,
      );
    }
  }
}
