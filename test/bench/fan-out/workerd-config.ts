// What wrangler would tell workerd of the Worker, in workerd's own words (Cap'n Proto text).

import type { Bundle } from "./bundle.ts";

const q = JSON.stringify;

/** The Worker with its objects, which are kept in `storage`. */
export function workerText(bundle: Bundle, secrets: Record<string, string>, storage: string): string {
  const { objects } = bundle;
  return config({
    bundle,
    services: [`(name = "storage", disk = (path = ${q(storage)}, writable = true))`, LOOPBACK],
    service: q("main"),
    bindings: [...textBindings({ ...bundle.vars, ...secrets }), ...objectBindings(objects)],
    objects: Object.values(objects),
    storage: `localDisk = "storage"`,
  });
}

/** The network that a Worker reaches: this machine's own. */
const LOOPBACK = `(name = "internet", network = (allow = ["private"]))`;

/** A door to the debug port of another workerd. */
export function doorText(bundle: Bundle, leadsTo: string): string {
  const objects = { DOOR: "Door" };
  const debugPort = `(name = "DEBUG_PORT", workerdDebugPort = void)`;
  return config({
    bundle,
    services: [LOOPBACK],
    service: `(name = "main", entrypoint = "DoorEntrypoint")`,
    bindings: [debugPort, ...textBindings({ LEADS_TO: leadsTo }), ...objectBindings(objects)],
    objects: Object.values(objects),
    storage: "inMemory = void",
  });
}

interface Parts {
  bundle: Bundle;
  services: string[];
  service: string;
  bindings: string[];
  objects: string[];
  storage: string;
}

const config = ({ bundle, services, service, bindings, objects, storage }: Parts): string => `
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [ ${[`(name = "main", worker = .worker)`, ...services].join(", ")} ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = ${service}) ]
);

const worker :Workerd.Worker = (
  modules = [ (name = "worker.js", esModule = embed "worker.js") ],
  compatibilityDate = ${q(bundle.compatibilityDate)},
  compatibilityFlags = [ ${bundle.compatibilityFlags.map((flag) => q(flag)).join(", ")} ],
  bindings = [ ${bindings.join(", ")} ],
  durableObjectNamespaces = [ ${objects.map(namespace).join(", ")} ],
  durableObjectStorage = (${storage})
);
`;

const textBindings = (vars: Record<string, string>): string[] =>
  Object.entries(vars).map(([name, value]) => `(name = ${q(name)}, text = ${q(value)})`);

const objectBindings = (objects: Record<string, string>): string[] =>
  Object.entries(objects).map(([name, className]) => `(name = ${q(name)}, durableObjectNamespace = ${q(className)})`);

const namespace = (className: string): string =>
  `(className = ${q(className)}, uniqueKey = ${q(className)}, enableSql = true)`;
