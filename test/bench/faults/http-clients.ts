// Clients of the Streamable HTTP transport: without a session, or with one. Each request goes to either isolate.

import { initialize, MODERN_META } from "../../journeys/support/rpc.ts";
import type { SeededRandom } from "../../support/faults/seeded-random.ts";
import { ask, bearer, type Client, type Outcome } from "./wire.ts";
import type { Witness } from "./witness.ts";

export interface KeyPair {
  id: string;
  key: string;
}

/** What every client is made with. */
export interface Surroundings {
  witness: Witness;
  urls: readonly URL[];
  random: SeededRandom;
}

const mcp = ({ urls, random }: Surroundings): URL => new URL("/mcp", random.pick(urls));

/** A client of 2026-07-28. */
export function modernClient(around: Surroundings, { id: keyId, key }: KeyPair): Client {
  let asked = 0;
  return {
    way: "2026-07-28",
    keyId,
    ask: ({ method, params }) => {
      const { _meta = {}, name } = params as { _meta?: object; name?: string };
      const headers = {
        ...bearer(key),
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        ...(name !== undefined && { "mcp-name": name }),
      };
      const declared = { method, params: { ...params, _meta: { ...MODERN_META, ..._meta } } };
      return ask(around.witness, mcp(around), headers, declared, ++asked);
    },
    close: () => undefined,
  };
}

/** A legacy session: its id, for as long as it lives, and a client that uses it. */
export interface Session {
  keyId: string;
  key: string;
  revision: string;
  sessionId: string;
}

/** Opens a session; `undefined` where that was refused or cut off. */
export async function openSession(
  around: Surroundings,
  { id: keyId, key }: KeyPair,
  revision: string,
  capabilities: object = {},
): Promise<Session | undefined> {
  const { method, params: declared } = initialize(revision);
  const params = { ...declared, capabilities };
  const outcome = await ask(around.witness, mcp(around), bearer(key), { method, params }, 0);
  const sessionId = outcome.kind === "answered" ? outcome.headers.get("mcp-session-id") : null;
  return sessionId === null ? undefined : { keyId, key, revision, sessionId };
}

export function sessionClient(around: Surroundings, session: Session): Client {
  let asked = 0;
  return {
    way: session.revision,
    keyId: session.keyId,
    ask: (what): Promise<Outcome> => ask(around.witness, mcp(around), sessionHeaders(session), what, ++asked),
    close: () => undefined,
  };
}

export const sessionHeaders = ({ key, sessionId, revision }: Session): Record<string, string> => ({
  ...bearer(key),
  "mcp-session-id": sessionId,
  "mcp-protocol-version": revision,
});
