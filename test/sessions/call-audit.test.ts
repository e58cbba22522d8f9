// Rows of calls that come over a stream, a socket or HTTP+SSE.

import { reset } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { readAllAudit, type AuditRow } from "../support/audit.ts";
import { testEnv } from "../support/counting-env.ts";
import { SseReader } from "../support/sse-reader.ts";
import { call, edgeClient, modern } from "../support/stream-client.ts";
import { streamTools } from "../support/stream-tools.ts";
import { admin, fetchWorker, openTestSession, openTestSocket } from "../support/test-socket.ts";

afterEach(() => reset());

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const SUM = { name: "calculate", arguments: { expression: "1 + 1" } };
const TEST = { name: "test", version: "1" };

const mintKey = async (more: object = {}): Promise<string> =>
  (await admin<{ key: string }>("POST", "/keys", { name: "test", ...more })).key;

const worker = {
  admin: (method: string, path: string) =>
    fetchWorker(`/admin/v1${path}`, { method, headers: { authorization: `Bearer ${testEnv.ADMIN_KEY}` } }),
};

/** The rows, oldest first, once there are as many; flushed in the background of requests that tests don't see. */
const rowsOnce = (count: number): Promise<AuditRow[]> =>
  vi.waitFor(async () => {
    const rows = await readAllAudit(worker);
    expect(rows).toHaveLength(count);
    return rows.toReversed();
  });

const shown = ({ tool, outcome, transport, revision, client, traceId }: AuditRow) => ({
  tool,
  outcome,
  transport,
  revision,
  client,
  ...(traceId !== undefined && { traceId }),
});

it("are of http-stream once the answer is a stream", async () => {
  const client = await edgeClient(streamTools);
  const response = await client.post(call("progress", { _meta: { progressToken: 1 } }), {
    "mcp-protocol-version": "2025-06-18",
  });
  await new SseReader(response).restMessages();
  expect((await rowsOnce(1)).map(shown)).toEqual([
    {
      tool: "progress",
      outcome: "ok",
      transport: "http-stream",
      revision: "2025-06-18",
      client: { name: "unknown", version: "unknown" },
    },
  ]);
});

it("are one each on a socket, in a batch and in the modern era too", async () => {
  const socket = await openTestSession(await mintKey(), "2025-03-26");
  const common = { transport: "websocket", client: TEST, revision: "2025-03-26" };
  socket.send(call("calculate", SUM, 1));
  await socket.next();
  socket.send([call("calculate", SUM, 2), call("none", {}, 3)]);
  await socket.next();
  const { message } = modern("tools/call", SUM, {
    id: 4,
    meta: {
      "io.modelcontextprotocol/clientInfo": { name: "m", version: "2" },
      traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01`,
    },
  });
  socket.send(message);
  await socket.next();
  const rows = (await rowsOnce(4)).map(shown);
  expect(rows).toHaveLength(4);
  expect(rows).toEqual(
    expect.arrayContaining([
      { ...common, tool: "calculate", outcome: "ok" },
      { ...common, tool: "none", outcome: "unknown_tool" },
      {
        ...common,
        tool: "calculate",
        outcome: "ok",
        revision: "2026-07-28",
        client: { name: "m", version: "2" },
        traceId: TRACE_ID,
      },
    ]),
  );
});

it("say of a socket's calls that they were limited, refused, or made too early", async () => {
  const socket = await openTestSession(await mintKey({ limits: { perMinute: 1, burst: 1 } }));
  for (const id of [1, 2]) {
    socket.send(call("calculate", SUM, id));
    await socket.next();
  }
  const early = await openTestSocket(await mintKey());
  early.send(call("calculate", SUM));
  await early.next();
  const key = await mintKey();
  const revoked = await openTestSession(key);
  await admin("DELETE", `/keys/${key.split("_")[1]}`);
  await vi.waitFor(async () => {
    revoked.send(call("calculate", SUM));
    expect(await revoked.next()).toMatchObject({ error: { code: 401 } });
  }, 5_000);
  const outcomes = await vi.waitFor(async () => {
    const rows = await readAllAudit(worker);
    expect(rows.some(({ outcome }) => outcome === "unauthorized")).toBe(true);
    return new Set(rows.map(({ outcome }) => String(outcome)));
  });
  expect([...outcomes].toSorted()).toEqual(["invalid_request", "limited", "ok", "unauthorized"]);
});

it("say nothing of the key that a socket was opened with as a subprotocol", async () => {
  const key = await mintKey();
  const headers = { upgrade: "websocket", "sec-websocket-protocol": `mcp, mcp.auth.${key}` };
  const { webSocket } = await fetchWorker("/mcp", { headers });
  webSocket?.accept();
  const { message } = modern("tools/call", { ...SUM, arguments: { expression: key } });
  webSocket?.send(JSON.stringify(message));
  const [row] = await rowsOnce(1);
  expect(row).toMatchObject({ key: key.split("_")[1], transport: "websocket" });
  expect(JSON.stringify(row)).not.toContain(key.split("_")[2]);
});

it("are of sse where the call came by HTTP+SSE", async () => {
  const headers = { authorization: `Bearer ${await mintKey()}`, "content-type": "application/json" };
  const reader = new SseReader(await fetchWorker("/sse", { headers }));
  const endpoint = (await reader.next())?.data ?? "";
  const clientInfo = TEST;
  const params = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo };
  for (const message of [{ jsonrpc: "2.0", id: 0, method: "initialize", params }, call("calculate", SUM)]) {
    await fetchWorker(endpoint, { method: "POST", headers, body: JSON.stringify(message) });
    await reader.next();
  }
  expect((await rowsOnce(1)).map(shown)).toEqual([
    { tool: "calculate", outcome: "ok", transport: "sse", revision: "2024-11-05", client: TEST },
  ]);
});
