// `/admin/v1/sessions`: who listens right now, as the hubs on the roster tell it.

import { Hono } from "hono";
import { hubStub, registryStub, type Env } from "../env.ts";
import { withDeadline } from "../lib/deadline.ts";
import { LIMITS } from "../lib/limits.ts";
import type { HubListener } from "../sessions/hub-contract.ts";
import { logFailure } from "../telemetry/log.ts";

export const adminSessions = new Hono<{ Bindings: Env }>().get("/", async ({ env, json }) => {
  const hubs = await registryStub(env).readHubs();
  const answers = await Promise.all(hubs.map((hub) => listHub(env, hub)));
  const sessions = answers.flatMap(({ sessions }) => sessions);
  return json({
    total: sessions.length,
    hubs: answers.map(({ hub, reached, sessions }) => ({ hub, reached, sessions: sessions.length })),
    sessions: sessions.slice(0, LIMITS.sessionsListed),
  });
});

/** A hub that can't be reached is told as such: it may hold sockets all the same. */
async function listHub(env: Env, hub: string) {
  try {
    const listeners = await withDeadline(hubStub(env, hub).list(), LIMITS.publishTimeoutMs, "hub");
    return { hub, reached: true, sessions: listeners.map((listener) => toView(hub, listener)) };
  } catch (error) {
    logFailure("hub_unreachable", hub, error);
    return { hub, reached: false, sessions: [] };
  }
}

const toView = (hub: string, { kind, keyId, openedAtMs, revision, client }: HubListener) => ({
  kind,
  keyId,
  openedAt: new Date(openedAtMs).toISOString(),
  ...(revision !== undefined && { revision }),
  ...(client && { client }),
  hub,
});
