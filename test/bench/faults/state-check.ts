// Looks at the server once nothing fails any more: what was acknowledged is there, and what was ended stays so.

import type { SeededRandom } from "../../support/faults/seeded-random.ts";
import type { AdminClient, Body } from "./admin-client.ts";
import { callOf, saidOf } from "./caller.ts";
import { modernClient, sessionClient, type Session, type Surroundings } from "./http-clients.ts";
import { ABSENT, type Ledger, type VictimKey } from "./ledger.ts";
import { bearer, send } from "./wire.ts";
import type { Witness } from "./witness.ts";

/** How long what was ended may still be let in, and a little more. */
export const REFUSED_AFTER_MS = 2_500;
const OLD_KEYS = 3;
/** Twice as long as a key's object waits until it tells the registry again. */
const LISTED_WITHIN_MS = 10_000;

export class StateCheck {
  readonly #around: Surroundings;
  readonly #admin: AdminClient;
  readonly #ledger: Ledger;

  constructor(around: Surroundings, admin: AdminClient, ledger: Ledger) {
    this.#around = around;
    this.#admin = admin;
    this.#ledger = ledger;
  }

  get #witness(): Witness {
    return this.#around.witness;
  }

  get #random(): SeededRandom {
    return this.#around.random;
  }

  /** The catalogue is at least at the highest version that was acknowledged, and each tool as it may be. */
  async checkTools(): Promise<void> {
    const { version, tools } = (await this.#admin.read("/tools")) as { version: number; tools: Body[] };
    this.#witness.expect(
      version >= this.#ledger.highest,
      () => `the catalogue is at version ${version}, though ${this.#ledger.highest} was acknowledged`,
    );
    const states = new Map(tools.map((tool) => [String(tool["name"]), stateOf(tool)]));
    for (const [name, belief] of this.#ledger.tools) {
      const allowed = belief.all;
      const state = states.get(name) ?? ABSENT;
      this.#witness.expect(
        belief.settle(state),
        () => `the tool ${name} is "${state}", though it must be ${allowed.map((each) => `"${each}"`).join(" or ")}`,
      );
    }
  }

  /** Every key that was touched is as it may be, lists the same as it is, and opens what it must and nothing else. */
  async checkKeys(): Promise<void> {
    const { keys } = this.#ledger;
    const doubtful = keys.filter(({ name, status }) => name.sure === undefined || status.sure === undefined);
    const old = Array.from({ length: keys.length > 0 ? OLD_KEYS : 0 }, () => this.#random.pick(keys));
    const newest = keys.slice(-OLD_KEYS);
    await Promise.all([...new Set([...doubtful, ...old, ...newest])].map((key) => this.#checkKey(key)));
  }

  async #checkKey(key: VictimKey): Promise<void> {
    const { id, name, status } = key;
    const told = await this.#admin.tell("GET", `/keys/${id}`);
    if (told.status !== 200) return this.#witness.find(`the key ${id} was minted, but is ${told.status} now`);
    const [isName, isStatus] = [String(told.body["name"]), String(told.body["status"]) as "active" | "revoked"];
    const allowed = [name.all, status.all];
    this.#witness.expect(
      [name.settle(isName), status.settle(isStatus)].every(Boolean),
      () => `the key ${id} is ${isName}, ${isStatus}, though it must be ${JSON.stringify(allowed)}`,
    );
    await this.#checkListed(id, isName, isStatus);
    if (isStatus === "active" && key.secret) {
      const said = await this.#callWith(key.secret.key, id);
      this.#witness.expect(said === "own", () => `the key ${id} is active, but a call was answered: ${said}`);
    }
    const over = isStatus === "revoked" && key.secret ? [{ key: key.secret.key, atMs: key.revokedAtMs }] : [];
    for (const { key: ended, atMs } of [...key.ended, ...over]) {
      if (Date.now() - atMs < REFUSED_AFTER_MS) continue;
      const said = await this.#callWith(ended, id);
      this.#witness.expect(said === "401", () => `a secret of ${id} that was ended is answered: ${said}`);
    }
  }

  /** The index follows, within some seconds where the registry could not be told at once. */
  async #checkListed(id: string, name: string, status: string): Promise<void> {
    const untilMs = Date.now() + LISTED_WITHIN_MS;
    let listed: Body | undefined;
    do {
      const page = await this.#admin.read(`/keys?cursor=${id.slice(0, -1)}`);
      listed = (page["keys"] as Body[]).find((row) => row["id"] === id);
      if (listed?.["name"] === name && listed["status"] === status) return this.#witness.count("checks");
      this.#witness.count("keys: listed late");
      await new Promise((resolve) => setTimeout(resolve, 250));
    } while (Date.now() < untilMs);
    this.#witness.find(`the key ${id} is ${name}, ${status}, but listed as ${JSON.stringify(listed)}`);
  }

  async #callWith(key: string, id: string): Promise<string> {
    const client = modernClient(this.#around, { id, key });
    const outcome = await client.ask(callOf("echo", { nonce: id }));
    if (outcome.kind !== "answered") return outcome.kind;
    if (outcome.status !== 200) return String(outcome.status);
    const said = saidOf(outcome.message);
    return said?.nonce === id && said.keyId === id ? "own" : JSON.stringify(outcome.message);
  }

  /** A session that was ended is not found, in either isolate, and neither is a session of another key's. */
  async checkSessions(live: readonly Session[], ended: readonly (Session & { endedAtMs: number })[]): Promise<void> {
    const over = ended.filter(({ endedAtMs }) => Date.now() - endedAtMs >= REFUSED_AFTER_MS);
    if (over.length > 0) await this.#expectStatus(this.#random.pick(over), 404, "a session that was ended");
    const [mine, theirs] = [this.#random.pick(live), this.#random.pick(live)];
    await this.#expectStatus(mine, 200, "a session that nobody ended");
    if (mine.keyId === theirs.keyId) return;
    await this.#expectStatus({ ...mine, key: theirs.key }, 404, "another key's session");
  }

  async #expectStatus(session: Session, status: number, what: string): Promise<void> {
    const outcome = await sessionClient(this.#around, session).ask({ method: "ping", params: {} });
    const is = outcome.kind === "answered" ? outcome.status : outcome.kind;
    this.#witness.expect(is === status, () => `${what} was answered ${is} instead of ${status}`);
  }

  /** Ends a session; whether that was acknowledged. */
  async endSession(session: Session): Promise<boolean> {
    const url = new URL("/mcp", this.#random.pick(this.#around.urls));
    const headers = { ...bearer(session.key), "mcp-session-id": session.sessionId };
    const outcome = await send(url, { method: "DELETE", headers }, async ({ status, body }) => {
      await body?.cancel();
      return { kind: "answered" as const, status };
    });
    return outcome.kind === "answered" && outcome.status === 204;
  }
}

const stateOf = ({ description, enabled }: Body): string => `${String(description)} ${enabled === true ? "on" : "off"}`;
