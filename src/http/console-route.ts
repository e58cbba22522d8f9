// `/console/`: the console's files, which are static assets, under headers that let them reach nothing but this server.

import type { Context } from "hono";
import type { Env } from "../env.ts";

const INDEX = "/console/index.html";

/** Serves one of the console's files. Errors of a page that has an admin key in hand must not lead anywhere else. */
export async function serveConsole({ req, env, notFound }: Context<{ Bindings: Env }>): Promise<Response> {
  if (!env.ASSETS) return notFound();
  const url = new URL(req.url);
  if (/^\/console\/*$/.test(url.pathname)) url.pathname = INDEX;
  const asset = await env.ASSETS.fetch(new Request(url, { method: req.method, headers: conditionsOf(req.raw) }));
  if (asset.status === 404) return notFound();
  const headers = new Headers(asset.headers);
  for (const [name, value] of Object.entries(guards(url))) headers.set(name, value);
  return new Response(asset.body, { status: asset.status, headers });
}

function conditionsOf({ headers }: Request): Record<string, string> {
  const etag = headers.get("if-none-match");
  return etag === null ? {} : { "if-none-match": etag };
}

/** `'self'` alone does not cover a WebSocket in every browser (CSP 3 does, WebKit did not until lately). */
const guards = ({ host, protocol }: URL): Record<string, string> => ({
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self' ${protocol === "http:" ? "ws" : "wss"}://${host}`,
    "img-src 'self' data: blob:",
    "media-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; "),
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
  // Asked for anew each time, and answered 304 while it is the same: a deploy must not mix old files with new ones.
  "cache-control": "no-cache",
});
