// `tools/list`: never older than the registry's current version, and serialized once for all who see the same.

import { signingSecrets } from "../env.ts";
import { hidesTools } from "../keys/tool-rules.ts";
import type { JsonObject } from "../lib/json-value.ts";
import { stringifyKept } from "../lib/kept-json.ts";
import { LIMITS } from "../lib/limits.ts";
import { codecOf } from "../protocol/codec.ts";
import { decodeCursor, encodeCursor } from "../protocol/cursor.ts";
import { withOwnTtl } from "../protocol/modern-codec.ts";
import { describeTool, type Catalogue } from "../registry/catalogue.ts";
import type { ToolRow } from "../registry/registry-contract.ts";
import { withPassed } from "../tools/upstream/passed-servers.ts";
import { deploymentName } from "./deployment-name.ts";
import { visibleTools } from "./discovery-tools.ts";
import type { RequestScope } from "./scope.ts";

/** A page as it is the same for all who see the same; `last` is the tool to go on after. */
interface PageBody {
  body: string;
  last: string | undefined;
}

/** Serialized pages by (version, revision, what the key may see, where it goes on). Full, they begin anew: most are old. */
export class ListBodies {
  readonly #pages = new Map<string, PageBody>();
  #chars = 0;

  get(name: string): PageBody | undefined {
    return this.#pages.get(name);
  }

  set(name: string, page: PageBody): PageBody {
    if (this.#chars + page.body.length > LIMITS.listBodiesChars || this.#pages.size >= LIMITS.listBodies) {
      this.#pages.clear();
      this.#chars = 0;
    }
    if (page.body.length > LIMITS.listBodiesChars || this.#pages.get(name)) return page;
    this.#chars += page.body.length;
    this.#pages.set(name, page);
    return page;
  }
}

/** The result, serialized. Throws `ProtocolError` for a bad cursor. */
export async function listTools(params: JsonObject, scope: RequestScope): Promise<string> {
  const { cursor } = params;
  const secrets = signingSecrets(scope.env);
  const after = cursor === undefined ? "" : await decodeCursor(secrets, scope.facts.keyId, cursor);
  const catalogue = await scope.isolate.snapshot.readForList(scope.env, scope.waitUntil);
  // Told to servers of this kind alone: nobody else can do anything with it.
  const deployment = scope.isFellow ? await deploymentName(scope.env) : undefined;
  const name = bodyName(catalogue, scope, { after, deployment });
  const { listBodies } = scope.isolate;
  const { body, last } =
    listBodies.get(name) ?? listBodies.set(name, encodePage(catalogue, scope, { after, deployment }));
  const page = withOwnTtl(body);
  return last === undefined ? page : withCursor(page, await encodeCursor(secrets, scope.facts.keyId, last));
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
): PageBody {
  const visible = visibleTools(facts, catalogue).filter(({ name }) => name > after);
  const shown = visible.slice(0, LIMITS.listPageItems);
  const last = visible.length > shown.length ? shown.at(-1)?.name : undefined;
  const tools = shown.flatMap(({ definition, row }) => {
    if (!definition) return [];
    const described = describeTool({ definition }, row);
    return [deployment === undefined ? described : withPassed(described, [...passedOf(row), deployment])];
  });
  const isOwn = facts.discovery || hidesTools(facts.tools) || last !== undefined || after !== "";
  return { body: stringifyKept(codecOf(revision).encodeToolPage({ tools, private: isOwn }, revision)), last };
}

const passedOf = (row: ToolRow | undefined): readonly string[] =>
  row?.record?.source.kind === "upstream" ? (row.record.source.passed ?? []) : [];

/** A cursor is bound to one key, and all else of a page is not: it comes last. */
const withCursor = (page: string, nextCursor: string): string =>
  `${page.slice(0, -1)},"nextCursor":${JSON.stringify(nextCursor)}}`;
