// Keys for a server that wants one.

import { createAdmin } from "../../journeys/support/admin.ts";
import type { Home, Running } from "./runtime.ts";
import type { Server } from "./servers.ts";

/** A rate that the load can't reach: it is counted all the same. */
export const LIMITS = { perMinute: 1_000_000 };

/** The header that a server wants on every request. */
export async function keyHeaders(server: Server, { url }: Running, { secrets }: Home): Promise<Record<string, string>> {
  if (!server.isToolgate) return {};
  const { key } = await createAdmin(url, secrets["ADMIN_KEY"] ?? "").mintKey({ limits: LIMITS });
  return { authorization: `Bearer ${key}` };
}
