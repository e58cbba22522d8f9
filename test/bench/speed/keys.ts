// Keys for a server that wants one.

import { createAdmin } from "../../journeys/support/admin.ts";
import type { Home, Running } from "./runtime.ts";
import type { Server } from "./servers.ts";

/** A rate that the load can't reach: it is counted all the same. */
export const LIMITS = { perMinute: 1_000_000 };

/** Fewer than an admin key may make at once. */
const KEYS_AN_ADMIN = 250;
const AT_ONCE = 8;

/** So many keys, each of its own; made with as many admin keys as it takes, for what one may change is limited. */
export async function mintKeys({ url }: Running, { secrets }: Home, count: number): Promise<string[]> {
  const root = createAdmin(url, secrets["ADMIN_KEY"] ?? "");
  const keys: string[] = [];
  while (keys.length < count) {
    const { key } = await root.mintKey({ scopes: ["admin"] });
    const { mintKey } = createAdmin(url, key);
    let left = Math.min(KEYS_AN_ADMIN, count - keys.length);
    const mint = async (): Promise<void> => {
      while (left-- > 0) keys.push((await mintKey({ limits: LIMITS })).key);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, mint));
  }
  return keys;
}

/** The header that a server wants on every request. */
export async function keyHeaders(server: Server, { url }: Running, { secrets }: Home): Promise<Record<string, string>> {
  if (!server.isToolgate) return {};
  const { key } = await createAdmin(url, secrets["ADMIN_KEY"] ?? "").mintKey({ limits: LIMITS });
  return { authorization: `Bearer ${key}` };
}
