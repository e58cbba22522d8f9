// WebSocket sessions of one key, and calls on them.

import { WebSocket } from "ws";
import { mintKeys } from "./keys.ts";
import { ask, check, initialize, initialized } from "./requests.ts";
import type { Home, Running } from "./runtime.ts";

/** As many as a key may hold by default. */
const SOCKETS_A_KEY = 16;

/** Sessions that have shaken hands, opened one after the other: many upgrades at once keep a local object awake. */
export async function openSockets(
  running: Running,
  { home, count }: { home: Home; count: number },
): Promise<WebSocket[]> {
  const keys = await mintKeys(running, home, Math.ceil(count / SOCKETS_A_KEY));
  const sockets: WebSocket[] = [];
  for (const key of keys) {
    const held = Math.min(SOCKETS_A_KEY, count - sockets.length);
    for (let opened = 0; opened < held; opened++) sockets.push(await openSocket(running, key));
  }
  return sockets;
}

async function openSocket({ url }: Running, key: string): Promise<WebSocket> {
  const socket = new WebSocket(`ws://${url.host}/mcp`, ["mcp"], {
    headers: { authorization: `Bearer ${key}` },
    perMessageDeflate: false,
  });
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  await exchange(socket, initialize({}).body);
  socket.send(initialized({}).body);
  return socket;
}

const exchange = (socket: WebSocket, frame: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const close = (): void => reject(new Error("the server closed a socket"));
    socket.once("close", close);
    socket.once("message", (data) => {
      socket.off("close", close);
      resolve(String(data));
    });
    socket.send(frame);
  });

/** So many calls, one at a time on each socket. */
export async function callOnSockets(sockets: readonly WebSocket[], count: number): Promise<void> {
  let sent = 0;
  const talk = async (socket: WebSocket): Promise<void> => {
    while (sent < count) {
      const id = sent++;
      const answer = await exchange(socket, ask("call", "legacy", id).body);
      if (id % 100 === 0) check("call", id, 3, answer);
    }
  };
  await Promise.all(sockets.map(talk));
}
