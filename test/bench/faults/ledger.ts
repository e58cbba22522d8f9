// What was acknowledged so far, and what may or may not have happened besides.

import { Belief } from "./belief.ts";
import type { KeyPair } from "./http-clients.ts";
import type { Witness } from "./witness.ts";

export const ABSENT = "absent";

/** A change of the catalogue that was acknowledged. */
export interface AckedVersion {
  version: number;
  askedAtMs: number;
  answeredAtMs: number;
}

/** An act of which the audit trail must have a row. */
export interface AckedAct {
  action: string;
  target: string;
  version?: number;
}

/** A key that writers change. */
export interface VictimKey {
  id: string;
  name: Belief<string>;
  status: Belief<"active" | "revoked">;
  /** Secrets that must work as long as the key does; none when a rotation may have ended them. */
  secret: KeyPair | undefined;
  /** Secrets that must not work any more, and since when. */
  ended: { key: string; atMs: number }[];
  revokedAtMs: number;
}

export class Ledger {
  /** `<marker> on`, `<marker> off` or `absent`, by tool. */
  readonly tools = new Map<string, Belief<string>>();
  readonly keys: VictimKey[] = [];
  /** Of the present round. */
  versions: AckedVersion[] = [];
  acts: AckedAct[] = [];
  /** The highest that was acknowledged in earlier rounds. */
  #highest = 0;
  /** What the beacon says since which version. */
  readonly #beacons: { version: number; count: number }[] = [];

  toolOf(name: string): Belief<string> {
    const known = this.tools.get(name) ?? new Belief(ABSENT);
    this.tools.set(name, known);
    return known;
  }

  noteVersion(acked: AckedVersion): void {
    this.versions.push(acked);
  }

  noteBeacon(version: number, count: number): void {
    this.#beacons.push({ version, count });
  }

  /** What the beacon says at least in a list that is no older than a version. */
  beaconSince(version: number): number {
    return Math.max(0, ...this.#beacons.filter((beacon) => beacon.version <= version).map(({ count }) => count));
  }

  /** Every version was given out once, and later ones to what was asked for later. */
  checkVersions(witness: Witness): void {
    const { versions } = this;
    const numbers = new Set(versions.map(({ version }) => version));
    witness.expect(numbers.size === versions.length, () => `a version was given to two changes: ${list(versions)}`);
    for (const later of versions) {
      const before = versions.filter(({ answeredAtMs }) => answeredAtMs < later.askedAtMs);
      const floor = Math.max(this.#highest, ...before.map(({ version }) => version));
      witness.expect(
        later.version > floor,
        () => `version ${later.version} was given after version ${floor} was acknowledged`,
      );
    }
    this.#highest = Math.max(this.#highest, ...numbers);
    this.versions = [];
  }

  get highest(): number {
    return this.#highest;
  }
}

const list = (versions: AckedVersion[]): string => versions.map(({ version }) => version).join(", ");
