// Which servers of this kind a tool has come through. They tell each other in their lists, so that one that lists itself,
// under whatever name and through however many others, knows its own tools again.

import { isJsonObject, type JsonObject } from "../../lib/json-value.ts";
import { LIMITS } from "../../lib/limits.ts";
import { OWN_PREFIX } from "../../protocol/reserved-meta.ts";

const MEMBER = `${OWN_PREFIX}passed`;

/** The names of deployments in a tool's `_meta`, where it is from first. */
export function readPassed({ _meta }: JsonObject): string[] {
  const passed = isJsonObject(_meta) ? _meta[MEMBER] : undefined;
  if (!Array.isArray(passed)) return [];
  return passed.filter((name) => typeof name === "string").map((name) => name.slice(0, LIMITS.deploymentNameChars));
}

/** The definition with the names in its `_meta`. */
export const withPassed = <T extends object>(definition: T, passed: readonly string[]): T & { _meta: JsonObject } => ({
  ...definition,
  _meta: { [MEMBER]: passed },
});
