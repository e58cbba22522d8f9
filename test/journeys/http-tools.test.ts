// HTTP tools against a real server: what arrives there, to the byte, and what comes back. The runtime is a process of its
// own, for the test harness sends a Worker's requests through Node, which follows redirects by itself.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { openHttpSession, post, request } from "./support/rpc.ts";
import { prepareMachine, startDevProcess } from "./support/dev-process.ts";

const TOKEN = "t0ken/of-this+test";
const KEY = "k&y of=this test";

interface Arrived {
  method: string | undefined;
  url: string | undefined;
  headers: Record<string, unknown>;
  body: string;
}

type Route = (response: ServerResponse, incoming: IncomingMessage) => void;

const arrived: Arrived[] = [];
/** What the upstream answers at a path; the number of times that it was asked there comes before. */
const routes = new Map<string, Route>();

const upstream = createServer(async (incoming, response) => {
  let body = "";
  for await (const chunk of incoming) body += String(chunk);
  const { method, url = "", headers } = incoming;
  arrived.push({ method, url, headers, body });
  const route = routes.get(new URL(url, "http://upstream").pathname);
  if (route) route(response, incoming);
  else response.setHeader("content-type", "application/json").end('{"ok":true}');
}).listen(0, "127.0.0.1");

/** Where no tool may get. */
const inner = createServer((_, response) => {
  visits++;
  response.end("inner");
}).listen(0, "127.0.0.1");
let visits = 0;

await Promise.all([once(upstream, "listening"), once(inner, "listening")]);
const portOf = (server: typeof upstream): number => (server.address() as AddressInfo).port;
const host = `127.0.0.1:${portOf(upstream)}`;
afterAll(() => {
  for (const server of [upstream, inner]) {
    server.closeAllConnections();
    server.close();
  }
});

const server = await startDevProcess(
  await prepareMachine({
    main: "test/journeys/support/fixture-worker.ts",
    vars: { EGRESS_ALLOW: host },
    atEnd: afterAll,
  }),
);
await server.admin("PUT", "/secrets/UPSTREAM_TOKEN", { value: TOKEN });
await server.admin("PUT", "/secrets/UPSTREAM_KEY", { value: KEY });
const { key } = await server.mintKey();
const session = await openHttpSession(server.endpoint(), key);

const callAs = async (asKey: string, headers: Record<string, string>, name: string, args: object = {}) =>
  (await post(server.endpoint(), asKey, request("tools/call", { name, arguments: args }), headers)).body.result;
const call = (name: string, args: object = {}) => callAs(key, session, name, args);

const text = (value: string) => ({ content: [{ type: "text", text: value }] });
const failure = (text: string) => ({ content: [{ type: "text", text }], isError: true });
/** What is there whatever a record says; `cf-worker` is the platform's. */
const OURS = { host, "user-agent": "toolgate", "toolgate-hops": "1", "cf-worker": expect.any(String) };

beforeEach(() => {
  arrived.length = 0;
  routes.clear();
});

describe("what arrives", () => {
  test("is the method, the path, the query and the headers that the record and the arguments make", async () => {
    const args = { id: "a/b c?", q: "x&y=z", tags: ["one", "two&"], note: "hello" };
    expect(await call("http_read", args)).toEqual({
      content: [{ type: "text", text: '{"ok":true}' }],
      structuredContent: { ok: true },
    });
    expect(arrived).toEqual([
      {
        method: "GET",
        url: "/users/a%2Fb%20c%3F?v=2&q=x%26y%3Dz&tag=one&tag=two%26&key=k%26y+of%3Dthis+test",
        headers: { ...OURS, authorization: `Bearer ${TOKEN}`, "x-note": "hello" },
        body: "",
      },
    ]);
  });

  test("leaves out what is absent", async () => {
    await call("http_read", { id: 7 });
    expect(arrived).toEqual([
      {
        method: "GET",
        url: "/users/7?v=2&key=k%26y+of%3Dthis+test",
        headers: { ...OURS, authorization: `Bearer ${TOKEN}` },
        body: "",
      },
    ]);
  });

  test("is JSON", async () => {
    await call("http_json", { to: [{ id: 1 }], name: 'A"nn\n' });
    const body = '{"to":[{"id":1}],"text":"Dear A\\"nn\\n!","n":1}';
    const headers = { ...OURS, "content-type": "application/json", "content-length": String(body.length) };
    expect(arrived).toEqual([{ method: "POST", url: "/json", headers, body }]);
  });

  test("is a form", async () => {
    await call("http_form", { a: "é&", list: [1, 2] });
    const body = "a=%C3%A9%26&list=1&list=2";
    const type = "application/x-www-form-urlencoded";
    const headers = { ...OURS, "content-type": type, "content-length": String(body.length) };
    expect(arrived).toEqual([{ method: "PUT", url: "/form", headers, body }]);
  });

  test.each([
    ["http_read", { id: "../../admin" }, 'Argument id: it must not hold "." or ".." as part of a path.'],
    ["http_read", { id: "1", note: "a\r\nx-admin: 1" }, "Argument note: expected printable ASCII on one line."],
    ["http_read", {}, "Argument id: expected text, a number or a boolean."],
  ])("is nothing when %s gets %j", async (name, args, message) => {
    expect(await call(name, args)).toEqual(failure(message));
    expect(arrived).toEqual([]);
  });
});

