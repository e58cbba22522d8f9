// Workers on workerd itself, each in a process of its own, with nothing in front of it; and what such a process has used.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { within } from "../../journeys/support/within.ts";
import { kill, type Workplace } from "../fan-out/workplace.ts";
import type { BuiltWorker } from "./servers.ts";

const READY_WITHIN_MS = 30_000;

export interface Running {
  url: URL;
  /** Where V8's inspector listens, if it does. */
  inspector: URL | undefined;
  /** CPU time of all threads, from Linux's scheduler. */
  cpuMs: () => number;
  memoryMiB: () => number;
  stop: () => Promise<void>;
}

/** Where a Worker's objects are kept, and its secrets: both outlive a process. */
export interface Home {
  dir: string;
  secrets: Record<string, string>;
}

const mintSecret = (): string => randomBytes(32).toString("hex");

/** A place for a Worker to start from. */
export function makeHome(workplace: Workplace, name: string, { dir: built }: BuiltWorker): Home {
  const dir = join(workplace.dir, `home-${name}`);
  mkdirSync(join(dir, "storage"), { recursive: true });
  cpSync(built, join(dir, "code"), { recursive: true });
  return { dir, secrets: { SIGNING_SECRET: mintSecret(), ADMIN_KEY: mintSecret(), SECRETS_KEY: mintSecret() } };
}

const WORKERD = (createRequire(createRequire(import.meta.url).resolve("wrangler"))("workerd") as { default: string })
  .default;

/** Answers once the process listens; no request has reached the Worker by then. */
export async function startServer(
  workplace: Workplace,
  home: Home,
  built: BuiltWorker,
  { inspected = false } = {},
): Promise<Running> {
  const path = join(home.dir, "config.capnp");
  writeFileSync(path, configText(home, built), { mode: 0o600 });
  const inspect = inspected ? ["--inspector-addr=127.0.0.1:0"] : [];
  const child = spawn(WORKERD, ["serve", "--experimental", "--control-fd=3", ...inspect, path], {
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  workplace.keep(child);
  const complaints: string[] = [];
  if (child.stderr) createInterface({ input: child.stderr }).on("line", (line) => complaints.push(line));
  const ended = once(child, "exit").then(() => {
    throw new Error(`workerd ended by itself:\n${complaints.slice(-10).join("\n")}`);
  });
  const listening = readPorts(child.stdio[3] as Readable, inspected);
  const { port, inspectorPort } = await within(READY_WITHIN_MS, "start of workerd", Promise.race([listening, ended]));
  ended.catch(() => undefined);
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    inspector: inspectorPort === undefined ? undefined : new URL(`http://127.0.0.1:${inspectorPort}`),
    cpuMs: () => readCpuMs(child.pid),
    memoryMiB: () => readMemoryMiB(child.pid),
    stop: () => kill(child),
  };
}

async function readPorts(control: Readable, inspected: boolean): Promise<{ port: number; inspectorPort?: number }> {
  let [port, inspectorPort]: (number | undefined)[] = [];
  for await (const line of createInterface({ input: control })) {
    const told = JSON.parse(line) as { event: string; socket?: string; port: number };
    if (told.event === "listen-inspector") inspectorPort = told.port;
    else if (told.socket === "http") port = told.port;
    if (port === undefined || (inspected && inspectorPort === undefined)) continue;
    return { port, ...(inspectorPort !== undefined && { inspectorPort }) };
  }
  throw new Error("workerd named no port");
}

const readCpuMs = (pid: number | undefined): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]))
    .reduce((sum, ns) => sum + ns, 0) / 1e6;

const readMemoryMiB = (pid: number | undefined): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;

const q = JSON.stringify;

// As miniflare provides it: workerd alone has no module for e-mail.
const EMAIL = "export default { EmailMessage: class {} };";

const isModule = (file: string): boolean => /\.m?js$/.test(file);

function configText({ dir, secrets }: Home, built: BuiltWorker): string {
  const others = readdirSync(join(dir, "code")).filter((file) => isModule(file) && file !== built.main);
  const modules = [built.main, ...others].map((file) => `(name = ${q(file)}, esModule = embed ${q(`code/${file}`)})`);
  const hasObjects = Object.keys(built.objects).length > 0;
  const texts = hasObjects ? { ...built.vars, ...secrets } : {};
  const bindings = [
    ...Object.entries(texts).map(([name, value]) => `(name = ${q(name)}, text = ${q(value)})`),
    ...Object.entries(built.objects).map(([name, type]) => `(name = ${q(name)}, durableObjectNamespace = ${q(type)})`),
  ];
  const namespaces = Object.values(built.objects).map(
    (type) => `(className = ${q(type)}, uniqueKey = ${q(type)}, enableSql = true)`,
  );
  const storage = `durableObjectNamespaces = [ ${namespaces.join(", ")} ], durableObjectStorage = (localDisk = "storage"),`;
  return `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "main", worker = .worker), (name = "storage", disk = (path = ${q(join(dir, "storage"))}, writable = true)) ],
  extensions = [ (modules = [ (name = "cloudflare-internal:email", internal = true, esModule = ${q(EMAIL)}) ]) ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "main") ]
);
const worker :Workerd.Worker = (
  modules = [ ${modules.join(", ")} ],
  compatibilityDate = ${q(built.compatibilityDate)},
  compatibilityFlags = [ ${built.compatibilityFlags.map((flag) => q(flag)).join(", ")} ],
  bindings = [ ${bindings.join(", ")} ],
  ${hasObjects ? storage : ""}
);
`;
}
