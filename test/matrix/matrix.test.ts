import { describe, expect, it } from "vitest";
import type { MintedKey } from "../journeys/support/admin.ts";
import { Client } from "./client.ts";
import { EXPECTATIONS, readTable, REASONS, type Cell, type Feature } from "./expectations.ts";
import { OBSERVATIONS, type Stage, type StageOptions } from "./observations.ts";
import { startMatrixServer } from "./server.ts";

const server = await startMatrixServer();

const features = Object.keys(EXPECTATIONS) as Feature[];
const isImpossible = ({ expected }: Cell): boolean => expected.startsWith("–");

describe.concurrent.each(features)("%s", (feature) => {
  const cells = readTable(feature);
  const keyFor = createKeyring();

  it.each(cells.filter((cell) => !isImpossible(cell)))("$revision over $transport: $expected", async (cell) => {
    const { clients, stage } = createStage(cell, keyFor);
    const seen = await OBSERVATIONS[feature](stage).finally(() => clients.forEach(({ wire }) => wire.drop()));
    expect({ seen, faults: clients.flatMap(({ faults }) => faults) }).toEqual({ seen: cell.expected, faults: [] });
  });

  it("has a reason for each cell that can't exist", () => {
    const words = cells.filter(isImpossible).map(({ expected }) => expected.slice(2));
    expect(words.filter((word) => !Object.hasOwn(REASONS, word))).toEqual([]);
  });
});

/** The cells of a feature share a key for each set of rules: minting is most of what a cell costs. */
function createKeyring(): (options: StageOptions) => Promise<MintedKey> {
  const held = new Map<string, Promise<MintedKey>>();
  return ({ tools = { deny: ["page_*"] }, ownKey = false }) => {
    const input = { tools, limits: { perMinute: 100_000 } };
    if (ownKey) return server.mintKey(input);
    const rules = JSON.stringify(tools);
    const key = held.get(rules) ?? server.mintKey(input);
    held.set(rules, key);
    return key;
  };
}

function createStage({ revision, transport }: Cell, keyFor: ReturnType<typeof createKeyring>) {
  const clients: Client[] = [];
  let lastKeyId = "";
  const connect = async (options: StageOptions = {}): Promise<Client> => {
    const { id, key } = await keyFor(options);
    lastKeyId = id;
    const client = new Client({ ...options, revision, transport, server: server.url, key });
    clients.push(client);
    return client.connect();
  };
  const open = async (options?: StageOptions): Promise<Client> => {
    const client = await connect(options);
    await client.greet();
    return client;
  };
  const stage: Stage = { revision, transport, server, connect, open, keyId: () => lastKeyId };
  return { clients, stage };
}
