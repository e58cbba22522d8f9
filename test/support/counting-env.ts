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

/** The bindings with every call of an object's method recorded, in order. */
export function countingEnv(base: Env = testEnv): { env: Env; calls: ObjectCall[] } {
  const calls: ObjectCall[] = [];
  const record = (binding: Binding): DurableObjectNamespace => recordNamespace(base[binding], binding, calls);
  const env = {
    ...base,
    TOOL_REGISTRY: record("TOOL_REGISTRY"),
    API_KEY: record("API_KEY"),
    SESSION_HUB: record("SESSION_HUB"),
    CATALOGUE_REPLICA: record("CATALOGUE_REPLICA"),
    AUDIT_LOG: record("AUDIT_LOG"),
  };
  return { env, calls };
}

function recordNamespace(
  namespace: DurableObjectNamespace,
  binding: Binding,
  calls: ObjectCall[],
): DurableObjectNamespace {
  return {
    idFromName: (name: string) => namespace.idFromName(name),
    get: (id: DurableObjectId, options?: DurableObjectNamespaceGetDurableObjectOptions) =>
      new Proxy(namespace.get(id, options), {
        get(stub, method) {
          const target = stub as unknown as Record<string | symbol, (...args: unknown[]) => unknown>;
          return (...args: unknown[]) => {
            calls.push({ binding, method: String(method), args });
            return target[method]?.(...args);
          };
        },
      }),
  } as unknown as DurableObjectNamespace;
}
