import { env } from "cloudflare:workers";
import type { Env } from "../../src/env.ts";

/** The test Worker's bindings, as the code under test types them. */
export const testEnv = env as unknown as Env;

type Binding = "TOOL_REGISTRY" | "API_KEY" | "SESSION_HUB" | "CATALOGUE_REPLICA" | "AUDIT_LOG";

export interface ObjectCall {
  binding: Binding;
  method: string;
  args: unknown[];
}

export interface Hint {
  binding: Binding;
  locationHint: string;
}

/** The bindings with every call of an object's method recorded, in order, and every hint where to make one. */
export function countingEnv(base: Env = testEnv): { env: Env; calls: ObjectCall[]; hints: Hint[] } {
  const calls: ObjectCall[] = [];
  const hints: Hint[] = [];
  const record = (binding: Binding): DurableObjectNamespace =>
    recordNamespace(base[binding], binding, calls, (locationHint) => hints.push({ binding, locationHint }));
  const env = {
    ...base,
    TOOL_REGISTRY: record("TOOL_REGISTRY"),
    API_KEY: record("API_KEY"),
    SESSION_HUB: record("SESSION_HUB"),
    CATALOGUE_REPLICA: record("CATALOGUE_REPLICA"),
    AUDIT_LOG: record("AUDIT_LOG"),
  };
  return { env, calls, hints };
}

function recordNamespace(
  namespace: DurableObjectNamespace,
  binding: Binding,
  calls: ObjectCall[],
  noteHint: (locationHint: string) => void,
): DurableObjectNamespace {
  return {
    idFromName: (name: string) => namespace.idFromName(name),
    get: (id: DurableObjectId, options?: DurableObjectNamespaceGetDurableObjectOptions) => {
      if (options?.locationHint !== undefined) noteHint(options.locationHint);
      return new Proxy(namespace.get(id, options), {
        get(stub, method) {
          const target = stub as unknown as Record<string | symbol, (...args: unknown[]) => unknown>;
          return (...args: unknown[]) => {
            calls.push({ binding, method: String(method), args });
            return target[method]?.(...args);
          };
        },
      });
    },
  } as unknown as DurableObjectNamespace;
}

/** The bindings with keys' objects that can be put out of reach: then every call of theirs fails. */
export function severedEnv(): { env: Env; sever: (isSevered: boolean) => void; attempts: () => number } {
  let isSevered = false;
  let attempts = 0;
  const { API_KEY } = testEnv;
  const namespace = {
    idFromName: (name: string) => API_KEY.idFromName(name),
    get: (id: DurableObjectId) =>
      new Proxy(API_KEY.get(id), {
        get(stub, method) {
          const target = stub as unknown as Record<string | symbol, (...args: unknown[]) => unknown>;
          return (...args: unknown[]) => {
            if (!isSevered) return target[method]?.(...args);
            attempts++;
            return Promise.reject(new Error("the object is out of reach"));
          };
        },
      }),
  };
  return {
    env: { ...testEnv, API_KEY: namespace as unknown as DurableObjectNamespace },
    sever: (next) => {
      isSevered = next;
    },
    attempts: () => attempts,
  };
}
