import { describe, expect, it } from "vitest";
import { builtinTools } from "../../src/tools/builtin/catalog.ts";
import { edgeClient } from "../support/stream-client.ts";

const OWN = "https://toolgate.example";
const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

describe("a request from a page", () => {
  it("may ask first, for every header that the protocol uses", async () => {
    const client = await edgeClient(builtinTools);
    const asked =
      "authorization,content-type,mcp-method,mcp-name,mcp-protocol-version,mcp-session-id,mcp-param-region,last-event-id";
    const response = await client.fetch("/mcp", {
      method: "OPTIONS",
      headers: { origin: OWN, "access-control-request-method": "POST", "access-control-request-headers": asked },
    });
    const allowed = response.headers
      .get("access-control-allow-headers")
      ?.toLowerCase()
      .split(/\s*,\s*/)
      .sort();
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-origin")).toBe(OWN);
    expect(response.headers.get("access-control-allow-methods")).toContain("DELETE");
    expect(allowed).toEqual(asked.split(",").sort());
  });

  it.each([
    ["answers", {}, 200],
    ["refused keys", { authorization: "Bearer nonsense" }, 401],
    ["bad sessions", { "mcp-session-id": "x" }, 404],
    ["bad types", { "content-type": "text/plain" }, 415],
  ])("can read the protocol's headers on %s", async (_, headers, status) => {
    const client = await edgeClient(builtinTools);
    const response = await client.post(PING, { origin: OWN, ...headers });
    await response.text();
    expect(response.status).toBe(status);
    expect(response.headers.get("access-control-allow-origin")).toBe(OWN);
    const exposed = response.headers.get("access-control-expose-headers")?.split(",") ?? [];
    for (const name of ["Mcp-Session-Id", "WWW-Authenticate", "Retry-After", "MCP-Protocol-Version"]) {
      expect(exposed).toContain(name);
    }
  });

  it.each(["GET", "POST", "DELETE", "OPTIONS"])(
    "is refused with %s from an origin that was not let in",
    async (method) => {
      const client = await edgeClient(builtinTools);
      const response = await client.fetch("/mcp", { method, headers: { origin: "https://evil.example" } });
      await response.text();
      expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([403, null]);
    },
  );

  it("is refused on the upgrade as well", async () => {
    const client = await edgeClient(builtinTools);
    const response = await client.fetch("/mcp", { headers: { origin: "https://evil.example", upgrade: "websocket" } });
    expect(response.status).toBe(403);
  });
});
