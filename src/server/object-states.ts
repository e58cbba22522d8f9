// How the objects are that every deployment has: each is asked once, for a bounded time, all at the same time.

import { auditLogStub, hubStub, registryStub, type Env } from "../env.ts";
import { withDeadline } from "../lib/deadline.ts";
import { LIMITS } from "../lib/limits.ts";
import { logFailure } from "../telemetry/log.ts";

/** One object; `ms` is how long it took to say so. What it told stands beside that. */
export type ObjectState = { name: string; state: "ok" | "unreachable"; ms: number } & Record<string, unknown>;

export interface ObjectStates {
  registry: ObjectState[];
  auditLogs: ObjectState[];
  /** Hubs on the roster, of many the first ones. */
  hubs: ObjectState[];
}

export async function readObjects(env: Env): Promise<ObjectStates> {
  const shards = Array.from({ length: LIMITS.auditShards }, (_, shard) => shard);
  const [registry, auditLogs, hubs] = await Promise.all([
    probe("registry", () => registryStub(env).readState()),
    Promise.all(shards.map((shard) => probe(`audit:${shard}`, () => auditLogStub(env, shard).readState()))),
    readHubStates(env),
  ]);
  return { registry: [registry], auditLogs, hubs };
}

async function readHubStates(env: Env): Promise<ObjectState[]> {
  const reply = withDeadline(registryStub(env).readHubs(), LIMITS.healthTimeoutMs, "registry");
  // That the registry can't be reached is told once, as its own state.
  const names = await reply.catch(() => []);
  return Promise.all(
    names.slice(0, LIMITS.healthHubs).map((name) =>
      probe(name, async () => {
        const { total, awakeSinceMs } = await hubStub(env, name).readStatus(0);
        return { sockets: total, awakeSince: new Date(awakeSinceMs).toISOString() };
      }),
    ),
  );
}

async function probe(name: string, ask: () => Promise<object>): Promise<ObjectState> {
  const askedAtMs = Date.now();
  const msSince = (): number => Date.now() - askedAtMs;
  try {
    const { v: _, ...told } = (await withDeadline(ask(), LIMITS.healthTimeoutMs, name)) as Record<string, unknown>;
    return { name, state: "ok", ms: msSince(), ...told };
  } catch (error) {
    logFailure("object_unreachable", name, error);
    return { name, state: "unreachable", ms: msSince() };
  }
}
