// MCP servers of others, made with the official SDKs: one of each era, with the same tools, which a test may change.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { ReadableStream as NodeStream } from "node:stream/web";
import { Server as ServerV1 } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createMcpHandler, Server as ServerV2 } from "@modelcontextprotocol/server";
import { afterAll } from "vitest";

export type ServerTool = {
  name: string;
  description: string;
  inputSchema: { type: "object" } & Record<string, unknown>;
};

export interface UpstreamServer {
  /** As `EGRESS_ALLOW` has it. */
  host: string;
  url: string;
  /** What it lists; a test may change it. */
  tools: ServerTool[];
  /** The headers of every request so far. */
  arrived: Record<string, unknown>[];
  /** Labels of the calls of `wait` that were cancelled. */
  cancelled: string[];
  /** Forgets all sessions, as a restart would. */
  forgetSessions: () => void;
  close: () => void;
}

/** What a call may do while it runs. */
interface Running {
  signal: AbortSignal;
  report: (progress: number, message: string) => Promise<void>;
}

const PAGE_TOOLS = 2;

const open = { type: "object" as const, properties: { label: { type: "string" } }, required: ["label"] };

const firstTools = (): ServerTool[] => [
  { name: "echo", description: "Says what it was given.", inputSchema: open },
  { name: "steps", description: "Reports three steps.", inputSchema: { type: "object" } },
  { name: "wait", description: "Waits until it is cancelled.", inputSchema: open },
  { name: "näme with spaces", description: "Has an odd name.", inputSchema: { type: "object" } },
  { name: "hidden", description: "Says \u{e0041}\u{e0042} unseen.", inputSchema: { type: "object" } },
  { name: "strange", description: "Has a schema of no kind.", inputSchema: { type: "object", $dynamicRef: "#x" } },
];

type State = Pick<UpstreamServer, "tools" | "arrived" | "cancelled">;

const listPage = ({ tools }: State, cursor: string | undefined) => {
  const start = Number(cursor ?? 0);
  const end = start + PAGE_TOOLS;
  return { tools: tools.slice(start, end), ...(end < tools.length && { nextCursor: String(end) }) };
};

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

async function callTool(state: State, name: string, args: Record<string, unknown>, { signal, report }: Running) {
  const label = String(args["label"]);
  switch (name) {
    case "echo":
      return text(`${label}, ${String(state.arrived.at(-1)?.["authorization"])}`);
    case "steps":
      for (const step of [1, 2, 3]) await report(step, `step ${step}`);
      return text("Three steps.");
    case "wait":
      await report(1, "waiting");
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => {
          state.cancelled.push(label);
          resolve();
        });
      });
      return text("Nobody reads this.");
    default:
      return text(`This is ${name}.`);
  }
}

/** A server of the legacy era, with sessions. */
export async function startLegacyServer(): Promise<UpstreamServer> {
  const state: State = { tools: firstTools(), arrived: [], cancelled: [] };
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const openSession = async (): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    const server = new ServerV1({ name: "legacy", version: "1.0.0" }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) => listPage(state, params?.cursor));
    server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal, sendNotification, _meta }) => {
      const progressToken = _meta?.progressToken ?? "";
      const report: Running["report"] = (progress, message) =>
        sendNotification({ method: "notifications/progress", params: { progressToken, progress, total: 3, message } });
      return callTool(state, params.name, params.arguments ?? {}, { signal, report });
    });
    await server.connect(transport);
    return transport;
  };
  const served = await serve(async (incoming, response) => {
    state.arrived.push(incoming.headers);
    const id = incoming.headers["mcp-session-id"];
    const transport = typeof id === "string" ? sessions.get(id) : await openSession();
    if (transport) await transport.handleRequest(incoming, response);
    else
      response
        .writeHead(404, { "content-type": "application/json" })
        .end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}');
  });
  return { ...state, ...served, forgetSessions: () => sessions.clear() };
}

/** A server of the modern era, without sessions. */
export async function startModernServer(): Promise<UpstreamServer> {
  const state: State = { tools: firstTools(), arrived: [], cancelled: [] };
  const { fetch } = createMcpHandler(
    () => {
      const server = new ServerV2({ name: "modern", version: "1.0.0" }, { capabilities: { tools: {} } });
      server.setRequestHandler("tools/list", ({ params }) => listPage(state, params?.cursor));
      server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => {
        const { _meta: meta } = mcpReq;
        const progressToken = meta?.progressToken ?? "";
        const report: Running["report"] = (progress, message) =>
          mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 3, message } });
        return callTool(state, params.name, params.arguments ?? {}, { signal: mcpReq.signal, report });
      });
      return server;
    },
    { legacy: "reject" },
  );
  const served = await serve(async (incoming, response) => {
    state.arrived.push(incoming.headers);
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const answer = await fetch(await toRequest(incoming, gone.signal));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body)
      Readable.fromWeb(answer.body as NodeStream)
        .on("error", () => undefined)
        .pipe(response);
    else response.end();
  });
  return { ...state, ...served, forgetSessions: () => undefined };
}

async function toRequest(incoming: IncomingMessage, signal: AbortSignal): Promise<Request> {
  let body = "";
  for await (const chunk of incoming) body += String(chunk);
  const headers = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
  const method = incoming.method ?? "GET";
  return new Request(new URL(incoming.url ?? "/", "http://127.0.0.1"), {
    method,
    headers,
    signal,
    ...(body !== "" && { body }),
  });
}

async function serve(listener: RequestListener): Promise<Pick<UpstreamServer, "host" | "url" | "close">> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  afterAll(close);
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, url: `http://${host}/mcp`, close };
}
