// `Mcp-Session-Id` carries the session itself, sealed: any isolate serves it and `initialize` writes nothing.
// MCP 2025-11-25, basic/transports, "Session Management".

import * as v from "valibot";
import { LIMITS } from "../lib/limits.ts";
import { randomText } from "../lib/random.ts";
import { openText, sealText } from "../lib/sealed-text.ts";
import type { SigningSecrets } from "../lib/signing.ts";
import { AbilitiesSchema, type Abilities } from "./abilities.ts";
import type { ClientInfo } from "./meta.ts";
import { findRevision, type Revision } from "./revisions.ts";

/** What is settled at `initialize`. */
export interface LegacySession {
  revision: Revision;
  client: ClientInfo;
  abilities: Abilities;
}

/** A session that travels as its id: bound to a key, with an end. */
export interface SealedSession extends LegacySession {
  /** What tells it from all others: what its notes are filed under. */
  sessionId: string;
  keyId: string;
  /** The catalogue's version at the start. */
  version: number;
  /** How often what the key may see had changed at the start. */
  changes: number;
  expiresAtMs: number;
}

const PayloadSchema = v.object({
  k: v.string(),
  r: v.string(),
  c: v.tuple([v.string(), v.string()]),
  s: v.number(),
  g: v.optional(v.number(), 0),
  x: v.number(),
  n: v.string(),
  a: AbilitiesSchema,
});

/** What tells a new session from all others: 130 random bits. */
export const newSessionName = (): string => randomText(26);

/** A new id of visible ASCII. */
export function sealSession(
  secrets: SigningSecrets,
  { sessionId = newSessionName(), ...session }: Omit<SealedSession, "sessionId"> & { sessionId?: string },
): Promise<string> {
  const { keyId, revision, client, version, changes, expiresAtMs, abilities } = session;
  const payload = { k: keyId, r: revision.name, c: [client.name, client.version], s: version, x: expiresAtMs };
  return sealText(secrets, "session", {
    ...payload,
    n: sessionId,
    a: abilities,
    ...(changes > 0 && { g: changes }),
  });
}

/** The session of an id; `undefined` for one that is unknown, foreign to the key, or over. */
export async function openSession(
  secrets: SigningSecrets,
  id: string,
  keyId: string,
  nowMs: number,
): Promise<SealedSession | undefined> {
  if (id.length > LIMITS.sessionIdChars) return undefined;
  const opened = v.safeParse(PayloadSchema, await openText(secrets, "session", id));
  if (!opened.success) return undefined;
  const { k, r, c, s, g, x, n, a } = opened.output;
  const revision = findRevision(r);
  if (!revision || k !== keyId || x <= nowMs) return undefined;
  const client = { name: c[0], version: c[1] };
  return { sessionId: n, keyId: k, revision, client, abilities: a, version: s, changes: g, expiresAtMs: x };
}
