// `/admin/v1/upstreams`: other MCP servers whose tools are served here. Listed at once when they change, and when asked.

import { Hono, type Context } from "hono";
import { registryStub } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { untilListed } from "../registry/until-listed.ts";
import type { UpstreamRow } from "../registry/upstream-contract.ts";
import { refreshUpstream, type Refreshed } from "../server/refresh-upstream.ts";
import { egressOf, hopsOf, ownHosts, type Isolate } from "../server/scope.ts";
import { checkUpstream, headerSecrets, UPSTREAM_NAME, UpstreamSchema } from "../tools/upstream/upstream-record.ts";
import type { AdminEnv } from "./admin-auth.ts";
import { parseAdminBody } from "./admin-body.ts";
import { parseIfMatch, toEtag, versionMismatch } from "./edit-tools.ts";
import { HttpError } from "./problem.ts";
import { findUnset } from "./unset-secrets.ts";

/** The routes for an isolate's caches. */
export const adminUpstreams = (isolate: Isolate) =>
  new Hono<AdminEnv>()
    .get("/", async ({ env, json }) => {
      const { upstreams, version } = await registryStub(env).readUpstreams();
      return json({ version, upstreams: upstreams.map(viewUpstream) }, 200, tagged(version));
    })
    .get("/:name", async ({ req, env, json }) => {
      const { upstreams, version } = await registryStub(env).readUpstreams([req.param("name")]);
      const [row] = upstreams;
      if (!row) throw noUpstream(req.param("name"));
      return json({ version, ...viewUpstream(row) }, 200, tagged(version));
    })
    .put("/:name", async (c) => {
      const { req, env, var: vars } = c;
      const name = parseName(req.param("name"));
      const record = await parseAdminBody(req.raw, UpstreamSchema);
      const { EGRESS_ALLOW = "", ALLOWED_HOSTS = "" } = env;
      const own = ownHosts(hostOf(req.raw), ALLOWED_HOSTS);
      const faults = checkUpstream(record, { allow: EGRESS_ALLOW, ownHosts: own });
      if (faults.length > 0) {
        throw new HttpError(400, "invalid_body", faults.map(({ path, message }) => `${path}: ${message}`).join("; "));
      }
      const ifVersion = parseIfMatch(req.header("if-match"));
      const written = await registryStub(env).writeUpstream(name, record, vars.who, ifVersion);
      if (written.outcome === "version_mismatch") throw versionMismatch(written.version);
      if (written.outcome === "full") {
        const detail = `There are ${LIMITS.upstreams} upstreams already, the most there can be`;
        throw new HttpError(409, "too_many_upstreams", detail);
      }
      const unset = await findUnset(env, headerSecrets(record.headers));
      const view = { ...(await refresh(isolate, name, c)), ...(unset.length > 0 && { unsetSecrets: unset }) };
      return c.json(view, written.created ? 201 : 200, tagged(view.version));
    })
    .post("/:name/refresh", async (c) => c.json(await refresh(isolate, c.req.param("name"), c)))
    .delete("/:name", async ({ req, env, var: { who }, json }) => {
      const name = req.param("name");
      const deleted = await registryStub(env).deleteUpstream(name, who, parseIfMatch(req.header("if-match")));
      if (deleted.outcome === "version_mismatch") throw versionMismatch(deleted.version);
      if (deleted.outcome === "unknown_upstream") throw noUpstream(name);
      await untilListed(deleted);
      return json({ name, status: "deleted", version: deleted.version }, 200, tagged(deleted.version));
    });

const tagged = (version: number | undefined): Record<string, string> =>
  version === undefined ? {} : { etag: toEtag(version) };

type AdminContext = Context<AdminEnv>;

async function refresh(isolate: Isolate, name: string, { req, env, var: { who }, executionCtx }: AdminContext) {
  const waitUntil = (work: Promise<unknown>): void => executionCtx.waitUntil(work);
  const egress = egressOf(
    env,
    () => hostOf(req.raw),
    () => hopsOf(req.raw.headers),
  );
  const refreshed = await refreshUpstream(name, { isolate, env, waitUntil, egress, who, isAsked: true });
  if (!refreshed) throw noUpstream(name);
  return viewRefreshed(refreshed);
}

const viewRefreshed = ({ row, version }: Refreshed) => ({
  ...(version !== undefined && { version }),
  ...viewUpstream(row),
});

function viewUpstream({ name, record, status }: UpstreamRow) {
  const {
    state,
    sinceMs,
    triedAtMs,
    refreshedAtMs,
    reason,
    revision,
    tools,
    skipped,
    excluded = [],
    warnings,
  } = status;
  const { enabled = true, ...rest } = record;
  return {
    name,
    ...rest,
    enabled,
    status: {
      state: enabled ? state : "off",
      since: toTime(sinceMs),
      ...(triedAtMs !== undefined && { triedAt: toTime(triedAtMs) }),
      ...(refreshedAtMs !== undefined && { refreshedAt: toTime(refreshedAtMs) }),
      ...(state === "failing" && enabled && { reason }),
      ...(revision !== undefined && { revision }),
      tools,
      skipped,
      excluded,
      warnings,
    },
  };
}

const toTime = (atMs: number): string => new Date(atMs).toISOString();

const hostOf = ({ url }: Request): string => new URL(url).host;

function parseName(name: string): string {
  if (UPSTREAM_NAME.test(name)) return name;
  throw new HttpError(400, "invalid_name", `An upstream's name must match ${UPSTREAM_NAME.source}`);
}

const noUpstream = (name: string): HttpError =>
  new HttpError(404, "not_found", `There is no upstream ${JSON.stringify(name.slice(0, LIMITS.toolNameChars))}`);
