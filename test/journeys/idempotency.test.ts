// Calls under an idempotency key on a machine that loses power. What the tool does is counted outside of it.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { prepareMachine, startDevProcess, type DevProcess } from "./support/dev-process.ts";
import { post, request, type HttpAnswer } from "./support/rpc.ts";

const TIMEOUT_MS = 180_000;
const UNKNOWN_WITHIN_MS = 60_000;
const FIXTURE_WORKER = "test/journeys/support/fixture-worker.ts";

interface Door {
  url: string;
  knocks: () => number;
  /** Settles with the next knock. */
  nextKnock: () => Promise<unknown>;
}

/** A server that counts what reaches it, and answers only under `/open`. */
async function openDoor(): Promise<Door> {
  let knocks = 0;
  const server = createServer((incoming, response) => {
    knocks++;
    server.emit("knock");
    if (incoming.url === "/open") response.setHeader("content-type", "text/plain").end(`knock ${knocks}`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, knocks: () => knocks, nextKnock: () => once(server, "knock") };
}

const knock = ({ endpoint }: DevProcess, key: string, url: string, idempotencyKey: string): Promise<HttpAnswer> =>
  post(endpoint(), key, request("tools/call", { name: "knock", arguments: { url } }, 1), {
    "mcp-protocol-version": "2025-11-25",
    "idempotency-key": `"${idempotencyKey}"`,
  });

const opened = (count: number) => ({ content: [{ type: "text", text: `knock ${count}` }] });
const replayed = (count: number) => ({ ...opened(count), _meta: { "io.toolgate/idempotentReplay": true } });

test(
  "what was answered before a kill is answered again, and what ran at that moment is unknown and never runs again",
  async () => {
    const door = await openDoor();
    const { host } = new URL(door.url);
    const machine = await prepareMachine({ main: FIXTURE_WORKER, vars: { EGRESS_ALLOW: host } });
    const before = await startDevProcess(machine);
    const { key } = await before.mintKey();
    const first = await knock(before, key, `${door.url}/open`, "answered");
    const knocked = door.nextKnock();
    const cut = knock(before, key, `${door.url}/closed`, "cut").catch(() => "no answer");
    await knocked;
    await before.kill();
    expect([first.body.result, await cut, door.knocks()]).toEqual([opened(1), "no answer", 2]);

    const after = await startDevProcess(machine);
    const repeats = [
      await knock(after, key, `${door.url}/open`, "answered"),
      await knock(after, key, `${door.url}/open`, "cut"),
    ];
    expect(repeats.map(({ status, body }) => [status, body.result ?? body.error?.code])).toEqual([
      [200, replayed(1)],
      [422, 422],
    ]);
    const unknown = await vi.waitFor(
      async () => {
        const { status, body } = await knock(after, key, `${door.url}/closed`, "cut");
        expect(body.error?.data).toEqual({ idempotency: "unknown" });
        return { status, code: body.error?.code };
      },
      { timeout: UNKNOWN_WITHIN_MS, interval: 1_500 },
    );
    const again = await knock(after, key, `${door.url}/closed`, "cut");
    expect([unknown, again.body.error?.data, door.knocks()]).toEqual([
      { status: 409, code: 409 },
      { idempotency: "unknown" },
      2,
    ]);
    // The tool is there, and would have knocked.
    expect((await knock(after, key, `${door.url}/open`, "new")).body.result).toEqual(opened(3));
  },
  TIMEOUT_MS,
);
