// Another MCP server as an operator names it: `PUT /admin/v1/upstreams/{name}`.

import * as v from "valibot";
import { LIMITS } from "../../lib/limits.ts";
import { strictRecord } from "../../lib/strict-record.ts";
import type { ToolAnnotations } from "../define-tool.ts";
import { faultOfHeaderName, isHeaderValue, judgeDestination } from "../egress.ts";
import { faultOfDoubled, parseTemplate, secretsOf, slotsOf } from "../http-tool/template.ts";

/** No `_`, so that no upstream's prefix is the start of another one's. */
export const UPSTREAM_NAME = /^[A-Za-z0-9][A-Za-z0-9-]{0,31}$/;

const GlobsSchema = v.pipe(
  v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.keyGlobChars))),
  v.maxLength(LIMITS.keyGlobs),
);

export const UpstreamSchema = v.strictObject({
  /** Of its Streamable HTTP endpoint. */
  url: v.pipe(v.string(), v.maxLength(LIMITS.fetchUrlChars)),
  /** Sent with every request; values may have `{{secret:NAME}}`. */
  headers: v.exactOptional(
    v.pipe(
      strictRecord(
        v.pipe(v.string(), v.maxLength(LIMITS.templateNameChars)),
        v.pipe(v.string(), v.maxLength(LIMITS.upstreamHeaderChars)),
      ),
      v.check(
        (headers) => Object.keys(headers).length <= LIMITS.upstreamHeaders,
        `expected at most ${LIMITS.upstreamHeaders} entries`,
      ),
    ),
  ),
  /** Names of its tools as it has them: those that match one, and those that match none. */
  include: v.exactOptional(GlobsSchema),
  exclude: v.exactOptional(GlobsSchema),
  /** How long a call may take. */
  timeoutMs: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(LIMITS.toolTimeoutMaxMs))),
  /** `true` tells it which trace each call is part of. */
  traceContext: v.exactOptional(v.boolean()),
  /** `false` takes its tools away until it is `true` again. */
  enabled: v.exactOptional(v.boolean()),
});
export type Upstream = v.InferOutput<typeof UpstreamSchema>;

/** Where a tool's upstream is and what it calls the tool: all that a call needs. */
export interface UpstreamSource {
  kind: "upstream";
  upstream: string;
  /** The tool's name there. */
  tool: string;
  url: string;
  headers?: Record<string, string>;
  /** Set where it is told which trace a call is part of. */
  traceContext?: true;
  /** Set where calls need no session. */
  era?: "modern";
  /** What the upstream says of the tool; an operator's own hints are laid over it. */
  annotations?: ToolAnnotations;
  /** Servers of this kind that it came through, where the tool is from first. */
  passed?: string[];
  /** The upstream is switched off. */
  off?: true;
}

// The protocol's own, and what every request of ours has.
const OURS = /^(?:mcp-.*|accept|content-type|last-event-id)$/i;

export interface Judged {
  path: string;
  message: string;
}

/** All that is wrong with a record besides its shape; `allow` as `EGRESS_ALLOW`, `ownHosts` as `Host` headers have them. */
export function checkUpstream(
  { url, headers = {} }: Upstream,
  { allow, ownHosts }: { allow: string; ownHosts: string[] },
): Judged[] {
  const parsed = URL.parse(url);
  const refusal = parsed ? judgeDestination({ allow, ownHosts })(parsed) : "it is not a URL";
  return [
    ...(refusal === undefined ? [] : [{ path: "url", message: `URL refused: ${refusal}` }]),
    ...Object.entries(headers).flatMap(([name, value]) =>
      faultsOfHeader(name, value).map((message) => ({ path: `headers.${name}`, message })),
    ),
  ];
}

function faultsOfHeader(name: string, value: string): string[] {
  const nameFault = OURS.test(name) ? `${name} can't be set` : faultOfHeaderName(name);
  const { parts, faults, doubled } = parseTemplate(value);
  const hasText = parts.every((part) => part.kind !== "text" || isHeaderValue(part.text));
  return [
    ...(nameFault === undefined ? [] : [nameFault]),
    ...faults,
    ...doubled.flatMap((name) => faultOfDoubled(name) ?? []),
    ...(slotsOf(parts).length > 0 ? ["only {{secret:NAME}} can stand here: there are no arguments"] : []),
    ...(hasText ? [] : ["the value must be printable ASCII on one line"]),
  ];
}

/** The names of the secrets that headers need. */
export const headerSecrets = (headers: Record<string, string> = {}): string[] => [
  ...new Set(Object.values(headers).flatMap((value) => secretsOf(parseTemplate(value).parts))),
];

/** Headers with their secrets filled in. */
export const fillHeaders = (
  headers: Record<string, string> = {},
  secrets: ReadonlyMap<string, string>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      parseTemplate(value)
        .parts.map((part) => (part.kind === "text" ? part.text : (secrets.get(part.name) ?? "")))
        .join(""),
    ]),
  );
