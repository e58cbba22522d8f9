import type { JSX } from "preact";
import { listSecrets } from "../../api/secrets-api.ts";
import type { Sessions, Stats } from "../../api/stats-api.ts";
import { listTools } from "../../api/tools-api.ts";
import { listUpstreams } from "../../api/upstreams-api.ts";
import { useFeed } from "../../feed.ts";
import { countOf } from "../../parts/count-of.ts";
import { Figures, formatCount, type FigureProps } from "../../parts/figure.tsx";
import { Notice } from "../../parts/surface.tsx";
import { useResource } from "../../resource.ts";
import { hrefOf } from "../../router.ts";
import { useSession } from "../../session.ts";
import { findUses } from "../secrets/secret-uses.ts";
import { boundOf } from "./breakdown-card.tsx";

export interface OverviewProps {
  stats: Stats | undefined;
  sessions: Sessions | undefined;
  /** The catalogue's. */
  version: number | undefined;
}

const FEED = {
  off: "no changes heard",
  connecting: "connecting",
  listening: "changes heard",
  lost: "reconnecting",
} as const;

/** The figures that an operator wants first, and what needs looking after. */
export function Overview({ stats, sessions, version }: OverviewProps): JSX.Element {
  const { status } = useFeed();
  const window = stats?.window === "day" ? "in 24 hours" : "in an hour";
  const total = stats?.total;
  const share = (count: number): string =>
    total && total.calls > 0 ? `${((100 * count) / total.calls).toFixed(1)} % of calls` : window;
  const figures: FigureProps[] = [
    { label: "Calls", value: total ? formatCount(total.calls) : "…", note: window, href: hrefOf(["audit"]) },
    {
      label: "Errors",
      value: total ? formatCount(total.errors) : "…",
      note: total ? share(total.errors) : window,
      tone: total && total.errors > 0 ? "danger" : undefined,
    },
    {
      label: "Denied",
      value: total ? formatCount(total.denied) : "…",
      note: total ? share(total.denied) : window,
      tone: total && total.denied > 0 ? "warn" : undefined,
    },
    {
      label: "Latency, median",
      value: total ? boundOf(total.latencyMs.p50) : "…",
      note: total ? `99 % ${boundOf(total.latencyMs.p99)}` : window,
    },
    { label: "Listeners", value: sessions ? formatCount(sessions.total) : "…", note: hubsOf(sessions) },
    {
      label: "Catalogue",
      value: version === undefined ? "–" : `v${version}`,
      note: FEED[status],
      href: hrefOf(["tools"]),
    },
  ];
  return (
    <>
      <Figures label="Overview" figures={figures} />
      <Attention />
    </>
  );
}

const hubsOf = (sessions: Sessions | undefined): string => `at ${countOf(sessions?.hubs.length ?? 0, "hub")}`;

/** What is not as it should be, each with the way to where it is mended. */
function Attention(): JSX.Element | null {
  const { api } = useSession();
  const { changes } = useFeed();
  const upstreams = useResource((signal) => listUpstreams(api, signal), [api, changes]).data?.upstreams;
  const tools = useResource((signal) => listTools(api, signal), [api, changes]).data?.tools;
  const secrets = useResource((signal) => listSecrets(api, signal), [api, changes]).data?.secrets;
  const failing = upstreams?.filter(({ status }) => status.state === "failing") ?? [];
  const stale = secrets?.filter(({ sealedUnder }) => sealedUnder !== "current") ?? [];
  const set = new Set(secrets?.map(({ name }) => name));
  // Where secrets can't be listed, nobody knows which are missing.
  const unset = secrets ? [...findUses(tools ?? [], upstreams ?? []).keys()].filter((name) => !set.has(name)) : [];
  if (failing.length + stale.length + unset.length === 0) return null;
  return (
    <Notice tone="warn">
      {failing.map(({ name, status }) => (
        <span key={name}>
          The upstream <a href={hrefOf(["upstreams", "upstream", name])}>{name}</a> is failing: {status.reason}
        </span>
      ))}
      {stale.length > 0 && (
        <span>
          <a href={hrefOf(["secrets"])}>{countOf(stale.length, "secret is", "secrets are")}</a> not sealed under the
          current key.
        </span>
      )}
      {unset.length > 0 && (
        <span>
          <a href={hrefOf(["secrets"])}>{countOf(unset.length, "secret is", "secrets are")}</a> named by tools or
          upstreams and not set: {unset.join(", ")}. Calls that need {unset.length === 1 ? "it" : "them"} fail.
        </span>
      )}
    </Notice>
  );
}
