// The world that tools reach: it counts what arrives, and answers late, wrongly, in part or not at all, by a seed.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { SeededRandom } from "../../support/faults/seeded-random.ts";

/** Of requests that may be harmed. */
const HARMED_SHARE = 0.3;
const DELAY_MAX_MS = 400;
/** Longer than the tool that waits for it may take. */
const HOLD_MS = 1_200;

export interface UnsteadyUpstream {
  /** `host:port`. */
  host: string;
  url: string;
  /** From now on all is answered well, or not. */
  setSteady: (isSteady: boolean) => void;
  /** How often a call's effect took place. */
  visits: (id: string) => number;
  /** The most that ran at the same time under a label, since it was asked last. */
  takePeak: (label: string) => number;
  close: () => void;
}

export async function startUpstream(random: SeededRandom): Promise<UnsteadyUpstream> {
  const world = new World(random);
  const server = createServer((incoming, response) => {
    response.on("error", () => undefined);
    void world.serve(incoming, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}`,
    setSteady: (isSteady) => (world.isSteady = isSteady),
    visits: (id) => world.visits.get(id) ?? 0,
    takePeak: (label) => world.takePeak(label),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

class World {
  isSteady = true;
  readonly visits = new Map<string, number>();
  readonly #random: SeededRandom;
  readonly #running = new Map<string, number>();
  readonly #peaks = new Map<string, number>();

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  takePeak(label: string): number {
    const peak = this.#peaks.get(label) ?? 0;
    this.#peaks.delete(label);
    return peak;
  }

  async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(incoming);
    const [, kind = "", first = "", second = ""] = (incoming.url ?? "/").split("/");
    switch (kind) {
      case "visit": {
        const count = (this.visits.get(first) ?? 0) + 1;
        this.visits.set(first, count);
        return this.#answer(response, "text/plain", `visit ${count} of ${first}`);
      }
      case "hold":
        return this.#hold(response, first, Number(second));
      case "mcp":
        return this.#answer(response, "application/json", JSON.stringify(answerMessage(JSON.parse(body) as Rpc)));
      default:
        return this.#answer(response, "application/json", JSON.stringify({ nonce: first }));
    }
  }

  async #hold(response: ServerResponse, label: string, ms: number): Promise<void> {
    const running = (this.#running.get(label) ?? 0) + 1;
    this.#running.set(label, running);
    this.#peaks.set(label, Math.max(running, this.#peaks.get(label) ?? 0));
    // Whoever is cut off runs no more either.
    await Promise.race([pause(ms), closed(response)]);
    this.#running.set(label, (this.#running.get(label) ?? 0) - 1);
    response.end("held");
  }

  async #answer(response: ServerResponse, type: string, text: string): Promise<void> {
    if (this.isSteady || !this.#random.chance(HARMED_SHARE)) {
      response.writeHead(200, { "content-type": type }).end(text);
      return;
    }
    switch (this.#random.int(0, 7)) {
      case 0:
        return void response.destroy();
      case 1:
        // Half of it, of what is said to be all.
        response.writeHead(200, { "content-type": type, "content-length": text.length });
        response.write(text.slice(0, text.length / 2), () => response.destroy());
        return;
      case 2:
        response.writeHead(503, { "content-type": "text/plain", "retry-after": "1" }).end("busy");
        return;
      case 3:
        response.writeHead(200, { "content-type": type }).end(`\u0000{"half": ${text.slice(0, 9)}`);
        return;
      case 4:
        response.writeHead(200, { "content-type": "text/html; charset=latin1" }).end("<html>\u001b[2J</html>");
        return;
      case 5:
        await Promise.race([pause(HOLD_MS), closed(response)]);
        return void response.destroy();
      default:
        await pause(this.#random.int(0, DELAY_MAX_MS));
        response.writeHead(200, { "content-type": type }).end(text);
    }
  }
}

interface Rpc {
  id?: string;
  method: string;
  params?: { arguments?: unknown };
}

/** An MCP server of 2026-07-28 with one tool. */
function answerMessage({ id, method, params }: Rpc): object {
  switch (method) {
    case "server/discover":
      return result(id, { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, serverInfo: INFO });
    case "tools/list":
      return result(id, { tools: [{ name: "echo", description: "Echoes.", inputSchema: { type: "object" } }] });
    case "tools/call":
      return result(id, { content: [{ type: "text", text: JSON.stringify(params?.arguments) }] });
    default:
      return { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } };
  }
}

const INFO = { name: "unsteady", version: "1.0.0" };

const result = (id: string | undefined, members: object): object => ({
  jsonrpc: "2.0",
  id,
  result: { resultType: "complete", ttlMs: 0, cacheScope: "private", ...members },
});

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    // Cut off: what came is all.
  }
  return Buffer.concat(chunks).toString();
}

const closed = (response: ServerResponse): Promise<unknown> =>
  new Promise((resolve) => response.once("close", resolve));

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
