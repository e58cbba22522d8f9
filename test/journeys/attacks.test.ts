// Hostile requests over real sockets: each gets its one answer, and nobody else notices.

import { request as openRequest, type IncomingHttpHeaders } from "node:http";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { calculate, calculated, initialize, openHttpSession, post, request, type Message } from "./support/rpc.ts";
import { startServer } from "./support/server.ts";
import { openSession, openSocket } from "./support/socket.ts";
import { within } from "./support/within.ts";

const ANSWERED_WITHIN_MS = 10_000;
const CHUNK = Buffer.alloc(65_536, "A");
const BURST = 200;
const BYTES = 20_000_000;

const server = await startServer();
const endpoint = server.endpoint();

let bystander: { key: string; session: Record<string, string>; calls: number };
let attacker = "";

beforeAll(async () => {
  const { key } = await server.mintKey({ limits: { perMinute: 1, burst: BURST } });
  bystander = { key, session: await openHttpSession(endpoint, key), calls: 0 };
  attacker = (await server.mintKey({ limits: { perMinute: 100_000 } })).key;
});

// After every attack: the server is well, and another key's call is answered and paid from its own bucket alone.
afterEach(async () => {
  expect((await fetch(new URL("/healthz", server.url))).status).toBe(200);
  const { body, headers } = await post(endpoint, bystander.key, calculate("1 + 1", 1), bystander.session);
  expect(body).toEqual(calculated(1, "1 + 1", 2));
  bystander.calls++;
  const left = Number(/"calls";r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
  expect(left).toBeGreaterThanOrEqual(BURST - bystander.calls);
});

interface Answer {
  status: number | undefined;
  body: unknown;
}

/** What a server may do with a body that it does not want, besides saying so: a client that still sends may not hear it. */
const CLOSED = "the connection was closed";
/** What wrangler's proxy makes of that where it still sends the body on. */
const PROXY_CLOSED = /^Error: Network connection lost/;

/** Sends such a body until it is answered; what came. */
function pour(headers: IncomingHttpHeaders): Promise<Answer | typeof CLOSED> {
  const answered = new Promise<Answer | typeof CLOSED>((resolve) => {
    let left = BYTES;
    const outgoing = openRequest(endpoint, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
    });
    const pump = (): void => {
      if (outgoing.destroyed) return;
      if (left <= 0) return void outgoing.end();
      left -= CHUNK.byteLength;
      outgoing.write(CHUNK.subarray(0, Math.min(CHUNK.byteLength, left + CHUNK.byteLength)), () => setImmediate(pump));
    };
    outgoing.once("response", (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.once("end", () => {
        const text = Buffer.concat(parts).toString();
        resolve(PROXY_CLOSED.test(text) ? CLOSED : { status: response.statusCode, body: JSON.parse(text) });
        outgoing.destroy();
      });
    });
    outgoing.on("error", () => resolve(CLOSED));
    pump();
  });
  return within(ANSWERED_WITHIN_MS, "an answer", answered);
}

