// `tools/list`: never older than the registry's current version, and serialized once for all who see the same.

import { signingSecrets } from "../env.ts";
import { hidesTools, isToolAllowed } from "../keys/tool-rules.ts";
import type { JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { LruMap } from "../lib/lru-map.ts";
import { codecOf } from "../protocol/codec.ts";
import { decodeCursor, encodeCursor } from "../protocol/cursor.ts";
import { withOwnTtl } from "../protocol/modern-codec.ts";
import { describeTool, type Catalogue } from "../registry/catalogue.ts";
import type { RequestScope } from "./scope.ts";

/** Serialized pages by (version, revision, what the key may see, whose cursor, where it goes on). */
export type ListBodies = LruMap<string, string>;

export const createListBodies = (): ListBodies => new LruMap(LIMITS.listBodies);

/** The result, serialized. Throws `ProtocolError` for a bad cursor. */
export async function listTools(params: JsonObject, scope: RequestScope): Promise<string> {
  const { cursor } = params;
  const secrets = signingSecrets(scope.env);
  const after = cursor === undefined ? "" : await decodeCursor(secrets, scope.facts.keyId, cursor);
  const catalogue = await scope.isolate.snapshot.readForList(scope.env, scope.waitUntil);
  const name = bodyName(catalogue, scope, after);
  const bodies = scope.isolate.listBodies;
  return withOwnTtl(bodies.get(name) ?? bodies.set(name, await encodePage(catalogue, scope, after)));
}

/** A page that goes on has a cursor bound to one key; a catalogue that fits on one page is the same for all. */
function bodyName({ version, tools }: Catalogue, { revision, facts }: RequestScope, after: string): string {
  const reader = tools.length > LIMITS.listPageItems ? facts.keyId : "";
  const rules = hidesTools(facts.tools) ? facts.tools : null;
  return JSON.stringify([version, revision.name, rules, reader, after]);
}

async function encodePage(
  catalogue: Catalogue,
  { env, facts, revision }: RequestScope,
  after: string,
): Promise<string> {
  const visible = catalogue.tools.filter(({ name }) => name > after && isToolAllowed(facts.tools, name));
  const shown = visible.slice(0, LIMITS.listPageItems);
  const last = shown.at(-1);
  const more = visible.length > shown.length && last !== undefined;
  const nextCursor = more ? await encodeCursor(signingSecrets(env), facts.keyId, last.name) : undefined;
  const tools = shown.map(({ tool, row }) => describeTool(tool, row));
  const page = { tools, nextCursor, private: hidesTools(facts.tools) || more || after !== "" };
  return JSON.stringify(codecOf(revision).encodeToolPage(page, revision));
}
