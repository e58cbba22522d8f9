// Lists an upstream's tools and makes the catalogue follow, as one version. It runs where requests run: the registry is told
// what came of it, and never waits for a stranger.

import { registryStub, type Env, type WaitUntil } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { takeTurns } from "../lib/take-turns.ts";
import { untilListed } from "../registry/until-listed.ts";
import type { UpstreamRow, UpstreamStatus } from "../registry/upstream-contract.ts";
import { planUpstream, type UpstreamPlan } from "../registry/upstream-plan.ts";
import { createRedactor } from "../sanitize/secrets.ts";
import { logEvent, logFailure } from "../telemetry/log.ts";
import type { Egress } from "../tools/egress.ts";
import { readSecrets } from "../tools/read-secrets.ts";
import { ToolError } from "../tools/tool-error.ts";
import { withoutSecrets } from "../tools/without-secrets.ts";
import type { UpstreamLink } from "../tools/upstream/exchange.ts";
import { listUpstreamTools, type UpstreamList } from "../tools/upstream/list-upstream-tools.ts";
import { readPassed } from "../tools/upstream/passed-servers.ts";
import { fillHeaders, headerSecrets } from "../tools/upstream/upstream-record.ts";
import { deploymentName } from "./deployment-name.ts";
import type { Isolate } from "./scope.ts";

export interface RefreshScope {
  isolate: Pick<Isolate, "secrets" | "snapshot">;
  env: Env;
  waitUntil: WaitUntil;
  egress: Egress;
  who: string;
  /** Whether an operator asked: then it is done although it was done just now, else as soon as that is a while ago. */
  isAsked: boolean;
}

/** What a list gave: the tools, or why there are none. */
type Listing = { list: UpstreamList } | { reason: string } | { off: true };

/** How an upstream stands, and the catalogue's version where the list was applied to it. */
export interface Refreshed {
  row: UpstreamRow;
  version?: number;
}

/** Follows an upstream; `undefined` when there is none of this name. */
export async function refreshUpstream(name: string, scope: RefreshScope): Promise<Refreshed | undefined> {
  const row = await readUpstream(name, scope.env);
  if (!row) return undefined;
  const soonestMs = (row.status.triedAtMs ?? 0) + LIMITS.upstreamFloorMs;
  if (!scope.isAsked && Date.now() < soonestMs) {
    await registryStub(scope.env).hastenUpstream(name, soonestMs);
    return { row };
  }
  const deployment = await deploymentName(scope.env);
  const listing = refuseItself(await listOrReason(row, scope), deployment);
  if ("reason" in listing) logEvent("warn", "upstream_failing", { upstream: name, reason: listing.reason });
  const version = await applyListing(row, listing, deployment, scope);
  const after = await readUpstream(name, scope.env);
  return after && { row: after, ...(version !== undefined && { version }) };
}

async function readUpstream(name: string, env: Env): Promise<UpstreamRow | undefined> {
  const { upstreams } = await registryStub(env).readUpstreams([name]);
  return upstreams[0];
}

/** Other changes of the catalogue may come first: then it is worked out again, a few times. */
async function applyListing(
  row: UpstreamRow,
  listing: Listing,
  deployment: string,
  scope: RefreshScope,
): Promise<number | undefined> {
  const { name, edition } = row;
  const { who, isAsked, isolate, env } = scope;
  let [what, isFull] = [listing, false];
  for (let round = 0; round < LIMITS.upstreamRounds; round++) {
    const { version, rows = [] } = await registryStub(env).readSnapshot(-1);
    const planning = planUpstream(row, {
      rows: rows.flatMap((change) => change.row ?? []),
      isBuiltin: (tool) => isolate.snapshot.isBuiltin(tool),
      deployment,
      ...("list" in what && { list: what.list }),
    });
    const plan = await takeTurns(planning);
    const status = toStatus(row.status, what, plan, Date.now());
    const edits = isFull ? [] : plan.edits;
    const change = { v: 1, name, edition, edits, ifVersion: version, status, who, isAsked } as const;
    const applied = await registryStub(env).applyUpstream(change);
    if (applied.outcome === "changed") {
      await untilListed(applied);
      return applied.version;
    }
    // Who changed the upstream meanwhile has it listed as well.
    if (applied.outcome === "upstream_changed") return undefined;
    if (applied.outcome !== "version_mismatch") {
      isFull = true;
      what = { reason: `The catalogue has no room for its tools (${applied.outcome}).` };
    }
  }
  logEvent("warn", "upstream_not_applied", { upstream: name });
  return undefined;
}

/** Its tools would be listed with themselves among them, more each time. */
function refuseItself(listing: Listing, deployment: string): Listing {
  const isOwn =
    "list" in listing && listing.list.tools.some(({ definition }) => readPassed(definition).at(-1) === deployment);
  return isOwn
    ? { reason: "It is this server itself, under another name, or one that has the same SIGNING_SECRET." }
    : listing;
}

function toStatus(old: UpstreamStatus, listing: Listing, plan: UpstreamPlan, nowMs: number): UpstreamStatus {
  if ("off" in listing) return { ...old, tools: 0, skipped: [], excluded: [], warnings: [] };
  const state = "list" in listing ? "ok" : "failing";
  const sinceMs = old.state === state ? old.sinceMs : nowMs;
  if ("list" in listing) {
    const { tools, skipped, excluded, warnings } = plan;
    const { revision } = listing.list.session;
    return { state, sinceMs, triedAtMs: nowMs, refreshedAtMs: nowMs, revision, tools, skipped, excluded, warnings };
  }
  return { ...old, state, sinceMs, triedAtMs: nowMs, reason: listing.reason, tools: plan.tools };
}

async function listOrReason({ name, record }: UpstreamRow, scope: RefreshScope): Promise<Listing> {
  if (record.enabled === false) return { off: true };
  const { isolate, env, waitUntil, egress, isAsked } = scope;
  const end = AbortSignal.timeout(LIMITS.upstreamRefreshMs);
  const missing: string[] = [];
  const readSecret = (secret: string): Promise<string> =>
    (isAsked ? isolate.secrets.readNow(env, secret) : isolate.secrets.read(env, waitUntil, secret)).catch(
      (error: unknown) => {
        missing.push(secret);
        throw error;
      },
    );
  let redactor = createRedactor([]);
  try {
    const secrets = await readSecrets(headerSecrets(record.headers), readSecret);
    redactor = createRedactor([...secrets.values()]);
    const target = { name, url: record.url, headers: fillHeaders(record.headers, secrets), redactor };
    const link: UpstreamLink = { fetch: (url, init) => egress(url, init, end), fetchLater: ignore };
    return { list: await listUpstreamTools(target, link) };
  } catch (error) {
    if (missing.length > 0) return { reason: `The secret ${missing.join(", ")} can't be had.` };
    if (end.aborted) return { reason: `Listing its tools took longer than ${LIMITS.upstreamRefreshMs} ms.` };
    if (error instanceof ToolError) return { reason: redactor.text(error.message) };
    logFailure("upstream_list_failed", name, withoutSecrets(error, redactor));
    return { reason: "Listing its tools failed here; the log says why." };
  }
}

const ignore = (): void => undefined;
