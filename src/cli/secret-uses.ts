// Who names a secret, as the admin API tells of tools and upstreams. Values are nowhere in it.

import { callAdmin, isObject, type AdminServer, type JsonObject } from "./admin-api.ts";
import { cell } from "./text-cell.ts";

// More than these are counted.
const MAX_NAMED = 5;

const NAMED = /\{\{secret:([A-Za-z_]\w*)\}\}/g;

/** Names of tools and upstreams by the secret's. An upstream's tools share its headers: it stands for them. */
export async function readSecretUses(server: AdminServer): Promise<Map<string, string[]>> {
  const [{ tools }, { upstreams }] = await Promise.all([
    callAdmin(server, "GET", "/tools"),
    callAdmin(server, "GET", "/upstreams"),
  ]);
  const named = [
    ...objectsIn(tools).flatMap((tool) => secretsOfTool(tool).map((secret) => ({ secret, user: cell(tool["name"]) }))),
    ...objectsIn(upstreams).flatMap(({ name, headers }) =>
      secretsIn(headers).map((secret) => ({ secret, user: `upstream ${cell(name)}` })),
    ),
  ];
  const uses = Map.groupBy(named, ({ secret }) => secret);
  return new Map([...uses].map(([secret, users]) => [secret, [...new Set(users.map(({ user }) => user))]]));
}

/** The first of them by name, and how many more there are. */
export function usesText(users: readonly string[] = []): string {
  const more = users.length - MAX_NAMED;
  return [...users.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

function secretsOfTool({ source }: JsonObject): string[] {
  if (!isObject(source)) return [];
  if (source["kind"] === "http") return secretsIn([source["query"], source["headers"]]);
  return source["kind"] === "code" && Array.isArray(source["secrets"]) ? source["secrets"].map(String) : [];
}

const secretsIn = (texts: unknown): string[] =>
  [...JSON.stringify(texts ?? {}).matchAll(NAMED)].flatMap(([, name]) => name ?? []);

const objectsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
