// What surrounds a deployment, against the Worker as it is deployed: the call that "npm run deploy" ends with, and a
// collector of spans and metrics, over real sockets.

import { createServer, type IncomingHttpHeaders } from "node:http";
import { afterAll, describe, expect, it, vi } from "vitest";
import { callThrough } from "../../src/cli/smoke-call.ts";
import { startServer } from "./support/server.ts";

interface Post {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

const posts: Post[] = [];
const collector = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  posts.push({ path: request.url ?? "", headers: request.headers, body });
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
});
await new Promise<void>((done) => collector.listen(0, "127.0.0.1", done));
afterAll(() => {
  collector.closeAllConnections();
  collector.close();
});
const address = collector.address();
const port = address === null || typeof address === "string" ? 0 : address.port;

const server = await startServer({
  OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  OTLP_HEADERS: "authorization=Bearer%20collector",
  AUDIT_FLUSH_MS: "0",
  PUBLIC_TOOL_LIST: "on",
});
const origin = server.url.origin;
const target = { origin, adminKey: server.adminKey, versionId: undefined, waitMs: 0 };

describe("the smoke call", () => {
  it("lists tools, calls one and leaves no key behind", async () => {
    const names = await server.toolNames();
    expect(await callThrough(target)).toEqual({ tools: names.length, called: "current_time" });
    const { body } = await server.admin("GET", "/keys");
    expect((body["keys"] as { name: string; status: string }[]).map(({ name, status }) => [name, status])).toEqual([
      ["smoke call", "revoked"],
    ]);
  });

  it("sees without a key that the server is well and shut", async () => {
    expect(await callThrough({ ...target, adminKey: undefined })).toEqual({});
  });

  it("says that an admin key is another server's", async () => {
    expect(await callThrough({ ...target, adminKey: "somebody-elses-admin-key" })).toEqual({
      failure: `${origin}/healthz: expected status ok within 0 s, received nothing of its objects: the admin key is another`,
    });
  });
});

it("tells a collector of a call, under the client's trace, and nothing of its key", async () => {
  const { key } = await server.mintKey();
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  posts.length = 0;
  const response = await fetch(server.endpoint(), {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "calculate", arguments: { expression: "6 * 7" } },
    }),
  });
  expect(response.status).toBe(200);
  await vi.waitFor(() => expect(posts.map(({ path }) => path).sort()).toEqual(["/v1/metrics", "/v1/traces"]), {
    timeout: 10_000,
    interval: 20,
  });
  const [traces] = posts.filter(({ path }) => path === "/v1/traces");
  expect([traces?.headers.authorization, traces?.body.includes(`"traceId":"${traceId}"`)]).toEqual([
    "Bearer collector",
    true,
  ]);
  expect(traces?.body).toContain('"name":"tools/call calculate"');
  expect(posts.filter(({ body }) => body.includes(key) || body.includes("6 * 7"))).toEqual([]);
});

it("shows a browser the page and a program the same as JSON", async () => {
  const page = await fetch(origin, { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } });
  const told = await fetch(origin, { headers: { accept: "application/json" } });
  expect([page.headers.get("content-type"), await page.text()]).toEqual([
    "text/html; charset=utf-8",
    expect.stringContaining(`<code>${origin}/mcp</code>`),
  ]);
  const { tools } = (await told.json()) as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual((await server.toolNames()).sort());
});
