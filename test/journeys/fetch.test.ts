import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { openHttpSession, post, request } from "./support/rpc.ts";
import { startServer } from "./support/server.ts";
import { openSocket } from "./support/socket.ts";

const SOCKET_REQUESTS_MAX = 32;

const held: ServerResponse[] = [];
const holding = new EventTarget();
const site = createServer((incoming, response) => {
  if (incoming.url === "/held") {
    held.push(response);
    holding.dispatchEvent(new Event("held"));
    return;
  }
  response.setHeader("content-type", "text/html");
  response.end("<title>A page</title><p>Hello <b>there</b>.");
}).listen(0, "127.0.0.1");
await once(site, "listening");
const { port } = site.address() as AddressInfo;
afterAll(() => {
  site.closeAllConnections();
  site.close();
});
const page = `http://127.0.0.1:${port}/`;

const server = await startServer({ EGRESS_ALLOW: `127.0.0.1:${port}` });

test("fetches a page from a host that is allowed by name and port", async () => {
  expect(await fetchPage(page)).toEqual({
    content: [
      { type: "resource", resource: { uri: page, mimeType: "text/plain", text: "A page\n\nHello there." } },
      { type: "resource_link", uri: page, name: `127.0.0.1:${port}/`, title: "A page", size: 43 },
    ],
  });
});

test.each(["http://127.0.0.1:1/", "http://localhost/", "https://10.0.0.1/", new URL("/healthz", server.url).href])(
  "does not fetch %s",
  async (url) => {
    expect(await fetchPage(url)).toEqual({
      content: [{ type: "text", text: expect.stringMatching(/^Destination not allowed: /) }],
      isError: true,
    });
  },
);

test("runs so many requests of a socket at once and refuses one more", async () => {
  const { key } = await server.mintKey();
  const socket = await openSocket(server.socketEndpoint(), { headers: { authorization: `Bearer ${key}` } });
  onTestFinished(() => socket.close());
  await socket.ask("initialize", { protocolVersion: "2025-11-25" });
  const started = allHeld(SOCKET_REQUESTS_MAX);
  const call = { name: "fetch_page", arguments: { url: `${page}held` } };
  for (let id = 0; id < SOCKET_REQUESTS_MAX; id++) socket.send(request("tools/call", call, id));
  await started;
  const refused = await socket.ask("ping");
  for (const response of held) response.setHeader("content-type", "text/plain").end("late");
  await socket.until(
    "answers",
    (all) => all.filter(({ id }) => typeof id === "number").length === held.length || undefined,
  );
  const served = await socket.ask("ping");
  expect([refused.error, served.result]).toEqual([
    { code: 429, message: expect.stringContaining(`at most ${SOCKET_REQUESTS_MAX} at once`) },
    {},
  ]);
});

async function fetchPage(url: string): Promise<unknown> {
  const { key } = await server.mintKey();
  const session = await openHttpSession(server.endpoint(), key);
  const call = request("tools/call", { name: "fetch_page", arguments: { url } });
  return (await post(server.endpoint(), key, call, session)).body.result;
}

const allHeld = (count: number): Promise<void> =>
  new Promise((resolve) => {
    holding.addEventListener("held", () => {
      if (held.length === count) resolve();
    });
  });
