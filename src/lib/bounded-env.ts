// Bindings whose objects answer in time, or are out of reach: an object that is stalled says nothing at all, and whoever
// asked it would wait for as long as the platform lets a request live.

import type { Env } from "../env.ts";
import { withDeadline } from "./deadline.ts";
import { LIMITS } from "./limits.ts";

type Waiting = readonly (string | symbol)[];

const bounded = new WeakMap<Env, Env>();

/**
 * The same bindings; a call of an object's method rejects with `DeadlineError` after `LIMITS.objectTimeoutMs`. Not an
 * upgrade, which has a bound of its own, nor what waits for word of a call's client.
 */
export function boundedEnv(env: Env): Env {
  const known = bounded.get(env);
  if (known) return known;
  const made: Env = {
    ...env,
    TOOL_REGISTRY: boundedNamespace(env.TOOL_REGISTRY, "registry"),
    API_KEY: boundedNamespace(env.API_KEY, "key"),
    SESSION_HUB: boundedNamespace(env.SESSION_HUB, "hub", ["fetch"]),
    CALL_RELAY: boundedNamespace(env.CALL_RELAY, "relay", ["read", "nextEvent"]),
    CATALOGUE_REPLICA: boundedNamespace(env.CATALOGUE_REPLICA, "replica"),
    AUDIT_LOG: boundedNamespace(env.AUDIT_LOG, "audit log"),
  };
  // Bound once more, it stays as it is.
  for (const each of [env, made]) bounded.set(each, made);
  return made;
}

function boundedNamespace(
  namespace: DurableObjectNamespace,
  what: string,
  waiting: Waiting = [],
): DurableObjectNamespace {
  return {
    idFromName: (name: string) => namespace.idFromName(name),
    get: (id: DurableObjectId, options?: DurableObjectNamespaceGetDurableObjectOptions) =>
      new Proxy(namespace.get(id, options), {
        get: (stub, method) => {
          const target = stub as unknown as Record<string | symbol, (...args: unknown[]) => Promise<unknown>>;
          return async (...args: unknown[]) => {
            const answer = target[method]?.(...args) ?? Promise.resolve();
            if (waiting.includes(method)) return answer;
            return withDeadline(answer, LIMITS.objectTimeoutMs, `${what}.${String(method)}`);
          };
        },
      }),
  } as unknown as DurableObjectNamespace;
}
