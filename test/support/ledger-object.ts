// A key's object as far as its leases go, without a runtime: a ledger over a store that outlives it.

import { KeyLedger, type LedgerStore } from "../../src/keys/key-ledger.ts";
import { factsOf, type KeyRecord, type LeaseAnswer, type LeaseRequest } from "../../src/keys/key-record.ts";

export interface Clock {
  nowMs: number;
}

export const recordOf = (more: Partial<KeyRecord>): KeyRecord => ({
  id: "k",
  name: "n",
  place: "header",
  digest: "d",
  scopes: ["mcp"],
  tools: {},
  calls: { perMinute: 600, burst: 600 },
  createdAtMs: 0,
  ...more,
});

export interface LedgerObject {
  lease: (ask: Partial<LeaseRequest> & Pick<LeaseRequest, "need" | "want">) => LeaseAnswer & { status: "active" };
  usedToday: () => number;
  /** Loses all that is not stored, as an eviction or SIGKILL does. */
  restart: () => void;
}

export function ledgerObject(record: KeyRecord, clock: Clock): LedgerObject {
  const stored = new Map<string, string>();
  const store: LedgerStore = {
    get: <T>(name: string) => {
      const text = stored.get(name);
      return text === undefined ? undefined : (JSON.parse(text) as T);
    },
    put: (name, value) => void stored.set(name, JSON.stringify(value)),
  };
  let ledger = new KeyLedger(store);
  return {
    lease: (ask) => {
      const request: LeaseRequest = { v: 1, digest: record.digest, bucket: "calls", ...ask };
      const { calls, dry, accounts, grant } = ledger.pay(record, request, clock.nowMs);
      return {
        v: 1,
        status: "active",
        facts: factsOf(record, clock.nowMs),
        tokens: calls,
        retryAfterMs: dry?.retryAfterMs ?? 0,
        ...(dry && { dry: dry.name }),
        accounts,
        ...(grant !== undefined && { grant }),
      };
    },
    usedToday: () => ledger.readUsed(clock.nowMs),
    restart: () => {
      ledger = new KeyLedger(store);
    },
  };
}
