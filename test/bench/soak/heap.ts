// What is reachable in each isolate of a runtime, asked of its inspector after a collection of all garbage.

import { once } from "node:events";
import { WebSocket } from "ws";
import { within } from "../../journeys/support/within.ts";

export interface Heap {
  isolate: string;
  /** Objects of JavaScript. */
  usedMiB: number;
  /** What V8 took for them from the system. */
  totalMiB: number;
  /** Buffers, outside of that heap. */
  buffersMiB: number;
  /** The runtime's own objects that JavaScript holds: requests, streams, sockets. */
  runtimeMiB: number;
}

const ASK_MS = 20_000;
const MIB = 1_048_576;

/** The heaps of all isolates, in the runtime's order. Stops each for as long as its collection takes. */
export async function readHeaps(port: number): Promise<Heap[]> {
  const answer = await fetch(`http://127.0.0.1:${port}/json`);
  const targets = (await answer.json()) as { title: string; webSocketDebuggerUrl: string }[];
  const heaps: Heap[] = [];
  for (const { title, webSocketDebuggerUrl } of targets) {
    heaps.push({
      isolate: title.replace(/^.*: worker /, ""),
      ...(await within(ASK_MS, "heap", readHeap(webSocketDebuggerUrl))),
    });
  }
  return heaps;
}

async function readHeap(url: string): Promise<Omit<Heap, "isolate">> {
  const socket = new WebSocket(url);
  await once(socket, "open");
  try {
    let contextId: unknown;
    socket.on("message", (data: Buffer) => {
      const { method, params } = JSON.parse(String(data)) as { method?: string; params?: { context: { id: unknown } } };
      if (method === "Runtime.executionContextCreated") contextId = params?.context.id;
    });
    await ask(socket, 1, "Runtime.enable");
    // What the first one finalizes is garbage to the second. `HeapProfiler.collectGarbage` is never carried out here.
    await ask(socket, 2, "Runtime.evaluate", { expression: "gc(); gc()", contextId });
    const usage = await ask(socket, 3, "Runtime.getHeapUsage");
    const mib = (name: string): number => Number(usage[name] ?? 0) / MIB;
    return {
      usedMiB: mib("usedSize"),
      totalMiB: mib("totalSize"),
      buffersMiB: mib("backingStorageSize"),
      runtimeMiB: mib("embedderHeapUsedSize"),
    };
  } finally {
    socket.close();
  }
}

async function ask(socket: WebSocket, id: number, method: string, params = {}): Promise<Record<string, unknown>> {
  const answered = new Promise<Record<string, unknown>>((resolve, reject) => {
    const hear = (data: Buffer): void => {
      const message = JSON.parse(String(data)) as { id?: number; result?: Record<string, unknown>; error?: object };
      if (message.id !== id) return;
      socket.off("message", hear);
      if (message.result) resolve(message.result);
      else reject(new Error(`${method}: ${JSON.stringify(message.error)}`));
    };
    socket.on("message", hear);
  });
  socket.send(JSON.stringify({ id, method, params }));
  return await answered;
}
