// Bindings whose object calls are late, never arrive, or are carried out without an answer, by a seeded plan.

import type { Env } from "../../../src/env.ts";
import { NO_FAULTS, type FaultPlan } from "./fault-plan.ts";
import { SeededRandom } from "./seeded-random.ts";

let plan: FaultPlan = NO_FAULTS;
let random = new SeededRandom(0);

/** Holds for the isolate, its objects included, until the next plan. */
export function setFaultPlan(next: FaultPlan): void {
  plan = next;
  random = new SeededRandom(next.seed);
}

export function faultyEnv(env: Env): Env {
  return {
    ...env,
    TOOL_REGISTRY: faultyNamespace(env.TOOL_REGISTRY),
    API_KEY: faultyNamespace(env.API_KEY),
    SESSION_HUB: faultyNamespace(env.SESSION_HUB),
    CALL_RELAY: faultyNamespace(env.CALL_RELAY),
    CATALOGUE_REPLICA: faultyNamespace(env.CATALOGUE_REPLICA),
    AUDIT_LOG: faultyNamespace(env.AUDIT_LOG),
  };
}

/** A call with its fate. */
export async function disturb<T>(call: () => Promise<T>): Promise<T> {
  const { delayShare, delayMaxMs, lostRequestShare, lostAnswerShare } = plan;
  const [isLost, isUnheard] = [random.chance(lostRequestShare), random.chance(lostAnswerShare)];
  if (random.chance(delayShare)) await pause(random.int(0, delayMaxMs));
  if (isLost) throw connectionLost();
  const answer = await call();
  if (random.chance(delayShare)) await pause(random.int(0, delayMaxMs));
  if (!isUnheard) return answer;
  if (answer instanceof Response) hangUp(answer);
  throw connectionLost();
}

function faultyNamespace(namespace: DurableObjectNamespace): DurableObjectNamespace {
  return {
    idFromName: (name: string) => namespace.idFromName(name),
    get: (id: DurableObjectId, options?: DurableObjectNamespaceGetDurableObjectOptions) =>
      new Proxy(namespace.get(id, options), {
        get(stub, method) {
          const target = stub as unknown as Record<string | symbol, (...args: unknown[]) => Promise<unknown>>;
          return (...args: unknown[]) => disturb(async () => target[method]?.(...args));
        },
      }),
  } as unknown as DurableObjectNamespace;
}

/** A connection that breaks takes the socket with it that came over it. */
function hangUp({ webSocket }: Response): void {
  webSocket?.accept();
  webSocket?.close(1011, "lost");
}

/** As the platform tells it, of calls that may be tried again and of objects that have too much to do. */
function connectionLost(): Error {
  return random.chance(0.8)
    ? Object.assign(new Error("Network connection lost."), { retryable: true })
    : Object.assign(new Error("Durable Object is overloaded."), { overloaded: true });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
