import { expect, onTestFinished, test } from "vitest";
import { calculate, calculated, LIST_CHANGED, MODERN_META, request, toolNames } from "./support/rpc.ts";
import { startServer } from "./support/server.ts";
import { openSession, openSocket, refusedUpgrade, type Offer, type Socket } from "./support/socket.ts";
import { within } from "./support/within.ts";

const FRAME_BYTES_MAX = 1_048_576;
const CLOSED_WITHIN_MS = 2_000;

const server = await startServer();
const endpoint = server.socketEndpoint();

const OFFERS: { by: string; offer: (key: string) => Offer; protocol: string }[] = [
  { by: "Authorization", offer: (key) => ({ headers: { authorization: `Bearer ${key}` } }), protocol: "" },
  { by: "X-API-Key", offer: (key) => ({ headers: { "x-api-key": key }, protocols: ["mcp"] }), protocol: "mcp" },
  { by: "a subprotocol", offer: (key) => ({ protocols: ["mcp", `mcp.auth.${key}`] }), protocol: "mcp" },
];

test.each(OFFERS)("takes a key by $by and echoes no more than mcp", async ({ offer, protocol }) => {
  const socket = await open(offer((await server.mintKey()).key));
  const { result } = await socket.ask("initialize", { protocolVersion: "2025-11-25", capabilities: {} });
  expect({ protocol: socket.protocol, result }).toEqual({
    protocol,
    result: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: { listChanged: true }, logging: {} },
      serverInfo: expect.objectContaining({ name: "toolgate" }),
    },
  });
});

test.each([
  { what: "no key", offer: {} },
  { what: "a bad key", offer: { headers: { authorization: "Bearer tg_wrong" } } },
  { what: "a bad key as subprotocol", offer: { protocols: ["mcp", "mcp.auth.tg_wrong"] } },
])("refuses the upgrade with $what", async ({ offer }) => {
  expect(await refusedUpgrade(endpoint, offer)).toEqual({
    status: 401,
    body: {
      jsonrpc: "2.0",
      id: null,
      error: { code: 401, message: expect.stringContaining("A valid API key is required") },
    },
  });
});

test("refuses a URL key in a header", async () => {
  const { key } = await server.mintKey({ urlKey: true });
  expect(await refusedUpgrade(endpoint, bearer(key))).toMatchObject({ status: 401 });
});

test("closes on a binary frame", async () => {
  const socket = await open(await freshOffer());
  socket.sendRaw(Buffer.from(JSON.stringify(request("ping"))));
  expect(await socket.closed).toEqual({ code: 1003, reason: "text frames only" });
});

test("takes a frame of the longest length there may be", async () => {
  const socket = await openSession(endpoint, await freshOffer());
  onTestFinished(() => socket.close());
  socket.sendRaw(frameOfBytes(FRAME_BYTES_MAX));
  expect(await socket.until("answer", (all) => all.find(({ id }) => id === "long"))).toEqual({
    jsonrpc: "2.0",
    id: "long",
    result: {},
  });
});

test("closes on a frame that is a byte too long", async () => {
  const socket = await openSession(endpoint, await freshOffer());
  socket.sendRaw(frameOfBytes(FRAME_BYTES_MAX + 1));
  expect(await socket.closed).toMatchObject({ code: 1009 });
});

test("refuses a request before initialize", async () => {
  const socket = await open(await freshOffer());
  expect(await socket.ask("tools/list")).toEqual({
    jsonrpc: "2.0",
    id: expect.any(String),
    error: { code: -32600, message: expect.stringContaining("send initialize first") },
  });
});

test("answers what is no JSON with −32700 and id null, and goes on", async () => {
  const socket = await open(await freshOffer());
  await socket.ask("initialize", { protocolVersion: "2025-06-18" });
  socket.sendRaw("{");
  const answer = await socket.until("answer", ([, second]) => second);
  expect(answer).toEqual({ jsonrpc: "2.0", id: null, error: { code: -32700, message: expect.any(String) } });
  expect(await socket.ask("ping")).toHaveProperty("result");
});

test("closes with 1008 after a first message that opens no session", async () => {
  const socket = await open(await freshOffer());
  socket.sendRaw("{");
  expect([await socket.closed, socket.received]).toEqual([
    { code: 1008, reason: "the first message must open a session" },
    [{ jsonrpc: "2.0", id: null, error: { code: -32700, message: expect.any(String) } }],
  ]);
});

test("answers modern requests, which need no handshake", async () => {
  const socket = await open(await freshOffer());
  const call = { name: "calculate", arguments: { expression: "6 * 7" }, _meta: MODERN_META };
  const { result } = await socket.ask("tools/call", call);
  expect(result).toEqual({
    resultType: "complete",
    _meta: { "io.modelcontextprotocol/serverInfo": expect.objectContaining({ name: "toolgate" }) },
    content: [{ type: "text", text: "6 * 7 = 42" }],
    structuredContent: { expression: "6 * 7", result: 42 },
  });
});

test("answers a batch on a session with 2025-03-26, and none with 2025-06-18", async () => {
  const batch = [
    request("ping", {}, "a"),
    { jsonrpc: "2.0", method: "notifications/initialized" },
    request("ping", {}, 2),
  ];
  const old = await openSession(endpoint, await freshOffer(), "2025-03-26");
  onTestFinished(() => old.close());
  old.send(batch);
  expect(await old.until("batch", (all) => all.find(Array.isArray))).toEqual([
    { jsonrpc: "2.0", id: "a", result: {} },
    { jsonrpc: "2.0", id: 2, result: {} },
  ]);

  const young = await openSession(endpoint, await freshOffer(), "2025-06-18");
  onTestFinished(() => young.close());
  young.send(batch);
  expect(await young.until("refusal", (all) => all.find(({ id }) => id === null))).toMatchObject({
    error: { code: -32600 },
  });
});

