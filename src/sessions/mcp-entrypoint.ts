// The stateless entrypoint that hubs pass frames to: it runs where requests run, never inside an object.

import { WorkerEntrypoint } from "cloudflare:workers";
import type { Env } from "../env.ts";
import type { Isolate } from "../server/scope.ts";
import { answerFrame } from "./answer-frame.ts";
import type { FrameAnswer, FrameChannel, SocketSession } from "./hub-contract.ts";

/** The entrypoint's class for an isolate's caches. */
export const createMcpEntrypoint = (isolate: Isolate) =>
  class McpEntrypoint extends WorkerEntrypoint<Env> {
    answerFrame(frame: string, session: SocketSession, channel: FrameChannel): Promise<FrameAnswer> {
      isolate.snapshot.region ??= session.region;
      return answerFrame(frame, {
        isolate,
        env: this.env,
        waitUntil: (work) => this.ctx.waitUntil(work),
        session,
        channel,
      });
    }
  };