describe("what comes back", () => {
  test("is an image", async () => {
    routes.set("/image", (response) => response.setHeader("content-type", "image/png").end(Buffer.from([0x89, 0x50])));
    expect(await call("http_get", { path: "image" })).toEqual({
      content: [{ type: "image", data: "iVA=", mimeType: "image/png" }],
    });
  });

  test("holds no secret, whatever the upstream repeats", async () => {
    routes.set("/echo", (response, { headers }) => {
      const said = [headers["x-token"], encodeURIComponent(TOKEN), Buffer.from(`u:${TOKEN}`).toString("base64")];
      response.setHeader("content-type", "text/plain").end(said.join("\n"));
    });
    routes.set("/refuse", (response, { headers }) => {
      response.writeHead(403, `No ${TOKEN}`, { "content-type": "application/json", "x-internal": "10.0.0.1" });
      response.end(JSON.stringify({ error: `bad token ${String(headers["x-token"])}` }));
    });
    expect(await call("http_get", { path: "echo" })).toEqual({
      content: [{ type: "text", text: expect.stringMatching(/^\[redacted\]\n\[redacted\]\n\w*\[redacted\]\w*=*$/) }],
    });
    expect(await call("http_get", { path: "refuse" })).toEqual(
      failure('The destination answered with status 403 No [redacted]. It said: {"error":"bad token [redacted]"}'),
    );
  });

  test.each([
    ["too large", (response: ServerResponse) => response.end(Buffer.alloc(1_048_577)), /^The response is too large/],
    ["cut off", (response: ServerResponse) => response.destroy(), /^The destination could not be reached\.$/],
  ])("is told when it is %s", async (_, route, text) => {
    routes.set("/odd", route);
    expect(await call("http_get", { path: "odd" })).toEqual(failure(expect.stringMatching(text)));
  });
});

describe("a redirect", () => {
  test.each([
    ["another port", () => `http://127.0.0.1:${portOf(inner)}/`],
    ["another name of this machine", () => `http://localhost:${portOf(inner)}/`],
    ["this server", () => server.url.href],
    ["an address in another spelling", () => `http://0x7f.1:${portOf(inner)}/`],
    ["an IPv6-mapped address", () => `http://[::ffff:127.0.0.1]:${portOf(inner)}/`],
  ])("to %s leads nowhere", async (_, location) => {
    routes.set("/away", (response) => response.writeHead(302, { location: location() }).end());
    const refused = failure(expect.stringMatching(/^Destination not allowed: redirect 1: /));
    expect(await call("http_get", { path: "away" })).toEqual(refused);
    expect([arrived.length, visits]).toEqual([1, 0]);
  });

  test("on the same host is followed with the same headers", async () => {
    routes.set("/here", (response) => response.writeHead(307, { location: "/there" }).end());
    await call("http_get", { path: "here" });
    expect(arrived.map(({ url, headers }) => [url, headers["x-token"]])).toEqual([
      ["/here", TOKEN],
      ["/there", TOKEN],
    ]);
  });
});

const busyOnce: Route = (response) => {
  if (arrived.length > 1) response.setHeader("content-type", "text/plain").end("at last");
  else response.writeHead(503, { "retry-after": "0" }).end();
};

describe("an upstream that is overloaded", () => {
  test("is asked again", async () => {
    routes.set("/busy", busyOnce);
    expect(await call("http_get", { path: "busy" })).toEqual(text("at last"));
    expect(arrived).toHaveLength(2);
  });

  test("is not asked again what is not idempotent", async () => {
    routes.set("/busy", busyOnce);
    const refused = failure("The destination answered with status 503 Service Unavailable. Retry after 0 s.");
    expect(await call("http_post", { path: "busy" })).toEqual(refused);
    expect(arrived).toHaveLength(1);
  });
});

test("an answer is kept for its key alone, and asked for under its validator", async () => {
  routes.set("/kept", (response, { headers }) => {
    response.setHeader("etag", '"1"').setHeader("content-type", "text/plain");
    if (headers["if-none-match"] === '"1"') response.writeHead(304).end();
    else response.end(`answer ${arrived.length}`);
  });
  const other = await server.mintKey();
  const otherSession = await openHttpSession(server.endpoint(), other.key);
  const answers = [
    await call("http_get", { path: "kept" }),
    await call("http_get", { path: "kept" }),
    await callAs(other.key, otherSession, "http_get", { path: "kept" }),
  ];
  expect(answers).toEqual([text("answer 1"), text("answer 1"), text("answer 3")]);
  expect(arrived.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"1"', undefined]);
});

test("a tool whose secret is not set tells the model no more than that", async () => {
  const told = "This tool can't be used now: a secret that it needs is not available. Tell its operator.";
  expect(await call("http_unset")).toEqual(failure(told));
  expect(arrived).toEqual([]);
});
