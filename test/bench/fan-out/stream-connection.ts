// Event streams, each on a TCP connection of its own: a legacy session's GET, and `subscriptions/listen` of 2026-07-28.

import { request as httpRequest, type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { MODERN_META, openHttpSession, post, request } from "../../journeys/support/rpc.ts";
import { within } from "../../journeys/support/within.ts";
import type { Target } from "./fleet-contract.ts";
import { LIST_CHANGED, type Connection, type ListedTool, type Listener } from "./listener.ts";

const OPEN_WITHIN_MS = 30_000;

export async function openGetStream({ url, key }: Target, listener: Listener): Promise<Connection> {
  const endpoint = new URL("/mcp", url);
  const session = await openHttpSession(endpoint, key);
  await initialized(endpoint, key, session);
  const headers = { ...session, authorization: `Bearer ${key}`, accept: "text/event-stream" };
  // The first thing on it is a comment.
  const stream = await openStream(endpoint, { headers }, undefined, ":", listener);
  return { drop: () => stream.destroy(), listTools: () => listTools(endpoint, key, session, {}) };
}

export async function openListenStream({ url, key }: Target, listener: Listener): Promise<Connection> {
  const endpoint = new URL("/mcp", url);
  const { params, headers } = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
  const stream = await openStream(
    endpoint,
    {
      method: "POST",
      headers: {
        ...headers,
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
    },
    JSON.stringify(request("subscriptions/listen", params)),
    "notifications/subscriptions/acknowledged",
    listener,
  );
  const list = modern("tools/list", {});
  return { drop: () => stream.destroy(), listTools: () => listTools(endpoint, key, list.headers, list.params) };
}

const modern = (method: string, params: object) => ({
  params: { ...params, _meta: MODERN_META },
  headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": method },
});

async function initialized(endpoint: URL, key: string, session: Record<string, string>): Promise<void> {
  const { status, body } = await fetch(endpoint, {
    method: "POST",
    headers: {
      ...session,
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
  });
  await body?.cancel();
  if (status !== 202) throw new Error(`initialized: expected status 202, received ${status}`);
}

async function listTools(
  endpoint: URL,
  key: string,
  headers: Record<string, string>,
  params: Record<string, unknown>,
): Promise<ListedTool[]> {
  const { body } = await post(endpoint, key, request("tools/list", params), headers);
  return (body.result?.["tools"] ?? []) as ListedTool[];
}

/** Opens a stream and waits until it has said what it begins with. */
async function openStream(
  endpoint: URL,
  options: RequestOptions,
  body: string | undefined,
  beginning: string,
  listener: Listener,
): Promise<ClientRequest> {
  const stream = httpRequest(endpoint, { ...options, agent: false });
  stream.on("error", (error) => listener.close(error.message));
  const begun = new Promise<void>((resolve, reject) => {
    stream.once("error", reject);
    stream.once("response", (response) => {
      if (response.statusCode !== 200) return reject(new Error(`stream: status ${response.statusCode}`));
      readEvents(response, listener, (block) => {
        if (block.includes(beginning)) resolve();
      });
    });
  });
  stream.end(body);
  await within(OPEN_WITHIN_MS, "stream", begun);
  return stream;
}

function readEvents(response: IncomingMessage, listener: Listener, onOther: (block: string) => void): void {
  let text = "";
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    const blocks = (text + chunk).split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      if (block.includes(LIST_CHANGED)) listener.hear(versionOf(block));
      else onOther(block);
    }
  });
  response.once("close", () => listener.close("the stream ended"));
  response.on("error", (error) => listener.close(error.message));
}

/** GET streams carry the catalogue's version in their event ids. */
function versionOf(block: string): number | undefined {
  const version = /^id: v\.(\d+)$/m.exec(block)?.[1];
  return version === undefined ? undefined : Number(version);
}
