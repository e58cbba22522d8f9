import { expect, it } from "vitest";
import type { Env } from "../../src/env.ts";
import { laneOfSession, newSessionId } from "../../src/http/lane.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { LruMap } from "../../src/lib/lru-map.ts";
import { NO_ABILITIES } from "../../src/protocol/abilities.ts";
import { UNKNOWN_CLIENT } from "../../src/protocol/meta.ts";
import { ASSUMED_REVISION } from "../../src/protocol/revisions.ts";
import type { SealedSession } from "../../src/protocol/session-id.ts";

const LANE = { revision: ASSUMED_REVISION, client: UNKNOWN_CLIENT, abilities: NO_ABILITIES, handshake: true };

/** Opens so many sessions in one isolate, and answers with their ids. */
async function openSessions(count: number) {
  const sessions = new LruMap<string, SealedSession>(LIMITS.knownSessions);
  const env = { SIGNING_SECRET: "secret-of-this-test" } as Env;
  const sender = { isolate: { sessions }, env, key: { keyId: "k1" } };
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.push(await newSessionId(sender, LANE, { version: 1, changes: 0 }));
  const laneOf = (id: string) => laneOfSession({ ...sender, headers: new Headers({ "mcp-session-id": id }) });
  return { sessions, ids, laneOf };
}

it.each([
  [LIMITS.knownSessions - 1, true],
  [LIMITS.knownSessions, true],
  [LIMITS.knownSessions + 1, false],
])("of %i sessions the first is known: %s; if not, its id tells all", async (count, isKnown) => {
  const { sessions, ids, laneOf } = await openSessions(count);
  const [first = ""] = ids;
  const known = sessions.get(first);
  const { session } = await laneOf(first);
  expect([known !== undefined, session]).toEqual([isKnown, sessions.get(first)]);
  expect(session).toMatchObject({ keyId: "k1", version: 1, changes: 0 });
});
