// What lint says, and to whose clients it matters.

import { LIMITS } from "../lib/limits.ts";
import { countOf } from "../lib/count-of.ts";

export const CLIENTS = ["claude", "openai", "gemini", "cursor", "vscode"] as const;

/** `openai` is the API, Codex and ChatGPT, `vscode` Copilot in its editors and terminal, `claude` the API and its apps. */
export type Client = (typeof CLIENTS)[number] | "all";

/**
 * `error`: the client refuses the tool, or with it the whole list. `warning`: some of its ways do, or it leaves out or
 * changes what it was told. `info`: good to know.
 */
export type Level = "error" | "warning" | "info";

export interface Verdict {
  client: Client;
  /** A JSON pointer (RFC 6901) into the definition, to where something is or is missing. Empty for a whole list. */
  path: string;
  rule: string;
  level: Level;
  message: string;
  /** Whose definition, in verdicts on a list. */
  tool?: string;
}

/** Adds one step to a JSON pointer. */
export const pointTo = (path: string, key: string | number): string =>
  `${path}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;

const RANK: Record<Level, number> = { error: 0, warning: 1, info: 2 };

/** The worst first, and of one rule and client no more than `LIMITS.lintPlaces`, the last of which tells how many. */
export function sumUp(verdicts: readonly Verdict[]): Verdict[] {
  const counts = new Map<string, number>();
  const keyOf = ({ client, rule, level }: Verdict): string => `${client} ${rule} ${level}`;
  const kept = verdicts.filter((verdict) => {
    const count = (counts.get(keyOf(verdict)) ?? 0) + 1;
    counts.set(keyOf(verdict), count);
    return count <= LIMITS.lintPlaces;
  });
  const last = new Map(kept.map((verdict) => [keyOf(verdict), verdict]));
  return kept
    .map((verdict) => {
      const more = (counts.get(keyOf(verdict)) ?? 0) - LIMITS.lintPlaces;
      const tellsMore = more > 0 && last.get(keyOf(verdict)) === verdict;
      return tellsMore
        ? { ...verdict, message: `${verdict.message} The same in ${countOf(more, "more place")}.` }
        : verdict;
    })
    .toSorted((a, b) => RANK[a.level] - RANK[b.level]);
}
