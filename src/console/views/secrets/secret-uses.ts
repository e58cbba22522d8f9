// Which tools and upstreams name a secret. Values are nowhere in what is read here.

import type { ToolView } from "../../api/tools-api.ts";
import type { UpstreamView } from "../../api/upstreams-api.ts";

export interface SecretUse {
  kind: "tool" | "upstream";
  name: string;
}

const NAMED = /\{\{secret:([A-Za-z_]\w*)\}\}/g;

const namesIn = (texts: unknown): string[] =>
  [...JSON.stringify(texts ?? {}).matchAll(NAMED)].flatMap(([, name]) => name ?? []);

/** Uses by the secret's name. The tools of an upstream share its headers: the upstream stands for them. */
export function findUses(tools: readonly ToolView[], upstreams: readonly UpstreamView[]): Map<string, SecretUse[]> {
  const uses = new Map<string, SecretUse[]>();
  const add = (names: readonly string[], use: SecretUse): void => {
    for (const name of new Set(names)) uses.set(name, [...(uses.get(name) ?? []), use]);
  };
  for (const { name, source } of tools) {
    if (source.kind === "http") add(namesIn([source.query, source.headers]), { kind: "tool", name });
    if (source.kind === "code") add(source.secrets ?? [], { kind: "tool", name });
  }
  for (const { name, headers } of upstreams) add(namesIn(headers), { kind: "upstream", name });
  return uses;
}
