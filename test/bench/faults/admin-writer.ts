// An operator who changes tools and keys, one change after the other, and keeps a ledger of what was acknowledged.

import type { SeededRandom } from "../../support/faults/seeded-random.ts";
import type { AdminClient, Told } from "./admin-client.ts";
import { Belief } from "./belief.ts";
import { ABSENT, type Ledger, type VictimKey } from "./ledger.ts";

const TOOLS = 6;
const KEYS_AT_ONCE = 6;

export interface WriterOptions {
  /** Nobody else changes what this one does. */
  name: string;
  admin: AdminClient;
  ledger: Ledger;
  random: SeededRandom;
  /** Where its tools lead. */
  upstreamUrl: string;
}

export class AdminWriter {
  readonly #options: WriterOptions;
  readonly #keys: VictimKey[] = [];
  #marks = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** Makes changes until a time. */
  async work(untilMs: number): Promise<void> {
    const { random } = this.#options;
    while (Date.now() < untilMs) {
      await this.#step();
      await new Promise((resolve) => setTimeout(resolve, random.int(10, 80)));
    }
  }

  #step(): Promise<void> {
    const { random } = this.#options;
    const steps = [
      () => this.#putTool(),
      () => this.#switchTool(),
      () => this.#deleteTool(),
      () => this.#putSeveral(),
      () => this.#mintKey(),
      () => this.#renameKey(),
      () => this.#rotateKey(),
      () => this.#revokeKey(),
    ];
    return random.pick(steps)();
  }

  #mark(): string {
    return `${this.#options.name}-${++this.#marks}`;
  }

  /** A tool about which there is no doubt, as it is: later changes of another would tell nothing. */
  #pickTool(isWanted: (state: string) => boolean): { name: string; state: string } | undefined {
    const { name, ledger, random } = this.#options;
    const candidates = Array.from({ length: TOOLS }, (_, n) => `${name}_${n}`).flatMap((tool) => {
      const state = ledger.toolOf(tool).sure;
      return state !== undefined && isWanted(state) ? [{ name: tool, state }] : [];
    });
    return candidates.length > 0 ? random.pick(candidates) : undefined;
  }

  #record(mark: string) {
    const { upstreamUrl } = this.#options;
    return {
      description: mark,
      enabled: true,
      inputSchema: { type: "object", properties: { nonce: { type: "string" } }, required: ["nonce"] },
      source: { kind: "http", method: "GET", url: `${upstreamUrl}/api/{nonce}` },
    };
  }

  async #putTool(): Promise<void> {
    const tool = this.#pickTool(() => true);
    if (!tool) return;
    const mark = this.#mark();
    await this.#edit("tool.put", { [tool.name]: `${mark} on` }, (admin) =>
      admin.tell("PUT", `/tools/${tool.name}`, this.#record(mark)),
    );
  }

  async #switchTool(): Promise<void> {
    const tool = this.#pickTool((state) => state !== ABSENT);
    if (!tool) return;
    const [mark, isOn] = tool.state.split(" ");
    const enabled = isOn !== "on";
    await this.#edit("tool.change", { [tool.name]: `${mark} ${enabled ? "on" : "off"}` }, (admin) =>
      admin.tell("PATCH", `/tools/${tool.name}`, { enabled }),
    );
  }

  async #deleteTool(): Promise<void> {
    const tool = this.#pickTool((state) => state !== ABSENT);
    if (!tool) return;
    await this.#edit("tool.delete", { [tool.name]: ABSENT }, (admin) => admin.tell("DELETE", `/tools/${tool.name}`));
  }

  async #putSeveral(): Promise<void> {
    const first = this.#pickTool(() => true);
    const second = this.#pickTool(() => true);
    if (!first || !second || first.name === second.name) return;
    const marks = [this.#mark(), this.#mark()] as const;
    const changes = [first, second].map(({ name }, n) => ({ op: "put", name, record: this.#record(marks[n] ?? "") }));
    await this.#edit("tool.put", { [first.name]: `${marks[0]} on`, [second.name]: `${marks[1]} on` }, (admin) =>
      admin.tell("POST", "/tools", { changes }),
    );
  }

  async #edit(action: string, states: Record<string, string>, ask: (admin: AdminClient) => Promise<Told>) {
    const { admin, ledger } = this.#options;
    const askedAtMs = Date.now();
    const { outcome, body } = await ask(admin);
    for (const [name, state] of Object.entries(states)) ledger.toolOf(name).note(state, outcome);
    if (outcome !== "done") return;
    const version = Number(body["version"]);
    ledger.noteVersion({ version, askedAtMs, answeredAtMs: Date.now() });
    for (const target of Object.keys(states)) ledger.acts.push({ action, target, version });
  }

  async #mintKey(): Promise<void> {
    const { admin, ledger } = this.#options;
    if (this.#keys.filter(({ status }) => status.all.includes("active")).length >= KEYS_AT_ONCE) return;
    const name = this.#mark();
    const { outcome, body } = await admin.tell("POST", "/keys", { name, limits: { perMinute: 6_000 } });
    if (outcome !== "done") return;
    const id = String(body["id"]);
    const key: VictimKey = {
      id,
      name: new Belief(name),
      status: new Belief<"active" | "revoked">("active"),
      secret: { id, key: String(body["key"]) },
      ended: [],
      revokedAtMs: Infinity,
    };
    this.#keys.push(key);
    ledger.keys.push(key);
    ledger.acts.push({ action: "key.create", target: id });
  }

  #pickKey(): VictimKey | undefined {
    const candidates = this.#keys.filter(({ status }) => status.sure === "active");
    return candidates.length > 0 ? this.#options.random.pick(candidates) : undefined;
  }

  async #renameKey(): Promise<void> {
    const key = this.#pickKey();
    if (!key) return;
    const name = this.#mark();
    const { outcome } = await this.#options.admin.tell("PATCH", `/keys/${key.id}`, { name });
    key.name.note(name, outcome);
    if (outcome === "done") this.#options.ledger.acts.push({ action: "key.change", target: key.id });
  }

  async #rotateKey(): Promise<void> {
    const key = this.#pickKey();
    if (!key) return;
    const path = `/keys/${key.id}/rotate`;
    const { outcome, body } = await this.#options.admin.tell("POST", path, { overlapSeconds: 0 });
    if (outcome === "not done") return;
    const old = key.secret;
    key.secret = outcome === "done" ? { id: key.id, key: String(body["key"]) } : undefined;
    if (outcome !== "done") return;
    if (old) key.ended.push({ key: old.key, atMs: Date.now() });
    this.#options.ledger.acts.push({ action: "key.rotate", target: key.id });
  }

  async #revokeKey(): Promise<void> {
    const key = this.#pickKey();
    if (!key) return;
    const { outcome } = await this.#options.admin.tell("DELETE", `/keys/${key.id}`);
    key.status.note("revoked", outcome);
    if (outcome === "not done") return;
    key.revokedAtMs = Date.now();
    if (outcome === "done") this.#options.ledger.acts.push({ action: "key.revoke", target: key.id });
  }
}
