// The stateless entrypoint that hubs pass frames to, and the registry upstreams that are due: it runs where requests run,
// never inside an object.

import { WorkerEntrypoint } from "cloudflare:workers";
import type { Env } from "../env.ts";
import { boundedEnv } from "../lib/bounded-env.ts";
import { REFRESHER } from "../audit/admin-act.ts";
import { egressOf, type Isolate } from "../server/scope.ts";
import { logFailure } from "../telemetry/log.ts";
import type { answerFrame } from "./answer-frame.ts";
import type { FrameAnswer, FrameChannel, SocketSession } from "./hub-contract.ts";

/** Loaded with the first frame, and kept: to import it once more would take 20 µs of every other. */
let answer: typeof answerFrame | undefined;

/** The entrypoint's class for an isolate's caches. */
export const createMcpEntrypoint = (isolate: Isolate) =>
  class McpEntrypoint extends WorkerEntrypoint<Env> {
    async answerFrame(frame: string, session: SocketSession, channel: FrameChannel): Promise<FrameAnswer> {
      answer ??= (await import("./answer-frame.ts")).answerFrame;
      isolate.snapshot.region ??= session.region;
      return answer(frame, {
        isolate,
        env: boundedEnv(this.env),
        waitUntil: (work) => this.ctx.waitUntil(work),
        session,
        channel,
      });
    }

    refreshUpstream(name: string): { v: 1 } {
      const waitUntil = (work: Promise<unknown>): void => this.ctx.waitUntil(work);
      const env = boundedEnv(this.env);
      const egress = egressOf(env, () => "");
      const scope = { isolate, env, waitUntil, egress, who: REFRESHER, isAsked: false };
      const refresh = async (): Promise<unknown> =>
        (await import("../server/refresh-upstream.ts")).refreshUpstream(name, scope);
      waitUntil(refresh().catch((error: unknown) => logFailure("upstream_refresh_failed", name, error)));
      return { v: 1 };
    }
  };
