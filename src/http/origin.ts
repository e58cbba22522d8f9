// Against DNS rebinding: who may call from a browser, and under which names this server answers.
// MCP 2026-07-28, basic/transports/streamable-http, "Security & Endpoint".

import type { Env } from "../env.ts";
import { splitList } from "../lib/split-list.ts";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Why a request is refused for its `Host` or `Origin`; `undefined` when it is not. */
export function refuseOrigin(request: Request, { ALLOWED_HOSTS = "", ALLOWED_ORIGINS = "" }: Env): string | undefined {
  const origin = request.headers.get("origin");
  if (origin === null && ALLOWED_HOSTS === "") return undefined;
  const own = new URL(request.url);
  const hosts = splitList(ALLOWED_HOSTS);
  if (hosts.length > 0 && !hosts.includes(own.host) && !hosts.includes(own.hostname)) return "this host is not allowed";
  if (origin === null || origin === own.origin || splitList(ALLOWED_ORIGINS).includes(origin)) return undefined;
  return isLoopback(own) && isLoopbackOrigin(origin) ? undefined : "this origin is not allowed";
}

const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.has(hostname);

/** An origin as browsers write pages', not extensions' or apps': a scheme of the web, a host, a port (RFC 6454 6.2). */
function isLoopbackOrigin(origin: string): boolean {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  return url !== undefined && isLoopback(url) && /^https?:$/.test(url.protocol) && url.origin === origin;
}
