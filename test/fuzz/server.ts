// The Worker on workerd itself, with the tools to be fuzzed, and an upstream on loopback that says what it was sent.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { randomBytes } from "node:crypto";
import { bundleWorker } from "../bench/fan-out/bundle.ts";
import { startRuntime, type Runtime } from "../bench/fan-out/runtime.ts";
import { Workplace } from "../bench/fan-out/workplace.ts";

const ENTRY = { path: "test/fuzz/worker/worker.ts", objects: {} };
// How many changes may be made is tested elsewhere: here all are to get through. Short pages, so that there are cursors.
const LIMITS = { writesPerMinute: 1_000_000, writesBurst: 1_000_000, listPageItems: 10 };

export interface FuzzServer extends Runtime {
  /** What the server knows and must not tell, by name. */
  secrets: ReadonlyMap<string, string>;
  /** The origin of an HTTP API that its tools may reach. */
  upstream: string;
  /** How many requests have come there. */
  upstreamRequests: () => number;
  /** What the server wrote about what nobody foresaw. */
  complaints: string[];
}

/** Starts both; `stop` ends both. */
export async function startFuzzServer(): Promise<FuzzServer> {
  const workplace = new Workplace();
  const bundle = await bundleWorker(workplace, ENTRY);
  let upstreamRequests = 0;
  const api = createServer((request, response) => {
    upstreamRequests++;
    answerUpstream(request, response);
  }).listen(0, "127.0.0.1");
  await once(api, "listening");
  const host = `127.0.0.1:${(api.address() as AddressInfo).port}`;
  const complaints: string[] = [];
  let isStopping = false;
  const onLine = (line: string): void => {
    if (!isStopping && isComplaint(line) && complaints.length < MOST_COMPLAINTS) complaints.push(line);
  };
  const secrets = { SECRETS_KEY: mintSecret(), SIGNING_SECRET: mintSecret() };
  const runtime = await startRuntime(workplace, bundle, LIMITS, { vars: { ...secrets, EGRESS_ALLOW: host }, onLine });
  return {
    ...runtime,
    secrets: new Map(Object.entries({ ...secrets, ADMIN_KEY: runtime.adminKey })),
    upstream: `http://${host}`,
    upstreamRequests: () => upstreamRequests,
    complaints,
    stop: async () => {
      isStopping = true;
      await runtime.stop();
      api.close();
      api.closeAllConnections();
    },
  };
}

const MOST_COMPLAINTS = 100;

/** Tools that fail when they are asked to, and made-up ones whose upstream breaks their schema: the log is the place for it. */
const FAILS_AS_TOLD =
  /"tool":"(boom|give|give_typed)"|"tool":"f\d".*"error":"TypeError: structuredContent does not conform/;

/** A line that no request of a client's should bring about. */
function isComplaint(line: string): boolean {
  if (line.startsWith("workerd ended") || /uncaught|fatal|\bassert|stack overflow/i.test(line)) return true;
  if (!line.includes('"level":"error"')) return false;
  return !line.includes('"event":"tool_failed"') || !FAILS_AS_TOLD.test(line);
}

/** `/echo/…` tells what came; `/junk/…` answers with what no client should be glad of, by the length of the path. */
function answerUpstream(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { method, url = "", headers } = request;
    if (!url.startsWith("/junk")) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString("base64") }));
      return;
    }
    const [status = 200, type = "", body = ""] = JUNK[url.length % JUNK.length] ?? [];
    response.writeHead(status, { "content-type": type }).end(body);
  });
}

const JUNK: readonly [status: number, type: string, body: string | Buffer][] = [
  [200, "application/json", '{"a":'],
  [200, "application/json", "[".repeat(100_000)],
  [200, "text/event-stream", "data: {}\n\ndata"],
  [200, "image/png", Buffer.from([0x89, 0x50, 0, 0xff])],
  [200, "text/plain; charset=utf-16", Buffer.from([0xff, 0xfe, 0, 0xd8])],
  [200, "a\tb", "x"],
  [500, "text/html", "<h1>\u001b[2J fuzz-token-5f0c1e7a9b3d</h1>"],
  [404, "", ""],
  [200, "application/json", '{"jsonrpc":"2.0","id":1,"result":{"tools":[{}]}}'],
  [200, "text/plain", "\u202e\u200b\u{e0041}"],
];

const mintSecret = (): string => randomBytes(24).toString("hex");
