import { env } from "cloudflare:workers";
import type { Env } from "../../src/env.ts";

/** The test Worker's bindings, as the code under test types them. */
export const testEnv = env as unknown as Env;

type Binding = "TOOL_REGISTRY" | "API_KEY" | "SESSION_HUB";

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
