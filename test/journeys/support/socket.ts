// A WebSocket client that remembers all that it received, so that a test can say what must not arrive.

import { WebSocket, type RawData } from "ws";
import { createMailbox, type Mailbox } from "./mailbox.ts";
import { initialize, request, type Message } from "./rpc.ts";
import { within } from "./within.ts";

const ANSWER_WITHIN_MS = 5_000;

export interface Offer {
  headers?: Record<string, string>;
  protocols?: string[];
}

export interface Socket {
  /** Everything since the socket was opened, in order. */
  received: Message[];
  /** The subprotocol that the server chose. */
  protocol: string;
  closed: Promise<{ code: number; reason: string }>;
  send: (message: unknown) => void;
  /** A frame as it stands. */
  sendRaw: (frame: string | Buffer) => void;
  /** Sends a request and waits for its answer. What arrived before that answer was sent before it. */
  ask: (method: string, params?: Record<string, unknown>) => Promise<Message>;
  /** Waits for something to be true of the messages received. */
  until: Mailbox<Message>["until"];
  close: (code?: number, reason?: string) => void;
}

/** Opens a socket. Fails with the status when the upgrade is refused. */
export async function openSocket(url: URL, { headers = {}, protocols = [] }: Offer): Promise<Socket> {
  const ws = new WebSocket(url, protocols, { headers });
  const { received, put, end, until } = createMailbox<Message>();
  ws.on("message", (data: RawData) => put(JSON.parse(String(data)) as Message));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.once("close", (code, reason) => {
      resolve({ code, reason: String(reason) });
      end(`the socket was closed, ${code} ${String(reason)},`);
    });
  });
  await within(ANSWER_WITHIN_MS, "upgrade", opened(ws));
  const send = (message: unknown): void => ws.send(JSON.stringify(message));
  const ask: Socket["ask"] = (method, params) => {
    const message = request(method, params);
    send(message);
    return until(`answer to ${method}`, (all) => all.find(({ id }) => id === message.id));
  };
  const sendRaw = (frame: string | Buffer): void => ws.send(frame);
  return {
    received,
    protocol: ws.protocol,
    closed,
    send,
    sendRaw,
    ask,
    until,
    close: (code, reason) => ws.close(code, reason),
  };
}

/** A socket on which the legacy handshake is done. */
export async function openSession(url: URL, offer: Offer, protocolVersion?: string): Promise<Socket> {
  const socket = await openSocket(url, offer);
  const { method, params } = initialize(protocolVersion);
  const { error } = await socket.ask(method, params);
  if (error) throw new Error(`initialize: ${error.message}`);
  socket.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return socket;
}

/** The status and body of an upgrade that must be refused. */
export async function refusedUpgrade(url: URL, { headers = {}, protocols = [] }: Offer) {
  const ws = new WebSocket(url, protocols, { headers });
  const refusal = new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    ws.once("open", () => reject(new Error("the upgrade was not refused")));
    ws.once("error", reject);
    ws.once("unexpected-response", (_, response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("end", () => {
        resolve({ status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) as unknown });
      });
    });
  });
  try {
    return await within(ANSWER_WITHIN_MS, "refusal", refusal);
  } finally {
    ws.removeAllListeners("error").on("error", () => undefined);
    ws.terminate();
  }
}

const opened = (ws: WebSocket): Promise<void> =>
  new Promise((resolve, reject) => {
    ws.once("open", resolve);
    ws.once("error", reject);
  });
