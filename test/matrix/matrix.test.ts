import { describe, expect, it } from "vitest";
import { Client } from "./client.ts";
import { EXPECTATIONS, readTable, REASONS, type Cell, type Feature } from "./expectations.ts";
import { OBSERVATIONS, type Stage, type StageOptions } from "./observations.ts";
import { startMatrixServer } from "./server.ts";

const server = await startMatrixServer();

const features = Object.keys(EXPECTATIONS) as Feature[];
const isImpossible = ({ expected }: Cell): boolean => expected.startsWith("–");

describe.concurrent.each(features)("%s", (feature) => {
  const cells = readTable(feature);

  it.each(cells.filter((cell) => !isImpossible(cell)))("$revision over $transport: $expected", async (cell) => {
    const { clients, stage } = createStage(cell);
    const seen = await OBSERVATIONS[feature](stage).finally(() => clients.forEach(({ wire }) => wire.drop()));
    expect({ seen, faults: clients.flatMap(({ faults }) => faults) }).toEqual({ seen: cell.expected, faults: [] });
  });

  it("has a reason for each cell that can't exist", () => {
    const words = cells.filter(isImpossible).map(({ expected }) => expected.slice(2));
    expect(words.filter((word) => !Object.hasOwn(REASONS, word))).toEqual([]);
  });
});

function createStage({ revision, transport }: Cell): { clients: Client[]; stage: Stage } {
  const clients: Client[] = [];
  let lastKeyId = "";
  const connect = async ({ tools = { deny: ["page_*"] }, ...options }: StageOptions = {}): Promise<Client> => {
    const { id, key } = await server.mintKey({ tools });
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
  return { clients, stage: { revision, transport, server, connect, open, keyId: () => lastKeyId } };
}
