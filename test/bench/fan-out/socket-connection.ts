// WebSockets: a session with its handshake done, or a socket of the bare hub, which needs none.

import { WebSocket, type RawData } from "ws";
import { initialize, request, type Message } from "../../journeys/support/rpc.ts";
import { within } from "../../journeys/support/within.ts";
import type { Target } from "./fleet-contract.ts";
import { LIST_CHANGED, type Connection, type ListedTool, type Listener } from "./listener.ts";
import { BARE_HUB_PATH } from "./worker/observed.ts";

const ANSWER_WITHIN_MS = 30_000;

export async function openBareSocket({ url }: Target, listener: Listener): Promise<Connection> {
  const { socket } = await openSocket(new URL(BARE_HUB_PATH, url), {}, listener);
  return { drop: () => socket.terminate(), listTools: () => Promise.resolve([]) };
}

export async function openSession({ url, key }: Target, listener: Listener): Promise<Connection> {
  const { socket, ask } = await openSocket(new URL("/mcp", url), { authorization: `Bearer ${key}` }, listener);
  const { error } = await ask(initialize());
  if (error) throw new Error(`initialize: ${error.message}`);
  socket.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  const listTools = async (): Promise<ListedTool[]> => {
    const { result } = await ask(request("tools/list"));
    return (result?.["tools"] ?? []) as ListedTool[];
  };
  return { drop: () => socket.terminate(), listTools };
}

interface Opened {
  socket: WebSocket;
  ask: (message: { id: string | number }) => Promise<Message>;
}

async function openSocket(url: URL, headers: Record<string, string>, listener: Listener): Promise<Opened> {
  const socketUrl = new URL(url);
  socketUrl.protocol = "ws:";
  const socket = new WebSocket(socketUrl, { headers, perMessageDeflate: false });
  const waiting = new Map<unknown, (answer: Message) => void>();
  socket.on("message", (data: RawData) => {
    const text = String(data);
    if (text.includes(LIST_CHANGED)) return listener.hear();
    const message = JSON.parse(text) as Message;
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  const opened = new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  socket.on("error", (error) => listener.close(error.message));
  socket.once("close", (code, reason) => listener.close(`code ${code} ${String(reason)}`.trim()));
  await within(ANSWER_WITHIN_MS, "upgrade", opened);
  const ask: Opened["ask"] = (message) => {
    const answer = new Promise<Message>((resolve) => waiting.set(message.id, resolve));
    socket.send(JSON.stringify(message));
    return within(ANSWER_WITHIN_MS, "answer on a socket", answer);
  };
  return { socket, ask };
}
