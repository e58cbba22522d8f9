// What the registry keeps, at each bound and one beyond it.

import { reset, runInDurableObject } from "cloudflare:test";
import { afterEach, expect, it } from "vitest";
import { hubName, registryStub } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { readChanges, readClosures, writeChange, writeClosure } from "../../src/registry/outbox-store.ts";
import type { ToolEdit } from "../../src/registry/registry-contract.ts";
import { testEnv } from "../support/counting-env.ts";
import { narrow } from "../support/narrow.ts";

afterEach(() => reset());

const registry = () => registryStub(testEnv);
const inRegistry = <T>(work: (sql: SqlStorage) => T): Promise<T> =>
  runInDurableObject(registry() as unknown as DurableObjectStub, (_, { storage }) => work(storage.sql));

const put = (name: string, description = "d"): ToolEdit => ({
  op: "put",
  name,
  row: {
    name,
    enabled: true,
    record: { description, inputSchema: "{}", source: { kind: "http", method: "GET", url: "https://api.example/" } },
  },
});
const edit = async (change: ToolEdit): Promise<number> => {
  const edited = await registry().editTools([change]);
  if (edited.outcome !== "changed") throw new Error(edited.outcome);
  return edited.version;
};

const kept = async (): Promise<number[]> =>
  (await registry().readToolHistory("x")).map(({ version }) => version).toSorted((a, b) => a - b);

it("so many versions of a tool, the latest", async () => {
  const versions: number[] = [];
  while (versions.length < LIMITS.toolVersions) versions.push(await edit(put("x", `is ${versions.length}`)));
  expect(await kept()).toEqual(versions);
  versions.push(await edit(put("x", "is another")));
  expect(await kept()).toEqual(versions.slice(1));
});

it("so many marks of deleted tools: who is further behind is told all", async () => {
  narrow({ deletedTools: 2 });
  for (const name of ["a", "b", "c", "kept"]) await edit(put(name));
  const { version } = await registry().readSnapshot(-1);
  const told = async () =>
    (await registry().readSnapshot(version)).rows?.map(({ name, row }) => `${name} ${row === null ? "gone" : "there"}`);
  await edit({ op: "delete", name: "a" });
  await edit({ op: "delete", name: "b" });
  expect(await told()).toEqual(["a gone", "b gone"]);
  await edit({ op: "delete", name: "c" });
  expect(await told()).toEqual(["kept there"]);
});

it("so many keys", async () => {
  narrow({ keys: 2 });
  const row = { name: "n", urlKey: false, scopes: ["mcp" as const], createdAtMs: 1 };
  const added: boolean[] = [];
  for (const id of ["a", "b", "c"]) added.push(await registry().addKey({ ...row, id }));
  expect(added).toEqual([true, true, false]);
});

const tools = (count: number): string[] => Array.from({ length: count }, (_, i) => `t${i}`);

it("so many changes, and of each so many tools", async () => {
  const changes = await inRegistry((sql) => {
    const first = 1_000;
    for (let nth = 0; nth <= LIMITS.changesTold; nth++) {
      writeChange(sql, first + nth, tools(LIMITS.changedToolsTold + (nth % 2)), 0);
    }
    return readChanges(sql, first + LIMITS.changesTold, 0).filter(({ version }) => version >= first);
  });
  expect(changes.map(({ version, tools: named }) => [version, named?.length])).toEqual(
    Array.from({ length: LIMITS.changesTold }, (_, i) => [
      1_001 + i,
      i % 2 === 0 ? undefined : LIMITS.changedToolsTold,
    ]),
  );
});

it("closures in publications of so many, and so many that wait", async () => {
  narrow({ closures: LIMITS.publishClosures + 1 });
  await registry().joinRoster(hubName("weur"));
  const pages = await inRegistry((sql) => {
    const place = { hub: hubName("weur"), epoch: 1, acknowledged: 0, closed: 0 };
    for (let nth = 1; nth <= LIMITS.publishClosures + 2; nth++) writeClosure(sql, `t${nth}`, Date.now());
    const first = readClosures(sql, place);
    return [first, readClosures(sql, { ...place, closed: first.at(-1)?.seq ?? 0 })];
  });
  expect(pages.map((page) => [page.length, page[0]?.tag])).toEqual([
    [LIMITS.publishClosures, "t2"],
    [1, `t${LIMITS.publishClosures + 2}`],
  ]);
});
