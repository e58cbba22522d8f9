// `tools/list`: never older than the registry's current version, and serialized once for all who see the same.

import { signingSecrets } from "../env.ts";
import { hidesTools } from "../keys/tool-rules.ts";
import type { JsonObject } from "../lib/json-value.ts";
import { stringifyKept } from "../lib/kept-json.ts";
import { LIMITS } from "../lib/limits.ts";
import { codecOf } from "../protocol/codec.ts";
import { decodeCursor, encodeCursor } from "../protocol/cursor.ts";
import { ListPage } from "../protocol/list-page.ts";
import { describeTool, type Catalogue } from "../registry/catalogue.ts";
import type { ToolRow } from "../registry/registry-contract.ts";
import { withPassed } from "../tools/upstream/passed-servers.ts";
import { deploymentName } from "./deployment-name.ts";
import { visibleTools } from "./discovery-tools.ts";
import type { PreparedResult } from "./methods.ts";
import type { RequestScope } from "./scope.ts";

/** Serialized pages by (version, revision, what the key may see, where it goes on). Full, they begin anew: most are old. */
export class ListBodies {
  readonly #pages = new Map<string, ListPage>();
  #bytes = 0;

  get(name: string): ListPage | undefined {
    return this.#pages.get(name);
  }

  set(name: string, page: ListPage): ListPage {
    if (this.#bytes + page.size > LIMITS.listBodiesBytes || this.#pages.size >= LIMITS.listBodies) {
      this.#pages.clear();
      this.#bytes = 0;
    }
    if (page.size > LIMITS.listBodiesBytes || this.#pages.get(name)) return page;
    this.#bytes += page.size;
    this.#pages.set(name, page);
    return page;
  }
}

/** The page. Throws `ProtocolError` for a bad cursor. */
export async function listTools(params: JsonObject, scope: RequestScope): Promise<PreparedResult> {
  const { cursor } = params;
  const secrets = signingSecrets(scope.env);
  const after = cursor === undefined ? "" : await decodeCursor(secrets, scope.facts.keyId, cursor);
  const catalogue = await scope.isolate.snapshot.readForList(scope.env, scope.waitUntil);
  // Told to servers of this kind alone: nobody else can do anything with it.
  const deployment = scope.isFellow ? await deploymentName(scope.env) : undefined;
  const name = bodyName(catalogue, scope, { after, deployment });
  const { listBodies } = scope.isolate;
  const page = listBodies.get(name) ?? listBodies.set(name, encodePage(catalogue, scope, { after, deployment }));
  const { last } = page;
  const nextCursor = last === undefined ? undefined : await encodeCursor(secrets, scope.facts.keyId, last);
  return { encode: (id) => page.encode(id, nextCursor) };
}

interface PagePlace {
  /** The name that it goes on after. */
  after: string;
  /** What this deployment is called, where tools are to say what they came through. */
  deployment: string | undefined;
}

function bodyName({ version }: Catalogue, { revision, facts }: RequestScope, { after, deployment }: PagePlace): string {
  const rules = hidesTools(facts.tools) ? facts.tools : null;
  return JSON.stringify([version, revision.name, rules, facts.discovery ?? false, after, deployment]);
}

function encodePage(
  catalogue: Catalogue,
  { facts, revision }: RequestScope,
  { after, deployment }: PagePlace,
): ListPage {
  const visible = visibleTools(facts, catalogue).filter(({ name }) => name > after);
  const shown = visible.slice(0, LIMITS.listPageItems);
  const last = visible.length > shown.length ? shown.at(-1)?.name : undefined;
  const tools = shown.flatMap(({ definition, row }) => {
    if (!definition) return [];
    const described = describeTool({ definition }, row);
    return [deployment === undefined ? described : withPassed(described, [...passedOf(row), deployment])];
  });
  const isOwn = facts.discovery || hidesTools(facts.tools) || last !== undefined || after !== "";
  const result = stringifyKept(codecOf(revision).encodeToolPage({ tools, private: isOwn }, revision));
  return new ListPage(result, last);
}

const passedOf = (row: ToolRow | undefined): readonly string[] =>
  row?.record?.source.kind === "upstream" ? (row.record.source.passed ?? []) : [];
