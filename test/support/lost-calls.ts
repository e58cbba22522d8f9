// Bindings whose objects can be put out of reach, method by method, as the platform tells it.

import type { Env } from "../../src/env.ts";
import { testEnv } from "./counting-env.ts";

type Binding = "TOOL_REGISTRY" | "API_KEY" | "SESSION_HUB";
/** A call that never arrives, or one that is carried out and whose answer is lost. */
type Loss = "request" | "answer";

export interface LosingEnv {
  env: Pick<Env, Binding>;
  /** So many calls of a method, or all from now on. */
  lose: (binding: Binding, method: string, what: Loss, times?: number) => void;
}

export function losingEnv(): LosingEnv {
  const losses = new Map<string, { what: Loss; times: number }>();
  const losing = (binding: Binding): DurableObjectNamespace => {
    const namespace = testEnv[binding];
    return {
      idFromName: (name: string) => namespace.idFromName(name),
      get: (id: DurableObjectId) =>
        new Proxy(namespace.get(id), {
          get(stub, method) {
            const target = stub as unknown as Record<string | symbol, (...args: unknown[]) => Promise<unknown>>;
            return async (...args: unknown[]) => {
              const held = losses.get(`${binding}.${String(method)}`);
              const loss = held && held.times-- > 0 ? held.what : undefined;
              if (loss === "request") throw connectionLost();
              const answer = await target[method]?.(...args);
              if (loss === "answer") throw connectionLost();
              return answer;
            };
          },
        }),
    } as unknown as DurableObjectNamespace;
  };
  const env = {
    TOOL_REGISTRY: losing("TOOL_REGISTRY"),
    API_KEY: losing("API_KEY"),
    SESSION_HUB: losing("SESSION_HUB"),
  };
  return {
    env,
    lose: (binding, method, what, times = Infinity) => void losses.set(`${binding}.${method}`, { what, times }),
  };
}

const connectionLost = (): Error => Object.assign(new Error("Network connection lost."), { retryable: true });
