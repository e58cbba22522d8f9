// `GET /`: what this endpoint is and how to connect to it, for people as a page and for programs as JSON. Nothing that a
// visitor sends leads to an object, but for the list of tools, and that at most once a minute.

import { Hono } from "hono";
import type { Env, WaitUntil } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { REVISION_NAMES } from "../protocol/revisions.ts";
import { SERVER } from "../protocol/server-info.ts";
import type { Catalogue } from "../registry/catalogue.ts";
import type { SnapshotCache } from "../registry/snapshot-cache.ts";
import { prefersJson } from "./accept.ts";
import { connectionsOf } from "./connect-client.ts";
import { renderFrontPage, styleHash, type FrontPage } from "./front-page-html.ts";

/** The route, with what one isolate remembers of the public list. */
export function frontPage({ snapshot }: { snapshot: SnapshotCache }): Hono<{ Bindings: Env }> {
  const readTools = createPublicTools(snapshot);
  return new Hono<{ Bindings: Env }>().get("/", async ({ req, env, executionCtx }) => {
    const { origin } = new URL(req.url);
    const tools = isOn(env.PUBLIC_TOOL_LIST) ? await readTools(env, (work) => executionCtx.waitUntil(work)) : undefined;
    const page: FrontPage = {
      ...SERVER,
      endpoint: `${origin}/mcp`,
      sse: `${origin}/sse`,
      revisions: REVISION_NAMES,
      authentication: "An API key: `Authorization: Bearer <key>` or `X-API-Key: <key>`",
      connect: connectionsOf(origin, env.URL_KEYS !== "off"),
      ...tools,
    };
    const headers = { vary: "accept" };
    if (prefersJson(req.header("accept") ?? null)) return Response.json(page, { headers });
    return new Response(renderFrontPage(page), { headers: { ...headers, ...(await pageHeaders()) } });
  });
}

const isOn = (value: string | undefined): boolean => value?.toLowerCase() === "on";

const pageHeaders = async () => ({
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    `default-src 'none'; style-src '${await styleHash()}'; img-src data:; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
});

type PublicTools = Pick<FrontPage, "tools" | "moreTools">;

/** The list as it is at hand, and asked for anew when it was not for a while: visitors are nobody's callers. */
function createPublicTools(snapshot: SnapshotCache): (env: Env, waitUntil: WaitUntil) => Promise<PublicTools> {
  let askedAtMs = 0;
  let shown: { of: Catalogue; view: PublicTools } | undefined;
  return async (env, waitUntil) => {
    const nowMs = Date.now();
    if (nowMs - askedAtMs >= LIMITS.publicToolsFloorMs) {
      askedAtMs = nowMs;
      await snapshot.readForCall(env, waitUntil).catch(() => undefined);
    }
    const { held } = snapshot;
    if (!held) return {};
    if (shown?.of !== held) shown = { of: held, view: viewOf(held) };
    return shown.view;
  };
}

function viewOf({ tools }: Catalogue): PublicTools {
  const shown = tools.slice(0, LIMITS.publicTools).flatMap(({ name, definition }) => {
    if (!definition) return [];
    const { title, description } = definition;
    return [{ name, ...(title !== undefined && { title }), description: shorten(description) }];
  });
  return { tools: shown, ...(tools.length > LIMITS.publicTools && { moreTools: tools.length - LIMITS.publicTools }) };
}

/** The first sentence of it, or as much as there is room for. */
function shorten(text: string): string {
  const [first = ""] = text.trim().split(/(?<=[.!?])\s|\n/);
  const chars = LIMITS.publicDescriptionChars;
  return first.length <= chars ? first : `${first.slice(0, chars - 1).trimEnd()}…`;
}
