// Bindings whose objects can be put out of reach, method by method, as the platform tells it.

import { onTestFinished, vi } from "vitest";
import type { Env } from "../../src/env.ts";
import { testEnv } from "./counting-env.ts";

type Binding = "TOOL_REGISTRY" | "API_KEY" | "SESSION_HUB" | "AUDIT_LOG" | "CALL_RELAY";
/** A call that never arrives, one that is carried out and whose answer is lost, or one that is never answered at all. */
type Loss = "request" | "answer" | "silence";

export interface LosingEnv {
  env: Pick<Env, Binding>;
  lose: (binding: Binding, method: string, what: Loss) => void;
  find: (binding: Binding, method: string) => void;
}

export function losingEnv(onSilence: () => void = () => undefined): LosingEnv {
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
              if (loss === "silence") {
                onSilence();
                return new Promise(() => undefined);
              }
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
    AUDIT_LOG: losing("AUDIT_LOG"),
    CALL_RELAY: losing("CALL_RELAY"),
  };
  return {
    env,
    lose: (binding, method, what) => void losses.set(`${binding}.${method}`, what),
    find: (binding, method) => void losses.delete(`${binding}.${method}`),
  };
}

const connectionLost = (): Error => Object.assign(new Error("Network connection lost."), { retryable: true });

/** As `losingEnv`, where the time that somebody waits for an object which stays silent is over at once. */
export function silentEnv(): Omit<LosingEnv, "lose"> & { silence: (binding: Binding, method: string) => void } {
  let isSilent = false;
  const { env, lose, find } = losingEnv(() => (isSilent = true));
  const { setTimeout } = globalThis;
  const timers = vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms: number) => {
    const isOver = isSilent;
    isSilent = false;
    return setTimeout(run, isOver ? 0 : ms);
  }) as never);
  onTestFinished(() => timers.mockRestore());
  return { env, silence: (binding, method) => lose(binding, method, "silence"), find };
}
