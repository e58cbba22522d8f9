// Tools that come as data while clients are connected: each kind is heard of, listed and called by every real client.

import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test, vi } from "vitest";
import { KINDS } from "./support/clients.ts";
import { startServer } from "./support/server.ts";

const HEARD_WITHIN_MS = 5_000;

const upstream = createServer((incoming, response) => {
  response.setHeader("content-type", "application/json").end(JSON.stringify({ path: incoming.url }));
}).listen(0, "127.0.0.1");
await once(upstream, "listening");
afterAll(() => {
  upstream.closeAllConnections();
  upstream.close();
});
const host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
const server = await startServer({ EGRESS_ALLOW: host });

const inputSchema = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
const RECORDS = {
  users_get: { inputSchema, source: { kind: "http", method: "GET", url: `http://${host}/users/{id}` } },
  shout: {
    inputSchema,
    source: { kind: "code", module: "export default ({ id }) => ({ structuredContent: { loud: id.toUpperCase() } })" },
  },
};
const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Ports" },
  servers: [{ url: `http://${host}/v1` }],
  paths: {
    "/ports/{code}": {
      get: {
        operationId: "getPort",
        summary: "Gets a port.",
        parameters: [{ name: "code", in: "path", required: true, schema: { type: "string" } }],
        responses: {
          200: { description: "The port.", content: { "application/json": { schema: { type: "object" } } } },
        },
      },
    },
  },
};
const ADDED = ["users_get", "shout", "getPort"];

test.each(KINDS)(
  "$client hears of tools that are put, lists and calls them, and hears of their end",
  async ({ open }) => {
    let heard = 0;
    const client = await open(server, { onToolsChanged: () => void heard++ });
    const before = await client.names();
    const awaitNews = async (change: () => Promise<unknown>): Promise<void> => {
      // What the client was told on arrival is over before the change.
      await client.names();
      const seen = heard;
      await change();
      await vi.waitFor(() => expect(heard).toBeGreaterThan(seen), { timeout: HEARD_WITHIN_MS, interval: 20 });
    };
    await awaitNews(async () => {
      const changes = Object.entries(RECORDS).map(([name, record]) => ({
        op: "put",
        name,
        record: { description: `Does ${name}.`, ...record },
      }));
      expect((await server.admin("POST", "/tools", { changes })).status).toBe(200);
    });
    await awaitNews(async () => {
      expect((await server.admin("POST", "/imports/openapi", DOCUMENT)).status).toBe(200);
    });
    expect(await client.names()).toEqual([...before, ...ADDED].toSorted());
    const results = [
      await client.call("users_get", { id: "a b" }),
      await client.call("shout", { id: "ahoy" }),
      await client.call("getPort", { code: "NLRTM" }),
      await client.call("calculate", { expression: "6 * 7" }),
    ];
    expect(results.map(({ content }) => (content as [{ text: string }])[0].text)).toEqual([
      '{"path":"/users/a%20b"}',
      '{"loud":"AHOY"}',
      '{"path":"/v1/ports/NLRTM"}',
      "6 * 7 = 42",
    ]);
    await awaitNews(() => server.admin("POST", "/tools", { changes: ADDED.map((name) => ({ op: "delete", name })) }));
    expect(await client.names()).toEqual(before);
  },
);
