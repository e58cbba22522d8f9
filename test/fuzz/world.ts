// What a server that is fuzzed holds: keys, sessions, cursors, and what it must never tell.

import { request } from "node:http";
import { LEGACY } from "../matrix/cells.ts";
import type { FuzzServer } from "./server.ts";
import type { HttpResponse } from "./http-response.ts";
import type { Shot } from "./shot.ts";
import { MODERN_DIALECT, tell } from "./models/dialects.ts";

/** Things that may go at any time: as many are kept. */
const SPARES = 50;
/** The most that may be asked of a key, so that limits are out of the way. */
const UNLIMITED = { perMinute: 1_000_000, streams: 8_000 };
/** A secret of the operator's tools: sent to the upstream, never to a caller. */
const TOKEN = "fuzz-token-5f0c1e7a9b3d";

export interface World {
  port: number;
  /** The value behind a placeholder's name. */
  read: (name: string) => string | undefined;
  /** Takes what an answer gives for later requests. */
  learn: (shot: Shot, response: HttpResponse) => void;
  /** What no answer may hold, by name. */
  secrets: ReadonlyMap<string, string>;
}

export async function openWorld(server: FuzzServer): Promise<World> {
  const { url, adminKey, upstream } = server;
  const values = new Map<string, string>([
    ["admin", adminKey],
    ["upstream", upstream],
    ["own", url.origin],
  ]);
  const mint = async (name: string, input: object = {}): Promise<{ id: string; key: string }> => {
    const minted = await server.mintKey({ name, limits: UNLIMITED, ...input });
    values.set(`key.${name}`, minted.key);
    return minted;
  };
  await mint("a");
  await mint("b");
  await mint("narrow", { tools: { allow: ["add", "echo", "f1"] } });
  await mint("discovery", { discovery: true });
  await mint("url", { urlKey: true });
  await mint("reader", { scopes: ["admin:read"] });
  await mint("slow", { limits: { perMinute: 600, burst: 5 } });
  const revoked = await mint("revoked");
  await server.admin("DELETE", `/keys/${revoked.id}`);
  await server.admin("PUT", "/secrets/FUZZ_TOKEN", { value: TOKEN });
  const open = (key: string, revision: string): Promise<string> =>
    openSession(url, values.get(`key.${key}`) ?? "", revision);
  for (const revision of LEGACY) values.set(`session.${revision}`, await open("a", revision));
  values.set("session.b", await open("b", "2025-11-25"));
  const ended = await open("a", "2025-11-25");
  await fetch(new URL("/mcp", url), {
    method: "DELETE",
    headers: { authorization: `Bearer ${values.get("key.a")}`, "mcp-session-id": ended },
  });
  values.set("session.ended", ended);
  for (const key of ["a", "b"]) values.set(`cursor.${key}`, await readCursor(url, values.get(`key.${key}`) ?? ""));
  values.set("audit", String((await server.admin("GET", "/audit?kind=admin&limit=1")).body["nextCursor"]));
  values.set("channel", await openChannel(url, values.get("key.a") ?? ""));
  let turn = 0;
  const spares = { sessions: [] as string[], ids: [] as string[] };
  return {
    port: Number(url.port),
    read: (name) => {
      if (name === "session.spare") return spares.sessions.pop() ?? values.get("session.ended");
      if (name === "id.spare") return spares.ids[turn++ % spares.ids.length] ?? "hk0";
      return values.get(name);
    },
    learn: (shot, response) => learn(shot, response, values, spares),
    secrets: new Map([
      ...server.secrets,
      ["FUZZ_TOKEN", TOKEN],
      ...["a", "b", "narrow", "discovery", "url", "reader", "slow", "revoked"].map((name): [string, string] => [
        `key ${name}`,
        values.get(`key.${name}`) ?? "",
      ]),
    ]),
  };
}

function learn(
  shot: Shot,
  { status, headers, body }: HttpResponse,
  values: Map<string, string>,
  spares: { sessions: string[]; ids: string[] },
): void {
  const session = headers.get("mcp-session-id");
  const isOfA = shot.headers.some(([name, value]) => name === "authorization" && value === "Bearer «key.a»");
  if (session !== undefined && isOfA) keep(spares.sessions, session);
  if (shot.path === "/admin/v1/keys" && status === 201)
    keep(spares.ids, String((JSON.parse(body.toString()) as { id: string }).id));
  if (shot.path.startsWith("/admin/v1/audit") && status === 200) {
    const next = /"nextCursor":"([^"]+)"/.exec(body.toString("latin1"))?.[1];
    if (next !== undefined) values.set("audit", next);
  }
  const state = body.length < 100_000 ? /"requestState":"([^"]+)"/.exec(body.toString("latin1"))?.[1] : undefined;
  if (state !== undefined) values.set("state.a", state);
}

function keep(list: string[], value: string): void {
  list.push(value);
  if (list.length > SPARES) list.shift();
}

async function post(url: URL, key: string, body: object, headers: [string, string][] = []): Promise<Response> {
  const response = await fetch(new URL("/mcp", url), {
    method: "POST",
    headers: [["authorization", `Bearer ${key}`], ["content-type", "application/json"], ...headers],
    body: JSON.stringify(body),
  });
  if (response.status !== 200)
    throw new Error(`the world could not be made: ${response.status} ${await response.text()}`);
  return response;
}

async function openSession(url: URL, key: string, protocolVersion: string): Promise<string> {
  // A client that can't be asked anything: none would be there to answer.
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: "fuzz", version: "1" } };
  const response = await post(url, key, { jsonrpc: "2.0", id: 1, method: "initialize", params });
  return response.headers.get("mcp-session-id") ?? "";
}

async function readCursor(url: URL, key: string): Promise<string> {
  const { message, headers } = tell(MODERN_DIALECT, "tools/list", {}, 1);
  const { result } = (await (await post(url, key, message, headers)).json()) as { result: { nextCursor: string } };
  return result.nextCursor;
}

/** The name of an HTTP+SSE stream that stays open, and is read to nobody. */
function openChannel(url: URL, key: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL("/sse", url), { headers: { authorization: `Bearer ${key}` } }, (response) => {
      let read = "";
      response
        .on("error", () => undefined)
        .on("data", (chunk: Buffer) => {
          if (read.length > 10_000) return;
          read += String(chunk);
          const name = /session=(\S+)/.exec(read)?.[1];
          if (name !== undefined) resolve(name);
        });
    });
    sent.on("error", reject).end();
  });
}
