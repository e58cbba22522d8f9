import type { JSX } from "preact";
import type { ToolSourceView, ToolView } from "../../api/tools-api.ts";
import { Badge, type Tone } from "../../parts/surface.tsx";

/** What a tool may do, by its hints and MCP's defaults for those that it lacks. */
export interface Risk {
  readsOnly: boolean;
  destroys: boolean;
  isOpen: boolean;
}

export function riskOf(tool: Hinted): Risk {
  const { readOnlyHint, destructiveHint, openWorldHint } = annotationsOf(tool);
  return {
    readsOnly: readOnlyHint === true,
    destroys: readOnlyHint !== true && destructiveHint !== false,
    isOpen: openWorldHint ?? !isShutIn(tool.source),
  };
}

/** A module that may reach no host has no way out, whatever its hints leave unsaid. */
const isShutIn = (source: ToolSourceView): boolean => source.kind === "code" && (source.egress ?? []).length === 0;

type Hinted = Pick<ToolView, "annotations" | "source">;

/** An operator's over those of an upstream, as calls and lists have them. */
const annotationsOf = ({ annotations, source }: Hinted): NonNullable<ToolView["annotations"]> => ({
  ...(source.kind === "upstream" && source.annotations),
  ...annotations,
});

/** Its annotations as badges; what is only a default says so. */
export function ToolBadges({ tool }: { tool: ToolView }): JSX.Element {
  const annotations = annotationsOf(tool);
  const { readsOnly, destroys, isOpen } = riskOf(tool);
  const effect: [Tone, string, string] = readsOnly
    ? ["ok", "reads only", "It changes nothing (readOnlyHint)"]
    : destroys
      ? [
          "danger",
          "may destroy",
          `It may change or delete things (destructiveHint${byDefault(annotations.destructiveHint)})`,
        ]
      : ["info", "only adds", "It changes things and destroys none (destructiveHint: false)"];
  return (
    <span class="row close">
      <Badge tone={effect[0]} title={effect[2]}>
        {effect[1]}
      </Badge>
      {isOpen && (
        <Badge
          tone="warn"
          title={`It deals with the outside world (openWorldHint${byDefault(annotations.openWorldHint)})`}
        >
          open world
        </Badge>
      )}
      {annotations.idempotentHint === true && !readsOnly && (
        <Badge title="The same call again changes nothing more (idempotentHint)">repeatable</Badge>
      )}
    </span>
  );
}

const byDefault = (hint: boolean | undefined): string =>
  hint === undefined ? ", by default: it has no such hint" : "";

/** Where a tool comes from, in a word or two. */
export function originOf({ source, origin }: Pick<ToolView, "source" | "origin">): string {
  if (origin?.startsWith("openapi:")) return `OpenAPI ${origin.slice("openapi:".length)}`;
  return ORIGINS[source.kind];
}

const ORIGINS: Record<ToolSourceView["kind"], string> = {
  builtin: "Built in",
  http: "HTTP",
  code: "Code",
  upstream: "Upstream",
};
