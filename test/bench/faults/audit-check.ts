// The trail of admin actions since it was looked at last: unbroken, with a row for every act that was acknowledged, and with
// every version of the catalogue once and in order.

import { checkRows, linkOf, parseChain, type ChainLink } from "../../../src/cli/verify-chain.ts";
import type { AdminClient, Body } from "./admin-client.ts";
import type { AckedAct } from "./ledger.ts";
import type { Witness } from "./witness.ts";

const PAGE_ROWS = 500;
/** Twice as long as a key's object waits until it tells the registry again. */
const RECORDED_WITHIN_MS = 10_000;
const GENESIS: ChainLink = { seq: 0, hash: "0".repeat(64) };

export class AuditCheck {
  readonly #witness: Witness;
  readonly #admin: AdminClient;
  #verified = GENESIS;
  #version = 0;

  constructor(witness: Witness, admin: AdminClient) {
    this.#witness = witness;
    this.#admin = admin;
  }

  /** Checks what is new, and that it holds all of `acts`: what a key's object could not tell at once, it tells again. */
  async check(acts: readonly AckedAct[]): Promise<void> {
    await this.#untilRecorded(acts);
    const { rows, head } = await this.#readSince(this.#verified.seq);
    const fault = checkRows(rows, { anchor: this.#verified, head });
    this.#witness.expect(fault === undefined, () => `the chain of admin actions is broken: ${fault}`);
    this.#checkVersions(rows.toReversed());
    for (const act of acts) {
      this.#witness.expect(
        rows.some((row) => matches(row, act)),
        () => `no row of ${JSON.stringify(act)}`,
      );
    }
    this.#verified = head;
  }

  async #untilRecorded(acts: readonly AckedAct[]): Promise<void> {
    const untilMs = Date.now() + RECORDED_WITHIN_MS;
    while (Date.now() < untilMs) {
      const { rows } = await this.#readSince(this.#verified.seq);
      if (acts.every((act) => rows.some((row) => matches(row, act)))) return;
      this.#witness.count("acts: recorded late");
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }

  /** All of it from the first row on, as `toolgate audit verify` does. */
  async checkAll(): Promise<number> {
    const { rows, head, anchor } = await this.#readSince(0);
    const kept = rows.filter((row) => linkOf(row).seq > anchor.seq);
    const fault = checkRows(kept, { anchor, head });
    this.#witness.expect(fault === undefined, () => `the chain of admin actions is broken: ${fault}`);
    return kept.length;
  }

  async #readSince(seq: number): Promise<{ rows: Body[]; head: ChainLink; anchor: ChainLink }> {
    const rows: Body[] = [];
    let head: ChainLink | undefined;
    for (let cursor = ""; ;) {
      const page = await this.#admin.read(`/audit?kind=admin&limit=${PAGE_ROWS}${cursor}`);
      const chain = parseChain(page["chain"]);
      if (!chain) throw new Error("the admin API answered without a chain");
      head ??= chain.head;
      const newer = (page["rows"] as Body[]).filter((row) => linkOf(row).seq > seq);
      rows.push(...newer);
      const next = page["nextCursor"];
      if (newer.length < PAGE_ROWS || typeof next !== "string") return { rows, head, anchor: chain.anchor };
      cursor = `&cursor=${encodeURIComponent(next)}`;
    }
  }

  /** Several tools may be changed as one version. */
  #checkVersions(rows: readonly Body[]): void {
    for (const row of rows) {
      const version = Number(row["version"]);
      const isChange = row["outcome"] === "changed" && /^(tool|upstream|deploy)/.test(String(row["action"]));
      const isNext = version === this.#version || (isChange && version === this.#version + 1);
      this.#witness.expect(isNext, () => `row ${String(row["seq"])} has version ${version} after ${this.#version}`);
      this.#version = version;
    }
  }
}

const matches = (row: Body, { action, target, version }: AckedAct): boolean =>
  row["action"] === action &&
  row["target"] === target &&
  row["outcome"] === "changed" &&
  (version === undefined || row["version"] === version);