test("answers each of 50 pipelined calls once, under its own id", async () => {
  const socket = await openSession(endpoint, await freshOffer());
  onTestFinished(() => socket.close());
  const before = socket.received.length;
  for (let i = 0; i < 50; i++) socket.send(calculate(`${i} + 1`, i));
  await socket.until("50 answers", (all) => (all.length >= before + 50 ? true : undefined));
  await socket.ask("ping");
  const answers = socket.received.slice(before, -1).toSorted((a, b) => Number(a.id) - Number(b.id));
  expect(answers).toEqual(Array.from({ length: 50 }, (_, i) => calculated(i, `${i} + 1`, i + 1)));
});

test("goes on after its hub was evicted: requests, the session, changes", async () => {
  const socket = await openSession(endpoint, await freshOffer());
  onTestFinished(() => socket.close());
  await server.evictHubs();
  expect(await listNames(socket)).toContain("tone");
  await server.evictHubs();
  await server.published(await server.switchTool("tone", false));
  expect(await listNames(socket)).not.toContain("tone");
  await server.published(await server.switchTool("tone", true));
  expect(await listNames(socket)).toContain("tone");
  expect(changesHeard(socket)).toBe(2);
});

test("tells of a change though hub and registry were evicted right after it", async () => {
  const socket = await openSession(endpoint, await freshOffer());
  onTestFinished(() => socket.close());
  await server.switchTool("tone", false);
  await Promise.all([server.evictHubs(), server.evictRegistry()]);
  // Nothing wakes the registry here but its own alarm.
  await socket.until("list_changed", () => changesHeard(socket) || undefined);
  await server.published(await server.switchTool("tone", true));
  await socket.ask("ping");
  expect(changesHeard(socket)).toBe(2);
});

test("tells the first socket of a hub that had none left", async () => {
  const offer = await freshOffer();
  const last = await openSession(endpoint, offer);
  last.close();
  await last.closed;
  await server.published(await server.switchTool("tone", false));
  const socket = await openSession(endpoint, offer);
  onTestFinished(() => socket.close());
  await server.published(await server.switchTool("tone", true));
  await socket.ask("ping");
  expect(changesHeard(socket)).toBe(1);
});

test("passes a client's closing code back", async () => {
  const socket = await open(await freshOffer());
  socket.close(4000, "done");
  expect(await socket.closed).toEqual({ code: 4000, reason: "done" });
});

test("tells 20 sockets of one change once each", async () => {
  const sockets: Socket[] = [];
  for (const offer of [await freshOffer(), await freshOffer()]) {
    for (let i = 0; i < 10; i++) sockets.push(await openSession(endpoint, offer));
  }
  onTestFinished(() => sockets.forEach((socket) => socket.close()));
  await server.published(await server.switchTool("tone", false));
  await Promise.all(sockets.map((socket) => socket.ask("ping")));
  expect(sockets.map(changesHeard)).toEqual(sockets.map(() => 1));
  await server.published(await server.switchTool("tone", true));
});

test("tells of two changes in quick succession once or twice", async () => {
  const socket = await openSession(endpoint, await freshOffer());
  onTestFinished(() => socket.close());
  await server.switchTool("tone", false);
  await server.published(await server.switchTool("tone", true));
  await socket.ask("ping");
  expect([1, 2]).toContain(changesHeard(socket));
});

test("tells nobody of a change before initialize", async () => {
  const offer = await freshOffer();
  const early = await open(offer);
  const ready = await openSession(endpoint, offer);
  onTestFinished(() => ready.close());
  await server.published(await server.switchTool("tone", false));
  await server.published(await server.switchTool("tone", true));
  await early.ask("initialize", { protocolVersion: "2025-11-25" });
  await ready.ask("ping");
  expect([changesHeard(early), changesHeard(ready)]).toEqual([0, 2]);
});

test("closes a revoked key's sockets at once, and nobody else's", async () => {
  const { id, key } = await server.mintKey();
  const revoked = await openSession(endpoint, bearer(key));
  const other = await openSession(endpoint, await freshOffer());
  onTestFinished(() => other.close());
  await server.admin("DELETE", `/keys/${id}`);
  expect(await within(CLOSED_WITHIN_MS, "closing", revoked.closed)).toEqual({
    code: 1008,
    reason: "ended by the server",
  });
  expect(await other.ask("ping")).toHaveProperty("result", {});
});

const bearer = (key: string): Offer => ({ headers: { authorization: `Bearer ${key}` } });

const freshOffer = async (): Promise<Offer> => bearer((await server.mintKey()).key);

async function open(offer: Offer): Promise<Socket> {
  const socket = await openSocket(endpoint, offer);
  onTestFinished(() => socket.close());
  return socket;
}

const changesHeard = ({ received }: Socket): number =>
  received.filter(({ method }) => method === LIST_CHANGED.method).length;

const listNames = async (socket: Socket): Promise<string[]> => toolNames(await socket.ask("tools/list"));

/** A ping that is exactly so many bytes long. */
function frameOfBytes(bytes: number): string {
  const empty = JSON.stringify(request("ping", { padding: "" }, "long"));
  return JSON.stringify(request("ping", { padding: "x".repeat(bytes - empty.length) }, "long"));
}
