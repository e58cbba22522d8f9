// What a client of 2025-03-26 says in a batch on a WebSocket counts as if each message came alone.

import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { openSocket, type Socket } from "./support/socket.ts";
import { request, type Message } from "./support/rpc.ts";
import { startFixtureServer } from "./support/server.ts";

const CANCELLED_WITHIN_MS = 3_000;

const server = await startFixtureServer();

async function connect(): Promise<Socket> {
  const { key } = await server.mintKey();
  const socket = await openSocket(server.socketEndpoint(), { headers: { authorization: `Bearer ${key}` } });
  const clientInfo = { name: "journey", version: "1.0.0" };
  await socket.ask("initialize", { protocolVersion: "2025-03-26", capabilities: { sampling: {} }, clientInfo });
  return socket;
}

const call = (name: string, args: object, id: string) => request("tools/call", { name, arguments: args }, id);

const answerTo = (id: string) => (all: Message[]) => all.find((message) => message.id === id && !message.method);

test("answers what a call asked", async () => {
  const socket = await connect();
  socket.send(call("haiku", { about: "rain" }, "poem"));
  const { id } = await socket.until("question", (all) => all.find(({ method }) => method === "sampling/createMessage"));
  const result = { role: "assistant", model: "m", content: { type: "text", text: "It rains." } };
  socket.send([{ jsonrpc: "2.0", id, result }, request("ping", {}, "ping")]);
  expect(await socket.until("poem", answerTo("poem"))).toMatchObject({
    result: { content: [{ type: "text", text: "It rains." }] },
  });
});

test("cancels a call", async () => {
  const socket = await connect();
  const label = randomUUID();
  socket.send(call("wait", { label }, "long"));
  socket.send([{ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "long" } }]);
  const isCancelled = async (): Promise<void> => {
    const { result } = await socket.ask("tools/call", { name: "was_cancelled", arguments: { label } });
    expect(result).toEqual({ content: [{ type: "text", text: "yes" }] });
  };
  await vi.waitFor(isCancelled, { timeout: CANCELLED_WITHIN_MS, interval: 50 });
  expect(answerTo("long")(socket.received)).toBeUndefined();
});

test("sets the level of logs", async () => {
  const socket = await connect();
  socket.send([request("logging/setLevel", { level: "error" }, "level"), { jsonrpc: "2.0", method: 7 }]);
  const batch = await socket.until("answer", (all) => all.find(Array.isArray));
  expect(batch).toEqual([{ jsonrpc: "2.0", id: "level", result: {} }]);
  await socket.ask("tools/call", { name: "climb", arguments: { stairs: 2 } });
  expect(socket.received.filter(({ method }) => method === "notifications/message")).toEqual([]);
});
