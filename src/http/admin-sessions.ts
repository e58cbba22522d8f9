// `/admin/v1/sessions`: who listens right now, as the hubs on the roster tell it.

import { Hono } from "hono";
import * as v from "valibot";
import { hubStub, registryStub, type Env } from "../env.ts";
import { isKeyId } from "../keys/key-format.ts";
import { withDeadline } from "../lib/deadline.ts";
import { LIMITS } from "../lib/limits.ts";
import type { HubListener } from "../sessions/hub-contract.ts";
import { logFailure } from "../telemetry/log.ts";
import { parseAdminQuery } from "./admin-body.ts";

const QuerySchema = v.strictObject({
  key: v.exactOptional(v.pipe(v.string(), v.check(isKeyId, "expected a key's id"))),
});

export const adminSessions = new Hono<{ Bindings: Env }>().get("/", async ({ req, env, json }) => {
  const { key } = parseAdminQuery(req.query(), QuerySchema);
  const hubs = await registryStub(env).readHubs();
  const answers = await Promise.all(hubs.map((hub) => readHub(env, hub, key)));
  return json({
    total: answers.reduce((sum, { hub }) => sum + hub.sessions, 0),
    hubs: answers.map(({ hub }) => hub),
    sessions: answers.flatMap(({ sessions }) => sessions).slice(0, LIMITS.sessionsListed),
  });
});

/** A hub that can't be reached is told as such: it may hold sockets all the same. */
async function readHub(env: Env, hub: string, keyId: string | undefined) {
  try {
    const status = hubStub(env, hub).readStatus(LIMITS.sessionsListed, keyId);
    const { awakeSinceMs, total, listeners } = await withDeadline(status, LIMITS.publishTimeoutMs, "hub");
    const awakeSince = new Date(awakeSinceMs).toISOString();
    return {
      hub: { hub, reached: true, sessions: total, awakeSince },
      sessions: listeners.map((listener) => toView(hub, listener)),
    };
  } catch (error) {
    logFailure("hub_unreachable", hub, error);
    return { hub: { hub, reached: false, sessions: 0 }, sessions: [] };
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
