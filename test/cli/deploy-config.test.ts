// What `wrangler.toml` says of each environment: wrangler hands neither vars nor bindings down, so that all is said thrice.

import { expect, it } from "vitest";
import { unstable_readConfig as readConfig } from "wrangler";

interface Ceiling {
  namespace_id: string;
}

const read = (env?: string) => {
  const {
    name,
    ratelimits,
    topLevelName: _,
    targetEnvironment: __,
    ...rest
  } = readConfig({
    config: "wrangler.toml",
    env,
  });
  return { name, ceilings: (ratelimits as Ceiling[]).map((ceiling) => ({ ...ceiling, namespace_id: "any" })), rest };
};

const namespacesOf = (env: string): string[] =>
  (readConfig({ config: "wrangler.toml", env }).ratelimits as Ceiling[]).map((ceiling) => ceiling.namespace_id);

it.each([
  ["production", "toolgate"],
  ["staging", "toolgate-staging"],
])("%s has what local runs and tests have, under its own name", (environment, name) => {
  const [local, deployed] = [read(), read(environment)];
  expect(deployed).toEqual({ ...local, name });
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
