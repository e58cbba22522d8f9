// The Worker twice, in isolates of their own on the same objects, and a third one that strikes at those objects: in
// workerd's own words (Cap'n Proto text).

import type { Bundle } from "../fan-out/bundle.ts";

const q = JSON.stringify;

export interface Ports {
  main: number;
  sibling: number;
  control: number;
}

interface Setting {
  /** Go before those of the bundle. */
  vars: Record<string, string>;
  /** Where the objects' state lies. */
  storage: string;
  ports: Ports;
  /** Whether garbage can be collected by who looks into it. */
  isInspected: boolean;
}

export const runtimeConfig = (bundle: Bundle, { vars, storage, ports, isInspected }: Setting): string => `
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
${isInspected ? '  v8Flags = [ "--expose-gc" ],\n' : ""}  services = [
    (name = "main", worker = .main),
    (name = "sibling", worker = .sibling),
    (name = "control", worker = .control),
    (name = "storage", disk = (path = ${q(storage)}, writable = true)),
    (name = "internet", network = (allow = ["private"]))
  ],
  sockets = [ ${Object.entries(ports).map(socket).join(", ")} ]
);

const main :Workerd.Worker = (
  ${worker(bundle)},
  bindings = [ ${[...texts({ ...bundle.vars, ...vars }), ...objects(bundle, "")].join(", ")} ],
  durableObjectNamespaces = [ ${Object.values(bundle.objects).map(namespace).join(", ")} ],
  durableObjectStorage = (localDisk = "storage")
);

const sibling :Workerd.Worker = (
  ${worker(bundle)},
  bindings = [ ${[...texts({ ...bundle.vars, ...vars }), ...objects(bundle, MAIN)].join(", ")} ]
);

const control :Workerd.Worker = (
  modules = [ (name = "control.js", esModule = embed "control.js") ],
  compatibilityDate = ${q(bundle.compatibilityDate)},
  compatibilityFlags = [ "unsafe_module" ],
  bindings = [ ${objects(bundle, MAIN).join(", ")} ]
);
`;

const MAIN = `, serviceName = "main"`;

const worker = ({ compatibilityDate, compatibilityFlags }: Bundle): string => `
  modules = [ (name = "worker.js", esModule = embed "worker.js") ],
  compatibilityDate = ${q(compatibilityDate)},
  compatibilityFlags = [ ${compatibilityFlags.map((flag) => q(flag)).join(", ")} ]`;

const socket = ([name, port]: [string, number]): string =>
  `(name = ${q(name)}, address = "127.0.0.1:${port}", http = (), service = ${q(name)})`;

const texts = (vars: Record<string, string>): string[] =>
  Object.entries(vars).map(([name, value]) => `(name = ${q(name)}, text = ${q(value)})`);

const objects = ({ objects }: Bundle, service: string): string[] =>
  Object.entries(objects).map(
    ([name, className]) => `(name = ${q(name)}, durableObjectNamespace = (className = ${q(className)}${service}))`,
  );

const namespace = (className: string): string =>
  `(className = ${q(className)}, uniqueKey = ${q(className)}, enableSql = true)`;
