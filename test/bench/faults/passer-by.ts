// Clients that leave in the middle of things: nobody waits for what they asked.

import { randomUUID } from "node:crypto";
import { WebSocket } from "ws";
import { initialize, modernRequest, request } from "../../journeys/support/rpc.ts";
import type { KeyPair, Surroundings } from "./http-clients.ts";
import { bearer } from "./wire.ts";

export class PasserBy {
  readonly #around: Surroundings;
  readonly #key: KeyPair;

  constructor(around: Surroundings, key: KeyPair) {
    this.#around = around;
    this.#key = key;
  }

  /** Comes and goes until a time. */
  async work(untilMs: number, pauseMs: number): Promise<void> {
    const { random, witness } = this.#around;
    const ways = [
      () => this.#post(request("tools/call", { name: "report", arguments: { nonce: randomUUID(), steps: 20 } }, 1), {}),
      () => this.#subscribe(),
      () => this.#get("/sse"),
      () => this.#socket(),
    ];
    while (Date.now() < untilMs) {
      witness.count("clients that left");
      await random.pick(ways)();
      await new Promise((resolve) => setTimeout(resolve, random.int(0, pauseMs)));
    }
  }

  #subscribe(): Promise<void> {
    const { message, headers } = modernRequest("subscriptions/listen", { notifications: { toolsListChanged: true } });
    return this.#post(message, headers);
  }

  #post(message: object, more: Record<string, string>): Promise<void> {
    const types = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    return this.#leaveSoon("/mcp", { method: "POST", headers: { ...types, ...more }, body: JSON.stringify(message) });
  }

  #get(path: string): Promise<void> {
    return this.#leaveSoon(path, {});
  }

  async #leaveSoon(path: string, init: RequestInit): Promise<void> {
    const url = new URL(path, this.#around.random.pick(this.#around.urls));
    const signal = AbortSignal.timeout(this.#around.random.int(1, 200));
    const headers = { ...(init.headers as Record<string, string>), ...bearer(this.#key.key) };
    await fetch(url, { ...init, headers, signal })
      .then((response) => response.text())
      .catch(() => undefined);
  }

  async #socket(): Promise<void> {
    const url = new URL("/mcp", this.#around.random.pick(this.#around.urls));
    url.protocol = "ws:";
    const socket = new WebSocket(url, ["mcp"], { headers: bearer(this.#key.key) });
    socket.on("error", () => undefined);
    socket.once("open", () => socket.send(JSON.stringify(initialize())));
    await new Promise((resolve) => setTimeout(resolve, this.#around.random.int(1, 200)));
    socket.terminate();
  }
}
