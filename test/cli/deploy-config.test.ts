// What `wrangler.toml` says of each environment: wrangler hands neither vars nor bindings down, so that all is said thrice.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { unstable_readConfig as readConfig } from "wrangler";
import { makeFolder } from "./project-copy.ts";

interface Ceiling {
  namespace_id: string;
}

const read = (env?: string, config = "wrangler.toml") => {
  const { name, ratelimits, vars, topLevelName: _, targetEnvironment: __, ...rest } = readConfig({ config, env });
  const ceilings = (ratelimits as Ceiling[]).map((ceiling) => ({ ...ceiling, namespace_id: "any" }));
  return { name, ceilings, varNames: Object.keys(vars), rest };
};

/** What of an environment has to be as in local runs: all but what the pages tell operators to set there. */
const readShared = (env?: string, config?: string) => {
  const { name, ceilings, varNames, rest } = read(env, config);
  const { routes: _, workers_dev: __, analytics_engine_datasets: ___, queues: ____, worker_loaders, ...shared } = rest;
  return { name, ceilings, varNames, shared, loaders: worker_loaders };
};

const namespacesOf = (env: string): string[] =>
  (readConfig({ config: "wrangler.toml", env }).ratelimits as Ceiling[]).map((ceiling) => ceiling.namespace_id);

it.each([
  ["production", "toolgate"],
  ["staging", "toolgate-staging"],
])("%s has what local runs and tests have, under its own name", (environment, name) => {
  const [local, deployed] = [readShared(), readShared(environment)];
  // On Workers Free there is none.
  expect([[], local.loaders]).toContainEqual(deployed.loaders);
  expect(deployed).toEqual({ ...local, name, loaders: deployed.loaders });
});

it("holds with a domain, vars of its own and no loader, as the pages tell operators to set and leave out", () => {
  const config = join(makeFolder(), "wrangler.toml");
  const [local = "", production = ""] = readFileSync("wrangler.toml", "utf8").split(/(?=^\[env\.production\]\n)/m);
  const routes = 'workers_dev = false\nroutes = [{ pattern = "tools.example.com", custom_domain = true }]\n';
  const changed = production
    .replace("[env.production]\n", `$&${routes}`)
    .replace('ALLOWED_HOSTS = ""', 'ALLOWED_HOSTS = "tools.example.com"')
    .replace('[[env.production.worker_loaders]]\nbinding = "LOADER"\n', "");
  writeFileSync(config, local + changed);
  const { routes: served } = readConfig({ config, env: "production" });
  expect(served).toEqual([{ pattern: "tools.example.com", custom_domain: true }]);
  expect(readShared("production", config)).toEqual({ ...readShared(undefined, config), loaders: [] });
});

it("counts strangers of staging apart from those of production", () => {
  expect(["production", "staging"].map(namespacesOf)).toEqual([["8101"], ["8102"]]);
});

it("keeps addresses, which can hold keys, out of what Cloudflare records", () => {
  expect(read("production").rest.observability).toEqual({
    enabled: true,
    redact_query_string: true,
    traces: { enabled: false },
    logs: { enabled: true, invocation_logs: false },
  });
});

it("lets objects that are awake finish before they take up new code", () => {
  expect(read("production").rest.durable_objects.code_update_strategy).toEqual({ mode: "deferred", max_delay: 300 });
});