async function send(body: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(endpoint, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${attacker}`, ...headers },
    body,
  });
  return { status: response.status, body: await response.json() };
}

const errorOf = (code: number, message: unknown, id: unknown = null) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});
const refused = (status: number, reason: string, id: unknown = null) => ({
  status,
  body: errorOf(-32600, `Invalid request: ${reason}`, id),
});

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const offer = () => ({ headers: bearer(attacker) });
const call = (args: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"calculate","arguments":${args}}}`;

describe("a body of 20 MB", () => {
  const announced = { "content-length": String(BYTES) };

  test.each<[string, () => IncomingHttpHeaders]>([
    ["in chunks", () => bearer(attacker)],
    ["that was announced", () => ({ ...bearer(attacker), ...announced })],
  ])("%s is 413", async (_, headers) => {
    expect([refused(413, "the body is longer than 1048576 bytes"), CLOSED]).toContainEqual(await pour(headers()));
  });

  test.each<[string, IncomingHttpHeaders]>([
    ["in chunks, without a key", {}],
    ["in chunks, with a bad key", bearer("tg_bad")],
    ["that was announced, with a bad key", { ...bearer("tg_bad"), ...announced }],
  ])("%s is 401", async (_, headers) => {
    expect([
      {
        status: 401,
        body: errorOf(401, expect.stringContaining("A valid API key is required")),
      },
      CLOSED,
    ]).toContainEqual(await pour(headers));
  });

  test("that is packed is 415", async () => {
    expect([refused(415, "Content-Encoding is not supported: send the body as it is"), CLOSED]).toContainEqual(
      await pour({ ...bearer(attacker), "content-encoding": "gzip" }),
    );
  });
});

describe("a message", () => {
  const wide = `{${Array.from({ length: 80_000 }, (_, i) => `"k${i}":0`).join(",")}}`;

  test.each<[string, string, Answer]>([
    [
      "nested 50,000 deep",
      call(`{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`),
      refused(400, "nesting too deep: at most 64 levels"),
    ],
    ["with 80,000 members", call(wide), refused(400, "too many members: at most 10000")],
    [
      "that is 10,000 calls",
      `[${Array.from({ length: 10_000 }, () => call("{}")).join(",")}]`,
      refused(400, "too many members: at most 10000"),
    ],
    [
      "that is 200 calls",
      `[${Array.from({ length: 200 }, () => call("{}")).join(",")}]`,
      refused(400, "a batch holds at most 20 messages"),
    ],
    ["that is an empty batch", "[]", refused(400, "a batch must not be empty")],
    [
      "that is a batch of one number",
      "[1]",
      { status: 200, body: [errorOf(-32600, "Invalid request: a message must be a JSON object")] },
    ],
    [
      "that is a batch with a handshake",
      JSON.stringify([initialize()]),
      refused(400, "initialize must not be part of a batch"),
    ],
  ])("%s is refused as a whole", async (_, body, answer) => {
    expect(await send(body)).toEqual(answer);
  });

  test("that names the prototype of everything is told so, and changes none", async () => {
    const { status, body } = await send(call('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}}}'));
    const text = (body as Message).result?.["content"] as [{ text: string }];
    expect([status, (body as Message).result?.["isError"]]).toEqual([200, true]);
    expect(text[0].text).toContain("__proto__");
    expect(text[0].text).toContain("constructor");
  });

  test("from a client with a megabyte for a name, and lines in it, is served", async () => {
    const { method, params } = initialize();
    const clientInfo = { name: `x\n{"level":"admin"}\u001b[2J${"n".repeat(900_000)}`, version: "\r\n" };
    const { status, body } = await send(JSON.stringify(request(method, { ...params, clientInfo }, 1)));
    expect([status, (body as Message).result?.["protocolVersion"]]).toEqual([200, "2025-11-25"]);
  });
});

describe("a hundred tools that are not there", () => {
  test("are one in statistics", async () => {
    const names = Array.from({ length: 100 }, (_, i) => `none_${i}\n`);
    await Promise.all(names.map((name) => post(endpoint, attacker, request("tools/call", { name }, 1))));
    await expect
      .poll(
        async () => {
          const { body } = await server.admin("GET", "/stats");
          return (body["tools"] as { tool: string; calls: number }[]).filter(
            ({ tool }) => tool.includes("none") || tool === "(unknown)",
          );
        },
        { timeout: ANSWERED_WITHIN_MS },
      )
      .toEqual([expect.objectContaining({ tool: "(unknown)", calls: 100 })]);
  });
});

describe("a key of 64 KB", () => {
  test.each(["authorization", "x-api-key"])("in %s is refused", async (name) => {
    const key = `tg_${"k".repeat(65_536)}`;
    const response = await fetch(endpoint, {
      method: "POST",
      headers: { [name]: name === "authorization" ? `Bearer ${key}` : key },
    });
    const told = await response.text();
    expect([response.status, told.includes("kkkk")]).toEqual([401, false]);
  });
});

describe("a socket", () => {
  const url = server.socketEndpoint();

  test("that sends deep, wide and many messages is answered each time, and goes on", async () => {
    const socket = await openSession(url, offer(), "2025-03-26");
    const from = socket.received.length;
    const frames = [
      "[".repeat(200_000),
      `{"a":[${"0,".repeat(20_000)}0]}`,
      JSON.stringify(Array.from({ length: 21 }, () => request("ping"))),
      "{",
    ];
    for (const frame of frames) socket.sendRaw(frame);
    const { result } = await socket.ask("ping");
    const answers = await socket.until("answers", (all) => (all.length >= from + 5 ? all.slice(from) : undefined));
    expect(result).toEqual({});
    expect(
      answers
        .filter(({ id }) => id === null)
        .map(({ error }) => error?.message)
        .toSorted(),
    ).toEqual([
      "Invalid request: a batch holds at most 20 messages",
      "Invalid request: nesting too deep: at most 64 levels",
      "Invalid request: too many members: at most 10000",
      "Parse error: expected one JSON-RPC message",
    ]);
    socket.close();
  });

  test.each<[string, string | Buffer, number]>([
    ["a binary frame", Buffer.from("{}"), 1003],
    ["a frame over the limit", "x".repeat(1_048_577), 1009],
    ["a first message that opens no session", JSON.stringify(request("tools/list")), 1008],
  ])("that sends %s is closed with its code", async (_, frame, code) => {
    const socket = await openSocket(url, offer());
    socket.sendRaw(frame);
    expect((await within(ANSWERED_WITHIN_MS, "close", socket.closed)).code).toBe(code);
  });
});

describe("another key's", () => {
  test("session is unknown to POST, GET and DELETE, and unharmed by them", async () => {
    const { key } = await server.mintKey();
    const session = await openHttpSession(endpoint, key);
    const unknown = { ...session, "mcp-session-id": "deadbeef" };
    const steal = async (method: string, headers: Record<string, string>) => {
      const body = method === "POST" ? { body: JSON.stringify(request("ping", {}, 1)) } : {};
      const more = { "content-type": "application/json", accept: "application/json, text/event-stream" };
      const response = await fetch(endpoint, {
        method,
        headers: { authorization: `Bearer ${attacker}`, ...more, ...headers },
        ...body,
      });
      return { status: response.status, body: await response.json() };
    };
    for (const method of ["POST", "GET", "DELETE"]) {
      const foreign = await steal(method, session);
      expect(foreign).toEqual(await steal(method, unknown));
      expect(foreign.status).toBe(404);
    }
    expect((await post(endpoint, key, request("ping", {}, 1), session)).body).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: {},
    });
  });
});
