// Owns finding out that a deployment works: waits until the new version answers, then calls a tool as a client would, with
// a key that is made for it and revoked.

import { setTimeout as delay } from "node:timers/promises";
import { callAdmin, isObject, type AdminServer, type JsonObject } from "./admin-api.ts";

const POLL_MS = 1_000;
const REQUEST_TIMEOUT_MS = 15_000;
const KEY_LIFE_MS = 600_000;
/** Of the tools that come along: needs nothing and changes nothing. */
const TOOL = "current_time";

export interface SmokeTarget {
  origin: string;
  /** Without it, only what anybody can see is looked at. */
  adminKey: string | undefined;
  /** The deployment that is to answer, as Cloudflare numbers it. */
  versionId: string | undefined;
  waitMs: number;
}

/** How many tools it lists and which one answered, or what went wrong. */
export type SmokeReport = { tools?: number; called?: string } | { failure: string };

/** Never rejects for what the server does. */
export async function callThrough({ origin, adminKey, versionId, waitMs }: SmokeTarget): Promise<SmokeReport> {
  try {
    const late = await waitForHealth(origin, adminKey, versionId, waitMs);
    if (late !== undefined) return { failure: late };
    await checkShut(origin);
    return adminKey === undefined ? {} : await callWithKey({ origin, adminKey });
  } catch (error) {
    return { failure: (error instanceof Error ? error.message : String(error)).replace(/\.$/, "") };
  }
}

/** What was wrong last, where it is not well in time. A new address takes a while to be known everywhere. */
async function waitForHealth(
  origin: string,
  adminKey: string | undefined,
  versionId: string | undefined,
  waitMs: number,
): Promise<string | undefined> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const wrong = await readHealth(origin, adminKey, versionId);
    if (wrong === undefined) return undefined;
    if (performance.now() + POLL_MS > deadline) {
      return `${origin}/healthz: expected status ok within ${waitMs / 1000} s, received ${wrong}`;
    }
    await delay(POLL_MS);
  }
}

async function readHealth(
  origin: string,
  adminKey: string | undefined,
  versionId: string | undefined,
): Promise<string | undefined> {
  const headers: Record<string, string> = adminKey === undefined ? {} : { authorization: `Bearer ${adminKey}` };
  try {
    const { status, body } = await request(`${origin}/healthz`, { headers });
    if (status !== 200 || body["status"] !== "ok") return `status ${status}, ${describeState(body)}`;
    if (adminKey !== undefined && body["objects"] === undefined)
      return "nothing of its objects: the admin key is another";
    const { deployment } = body;
    const answering = isObject(deployment) ? deployment["id"] : undefined;
    // Local runtimes and deployments without the binding don't tell.
    if (!answering || versionId === undefined || answering === versionId) return undefined;
    return `an answer of the earlier version ${String(answering)}`;
  } catch {
    return "no answer";
  }
}

function describeState({ status, objects }: JsonObject): string {
  const states = isObject(objects) ? Object.values(objects).flat() : [];
  const lost = states.filter((state) => isObject(state) && state["state"] !== "ok") as JsonObject[];
  const names = lost.map(({ name }) => String(name));
  return `${JSON.stringify(status ?? "no JSON")}${names.length === 0 ? "" : `, out of reach: ${names.join(", ")}`}`;
}

async function checkShut(origin: string): Promise<void> {
  const { status } = await post(`${origin}/mcp`, {}, "ping", {});
  if (status !== 401) throw new Error(`POST /mcp without a key: expected status 401, received ${status}`);
}

async function callWithKey(server: AdminServer): Promise<SmokeReport> {
  const expiresAt = new Date(Date.now() + KEY_LIFE_MS).toISOString();
  const minted = await callAdmin(server, "POST", "/keys", { name: "smoke call", expiresAt });
  const { id, key } = minted;
  if (typeof id !== "string" || typeof key !== "string") throw new Error("POST /admin/v1/keys: received no key");
  try {
    const endpoint = `${server.origin}/mcp`;
    const headers = { authorization: `Bearer ${key}` };
    const { tools } = await result(endpoint, headers, "tools/list", {});
    if (!Array.isArray(tools)) throw new Error("tools/list: received no list");
    if (!tools.some((tool) => isObject(tool) && tool["name"] === TOOL)) return { tools: tools.length };
    const { isError } = await result(endpoint, headers, "tools/call", { name: TOOL, arguments: {} });
    if (isError === true) throw new Error(`tools/call: ${TOOL} said that it failed`);
    return { tools: tools.length, called: TOOL };
  } finally {
    await callAdmin(server, "DELETE", `/keys/${id}`).catch(() => undefined);
  }
}

async function result(
  endpoint: string,
  headers: Record<string, string>,
  method: string,
  params: object,
): Promise<JsonObject> {
  const { status, body } = await post(endpoint, headers, method, params);
  if (isObject(body["result"])) return body["result"];
  const { message } = isObject(body["error"]) ? body["error"] : { message: "no JSON-RPC answer" };
  throw new Error(`${method}: status ${status}, ${String(message)}`);
}

const post = (url: string, headers: Record<string, string>, method: string, params: object) =>
  request(url, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });

async function request(url: string, init: RequestInit): Promise<{ status: number; body: JsonObject }> {
  const response = await fetch(url, {
    ...init,
    redirect: "manual",
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const text = await response.text();
  try {
    const body: unknown = JSON.parse(text);
    return { status: response.status, body: isObject(body) ? body : {} };
  } catch {
    return { status: response.status, body: {} };
  }
}
