// Bindings whose objects can be put out of reach, method by method, as the platform tells it.

import type { Env } from "../../src/env.ts";
import { testEnv } from "./counting-env.ts";

type Binding = "TOOL_REGISTRY" | "API_KEY" | "SESSION_HUB";
/** A call that never arrives, or one that is carried out and whose answer is lost. */
type Loss = "request" | "answer";

export function losingEnv(): { env: Pick<Env, Binding>; lose: (binding: Binding, method: string, what: Loss) => void } {
  const losses = new Map<string, Loss>();
  const losing = (binding: Binding): DurableObjectNamespace => {
    const namespace = testEnv[binding];
    return {
      idFromName: (name: string) => namespace.idFromName(name),
      get: (id: DurableObjectId) =>
        new Proxy(namespace.get(id), {
          get(stub, method) {
            const target = stub as unknown as Record<string | symbol, (...args: unknown[]) => Promise<unknown>>;
            return async (...args: unknown[]) => {
              const loss = losses.get(`${binding}.${String(method)}`);
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
  return { env, lose: (binding, method, what) => void losses.set(`${binding}.${method}`, what) };
}

const connectionLost = (): Error => Object.assign(new Error("Network connection lost."), { retryable: true });
