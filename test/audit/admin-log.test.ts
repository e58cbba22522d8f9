import { evictDurableObject, reset, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { type AdminAct } from "../../src/audit/admin-act.ts";
import { recordAdmin } from "../../src/audit/admin-log.ts";
import type { AuditQuery } from "../../src/audit/audit-contract.ts";
import { registryStub } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { sha256Hex } from "../../src/lib/signing.ts";
import type { EditOutcome, ToolPatch } from "../../src/registry/registry-contract.ts";
import { testEnv } from "../support/counting-env.ts";

const registry = () => registryStub(testEnv);
const stub = (): DurableObjectStub => registry() as unknown as DurableObjectStub;
const patch = (name: string, to: ToolPatch, ifVersion: number | undefined, who: string): Promise<EditOutcome> =>
  registry().editTools([{ op: "patch", name, patch: to }], ifVersion, who);
const inRegistry = <T>(run: (sql: SqlStorage) => T): Promise<T> =>
  runInDurableObject(stub(), (_, { storage }) => run(storage.sql));

const KEY = { id: "kaaa", name: "n", urlKey: false, scopes: ["mcp" as const], createdAtMs: 1 };
const ACT: AdminAct = { who: "admin", action: "tool.change", target: "tone", outcome: "changed", version: 2 };
const GENESIS = { seq: 0, hash: "0".repeat(64) };

const read = async (query: Partial<AuditQuery> = {}) => {
  const page = await registry().readAdminLog({ v: 1, limit: 100, ...query });
  return { ...page, rows: page.rows.map(({ row }) => JSON.parse(row) as Record<string, unknown>) };
};
const seqsOf = async (query: Partial<AuditQuery> = {}) => (await read(query)).rows.map(({ seq }) => seq);

describe("the log of admin actions", () => {
  afterEach(() => reset());

  it("has a row for each action, whatever came of it", async () => {
    await patch("tone", { enabled: false }, undefined, "admin");
    await patch("tone", { enabled: false }, undefined, "kbbb");
    await patch("tone", { enabled: true }, 1, "kbbb");
    await patch("none", { enabled: true }, undefined, "kbbb");
    await registry().addKey(KEY, "admin");
    await registry().markKeyRevoked("kaaa", 7, "admin");
    await registry().markKeyRevoked("kaaa", 8, "admin");
    await registry().markKeyRevoked("kccc", 9, "admin");
    const change = { action: "tool.change", target: "tone", version: 2 };
    const key = { who: "admin", target: "kaaa", version: 2 };
    const rows = [
      { who: "deploy", action: "deploy", target: "", outcome: "changed", version: 1 },
      { ...change, who: "admin", outcome: "changed", detail: { enabled: false } },
      { ...change, who: "kbbb", outcome: "unchanged", detail: { enabled: false } },
      { ...change, who: "kbbb", outcome: "version_mismatch", detail: { enabled: true } },
      { ...change, who: "kbbb", outcome: "unknown_tool", target: "none", detail: { enabled: true } },
      { ...key, action: "key.create", outcome: "changed", detail: { name: "n", scopes: ["mcp"], urlKey: false } },
      { ...key, action: "key.revoke", outcome: "changed" },
      { ...key, action: "key.revoke", outcome: "unchanged" },
      { ...key, action: "key.revoke", outcome: "unknown_key", target: "kccc" },
    ];
    const more = { at: expect.any(String), hash: expect.stringMatching(/^[0-9a-f]{64}$/) };
    expect((await read()).rows.toReversed()).toEqual(rows.map((row, index) => ({ seq: index + 1, ...row, ...more })));
  });

  it("chains each row to the one before it", async () => {
    await patch("tone", { enabled: false }, undefined, "admin");
    const stored = await inRegistry((sql) =>
      sql.exec<{ row: string; hash: string }>("SELECT row, hash FROM admin_log ORDER BY seq").toArray(),
    );
    const { anchor, head } = await read();
    let { hash } = anchor;
    for (const { row } of stored) hash = await sha256Hex(`${hash}\n${row}`);
    expect({ anchor, head, rows: stored.length }).toEqual({ anchor: GENESIS, head: { seq: 2, hash }, rows: 2 });
    expect(stored[1]?.row).toMatch(
      /^\{"action":"tool.change","at":"[^"]+","detail":\{"enabled":false\},"outcome":"changed","seq":2,"target":"tone","version":2,"who":"admin"\}$/,
    );
  });

  it("is the same after an eviction, and goes on from its head", async () => {
    await patch("tone", { enabled: false }, undefined, "admin");
    const before = await read();
    await evictDurableObject(stub());
    expect(await read()).toEqual(before);
    await registry().addKey(KEY, "admin");
    expect(await seqsOf()).toEqual([3, 2, 1]);
  });

  it("leaves nothing of a change that did not happen", async () => {
    await registry().readSnapshot(-1);
    await runInDurableObject(stub(), (object, { storage }) => {
      storage.sql.exec("CREATE TRIGGER full BEFORE INSERT ON admin_log BEGIN SELECT RAISE(ABORT, 'full'); END");
      const { addKey } = object as unknown as { addKey: (row: object, who: string) => boolean };
      expect(() => addKey.call(object, KEY, "admin")).toThrow("full");
    });
    expect(await registry().readKeys("", 10)).toEqual({ keys: [] });
  });

  it("reads by pages and by who, key, tool, outcome and time", async () => {
    await patch("tone", { enabled: false }, undefined, "kbbb");
    await registry().addKey(KEY, "admin");
    await registry().markKeyRevoked("kaaa", 1, "kbbb");
    const { rows, next } = await registry().readAdminLog({ v: 1, limit: 3 });
    expect([rows.length, await seqsOf(next && { before: next })]).toEqual([3, [1]]);
    expect(await seqsOf({ key: "kbbb" })).toEqual([4, 2]);
    expect(await seqsOf({ key: "kaaa" })).toEqual([4, 3]);
    expect(await seqsOf({ tool: "tone" })).toEqual([2]);
    expect(await seqsOf({ outcome: "unchanged" })).toEqual([]);
    const atMs = rows[0]?.atMs ?? 0;
    expect(await seqsOf({ sinceMs: atMs + 1 })).toEqual([]);
    expect(await seqsOf({ untilMs: 1 })).toEqual([]);
  });

  it.each([
    [4, 0],
    [5, 0],
    [6, 1],
  ])("for 5 rows has of %i let go of %i, and hangs on the last of them", async (count, gone) => {
    await registry().readSnapshot(-1);
    const hashes = await inRegistry((sql) => {
      sql.exec("DELETE FROM admin_log");
      for (let n = 0; n < count; n++) recordAdmin(sql, ACT, 1_000, 5);
      return sql.exec<{ seq: number; hash: string }>("SELECT seq, hash FROM admin_log ORDER BY seq LIMIT 1").toArray();
    });
    const { anchor, rows } = await read({ limit: 1 });
    expect([anchor.seq, hashes[0]?.seq, rows[0]?.["seq"]]).toEqual([gone, gone + 1, count]);
    const [oldest] = await inRegistry((sql) =>
      sql.exec<{ row: string }>("SELECT row FROM admin_log ORDER BY seq LIMIT 1").toArray(),
    );
    expect(hashes[0]?.hash).toBe(await sha256Hex(`${anchor.hash}\n${oldest?.row}`));
  });

  it("lets go of rows that are over their time", async () => {
    await registry().readSnapshot(-1);
    await inRegistry((sql) => {
      sql.exec("DELETE FROM admin_log");
      recordAdmin(sql, ACT, 1_000);
      recordAdmin(sql, ACT, 1_001);
      recordAdmin(sql, ACT, 1_001 + LIMITS.adminLogMs);
    });
    const { anchor, head } = await read();
    expect([await seqsOf(), anchor.seq, head.seq]).toEqual([[3, 2], 1, 3]);
  });

  it("does not go back in time with its clock, and keeps no detail that is too long", async () => {
    await registry().readSnapshot(-1);
    await inRegistry((sql) => {
      sql.exec("DELETE FROM admin_log");
      recordAdmin(sql, { ...ACT, detail: { text: "x".repeat(LIMITS.adminDetailChars - 11) } }, 2_000);
      recordAdmin(sql, { ...ACT, detail: { text: "x".repeat(LIMITS.adminDetailChars - 10) } }, 1_000);
    });
    const { rows } = await read();
    expect(rows.map(({ at, detail }) => [at, Object.keys(detail ?? {})])).toEqual([
      ["1970-01-01T00:00:02.000Z", ["omittedChars"]],
      ["1970-01-01T00:00:02.000Z", ["text"]],
    ]);
  });
});
