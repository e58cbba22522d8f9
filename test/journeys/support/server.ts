// The Worker as it is deployed, bundled and served on a loopback port, with secrets that nobody else knows.

import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, vi } from "vitest";
import { createTestHarness } from "wrangler";
import { createAdmin, type Admin } from "./admin.ts";
import { writeConfig, writeSiblingConfig } from "./config.ts";

// Else wrangler asks the internet where this machine is.
process.env["CLOUDFLARE_CF_FETCH_ENABLED"] = "false";

const PUBLISHED_WITHIN_MS = 5_000;
const REGISTRY = { name: "registry" };

export interface Endpoints {
  url: URL;
  /** The MCP endpoint, or its path for a URL key. */
  endpoint: (urlKey?: string) => URL;
  /** The same for HTTP+SSE. */
  sseEndpoint: (urlKey?: string) => URL;
  /** The same for WebSockets. */
  socketEndpoint: (urlKey?: string) => URL;
}

export interface Server extends Admin, Endpoints {
  adminKey: string;
  /** Evicts every hub; their sockets stay open, or are closed as by a deploy. */
  evictHubs: (webSockets?: "hibernate" | "close") => Promise<void>;
  evictRegistry: () => Promise<void>;
  /** Waits until every hub has told its sockets of a version. */
  published: (version: number) => Promise<void>;
}

/** Starts the Worker for one test file and ends it with the file. `vars` override those of `wrangler.toml`. */
export async function startServer(vars: Record<string, string> = {}): Promise<Server> {
  const { harness, url, adminKey } = await serve([await writeConfig(await makeDir())], vars);
  return describeServer(harness, url, adminKey);
}

/** The same with the tools of `fixture-tools.ts` besides the built-in ones. */
export async function startFixtureServer(vars: Record<string, string> = {}): Promise<Server> {
  const configPath = await writeConfig(await makeDir(), "test/journeys/support/fixture-worker.ts");
  const { harness, url, adminKey } = await serve([configPath], vars);
  return describeServer(harness, url, adminKey);
}

/** The same with the code tools of `fixture-code-worker.ts`, which reach the first host that `EGRESS_ALLOW` lists. */
export async function startCodeServer(vars: Record<string, string>): Promise<Server> {
  const configPath = await writeConfig(await makeDir(), "test/journeys/support/fixture-code-worker.ts");
  const { harness, url, adminKey } = await serve([configPath], vars);
  return describeServer(harness, url, adminKey);
}

/** The same Worker twice, in two isolates with caches of their own, on the same objects: which run in the first. */
export async function startSiblings(): Promise<[Server, Server]> {
  // The harness has one port; which Worker serves a request is told by the name that the client knows the port by.
  const { harness, url, adminKey } = await serve([
    await writeConfig(await makeDir()),
    await writeSiblingConfig(await makeDir(), "localhost"),
  ]);
  const siblingUrl = new URL(url);
  siblingUrl.hostname = "localhost";
  return [describeServer(harness, url, adminKey), describeServer(harness, siblingUrl, adminKey)];
}

async function makeDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "toolgate-worker-"));
  afterAll(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
}

async function serve(configPaths: string[], vars: Record<string, string> = {}) {
  const adminKey = mintSecret();
  const secrets = { SIGNING_SECRET: mintSecret(), ADMIN_KEY: adminKey, SECRETS_KEY: mintSecret() };
  const harness = createTestHarness({ workers: configPaths.map((configPath) => ({ configPath, vars, secrets })) });
  afterAll(() => harness.close());
  const { url } = await harness.listen();
  return { harness, url, adminKey };
}

function describeServer(harness: Harness, url: URL, adminKey: string): Server {
  return {
    adminKey,
    ...createAdmin(url, adminKey),
    ...endpointsAt(url),
    evictHubs: (webSockets = "hibernate") => evictHubs(harness, webSockets),
    evictRegistry: () => harness.getWorker().evictDurableObject("ToolRegistry", REGISTRY),
    published: (version) =>
      vi.waitFor(() => checkPublished(harness, version), { timeout: PUBLISHED_WITHIN_MS, interval: 20 }),
  };
}

export function endpointsAt(url: URL): Endpoints {
  const at = (path: string, urlKey?: string): URL => new URL(urlKey === undefined ? path : `/k/${urlKey}${path}`, url);
  const endpoint = (urlKey?: string): URL => at("/mcp", urlKey);
  return {
    url,
    endpoint,
    sseEndpoint: (urlKey) => at("/sse", urlKey),
    socketEndpoint: (urlKey) => toSocketUrl(endpoint(urlKey)),
  };
}

export const mintSecret = (): string => randomBytes(32).toString("hex");

export function toSocketUrl(url: URL): URL {
  const socketUrl = new URL(url);
  socketUrl.protocol = "ws:";
  return socketUrl;
}

type Harness = ReturnType<typeof createTestHarness>;

async function evictHubs(harness: Harness, webSockets: "hibernate" | "close"): Promise<void> {
  const worker = harness.getWorker();
  const ids = await worker.listDurableObjectIds("SessionHub");
  if (ids.length === 0) throw new Error("there is no hub to evict");
  await Promise.all(ids.map((id) => worker.evictDurableObject("SessionHub", { id, webSockets })));
}

async function checkPublished(harness: Harness, version: number): Promise<void> {
  const sql = await harness.getWorker().getDurableObjectStorage("ToolRegistry", REGISTRY);
  const late = await sql.exec("SELECT hub FROM roster WHERE acknowledged < ?", version);
  if (late.length > 0) throw new Error(`version ${version} has not reached ${JSON.stringify(late)}`);
}
