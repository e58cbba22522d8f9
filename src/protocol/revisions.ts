// The one table of protocol revisions: which era each belongs to and which features its schema has words for.
// MCP specification, schema/<revision>/schema.ts of each.

export type Era = "legacy" | "modern";

export interface Revision {
  name: string;
  era: Era;
  /** JSON-RPC batches: in 2025-03-26 alone. */
  batches: boolean;
  toolAnnotations: boolean;
  audio: boolean;
  /** `title` on tools and implementations, `outputSchema`, `structuredContent`, `resource_link`, `_meta` on content. */
  structured: boolean;
  icons: boolean;
  /** Whether progress has a `message`. */
  progressMessage: boolean;
  /** Whether the user can be asked: `elicitation/create`. */
  elicitation: boolean;
  /** Whether the user can be sent to a URL by it. */
  urlElicitation: boolean;
  /** Whether a form may have lists and titled choices. */
  listElicitation: boolean;
  /** Whether a message to the client's model may be a list of content. */
  listSampling: boolean;
  /** Whether a stream starts with an event to come back from (2025-11-25, basic/transports). */
  polling: boolean;
  /** `structuredContent` and `outputSchema` may be other than objects. */
  anyStructured: boolean;
}

const FIRST: Omit<Revision, "name" | "era"> = {
  batches: false,
  toolAnnotations: false,
  audio: false,
  structured: false,
  icons: false,
  progressMessage: false,
  elicitation: false,
  urlElicitation: false,
  listElicitation: false,
  listSampling: false,
  polling: false,
  anyStructured: false,
};
const SINCE_2025_03_26 = { ...FIRST, toolAnnotations: true, audio: true, progressMessage: true };
const SINCE_2025_06_18 = { ...SINCE_2025_03_26, structured: true, elicitation: true };
const SINCE_2025_11_25 = {
  ...SINCE_2025_06_18,
  icons: true,
  urlElicitation: true,
  listElicitation: true,
  listSampling: true,
};

/** Newest first, as `supportedVersions` tells them. */
export const REVISIONS: readonly Revision[] = [
  { name: "2026-07-28", era: "modern", ...SINCE_2025_11_25, anyStructured: true },
  { name: "2025-11-25", era: "legacy", ...SINCE_2025_11_25, polling: true },
  { name: "2025-06-18", era: "legacy", ...SINCE_2025_06_18 },
  { name: "2025-03-26", era: "legacy", ...SINCE_2025_03_26, batches: true },
  { name: "2024-11-05", era: "legacy", ...FIRST },
];

export const REVISION_NAMES: readonly string[] = REVISIONS.map(({ name }) => name);

const byName = new Map(REVISIONS.map((revision) => [revision.name, revision]));

export const findRevision = (name: unknown): Revision | undefined =>
  typeof name === "string" ? byName.get(name) : undefined;

/** A revision that is known to be in the table. */
export function revisionNamed(name: string): Revision {
  const revision = byName.get(name);
  if (!revision) throw new Error(`no revision ${name}`);
  return revision;
}

/** What a request without `MCP-Protocol-Version` and without a session speaks (2025-06-18, basic/transports). */
export const ASSUMED_REVISION = revisionNamed("2025-03-26");

const NEWEST_LEGACY = revisionNamed("2025-11-25");

/** The answer to `initialize`: the version asked for if it is a legacy one, else the newest (2025-11-25, lifecycle). */
export function negotiateRevision(asked: unknown): Revision {
  const revision = findRevision(asked);
  return revision?.era === "legacy" ? revision : NEWEST_LEGACY;
}
