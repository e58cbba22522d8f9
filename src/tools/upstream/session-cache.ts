import { LIMITS } from "../../lib/limits.ts";
import { LruMap } from "../../lib/lru-map.ts";
import type { UpstreamSession } from "./connect.ts";
import type { UpstreamTarget } from "./exchange.ts";

/** Legacy sessions with upstreams that one isolate keeps: one for each place and credentials, shared by all callers. */
export class SessionCache {
  readonly #sessions = new LruMap<string, UpstreamSession>(LIMITS.upstreamSessions);

  get(target: UpstreamTarget): UpstreamSession | undefined {
    return this.#sessions.get(keyOf(target));
  }

  set(target: UpstreamTarget, session: UpstreamSession): UpstreamSession {
    return this.#sessions.set(keyOf(target), session);
  }

  /** Forgets a session that ended, unless another one is there by now. */
  drop(target: UpstreamTarget, session: UpstreamSession): void {
    if (this.get(target) === session) this.#sessions.delete(keyOf(target));
  }
}

const keyOf = ({ name, url, headers }: UpstreamTarget): string => JSON.stringify([name, url, headers]);
