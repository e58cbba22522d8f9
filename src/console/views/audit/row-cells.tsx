import type { JSX } from "preact";
import type { AdminRow } from "../../api/audit-api.ts";
import { hrefOf } from "../../router.ts";

const NO_KEYS: Record<string, string> = {
  admin: "the admin key",
  deploy: "a deploy",
  refresh: "a refresh by itself",
  "": "nobody known",
};

/** Whose key it is, with the way to it; the deployment's own has no page. */
export const KeyName = ({ id, names }: { id: string; names: ReadonlyMap<string, string> }): JSX.Element => {
  const other = NO_KEYS[id];
  if (other !== undefined) return <span class="soft nowrap">{other}</span>;
  const name = names.get(id);
  return (
    <a
      class={name === undefined ? "mono anywhere" : "anywhere clamped-name"}
      href={hrefOf(["keys", "key", id])}
      title={name === undefined ? id : `${name} (${id})`}
    >
      {name ?? id}
    </a>
  );
};

/** What may be said of an action's detail besides whether something is enabled: that it was about this, not what it was. */
const TOUCHED: Record<string, readonly string[]> = {
  "tool.change": ["cost", "annotations"],
  "key.change": ["name", "tools", "limits", "expiresAt", "scopes", "discovery"],
};

/** Such as `tool.change tone: disabled, cost`. */
export function describeAction({ action, target, detail }: AdminRow): string {
  const what = `${action} ${target}`.trimEnd();
  if (typeof detail !== "object" || detail === null) return what;
  const { enabled } = detail as { enabled?: unknown };
  const state = typeof enabled === "boolean" ? [enabled ? "enabled" : "disabled"] : [];
  const words = [...state, ...(TOUCHED[action] ?? []).filter((name) => Object.hasOwn(detail, name))];
  return words.length > 0 ? `${what}: ${words.join(", ")}` : what;
}
