// The side of a call that its module's isolate can reach: progress, logs, guarded requests and word of the call's end. What
// comes in is a stranger's text; what goes out are plain values. Nothing of it works once the call is over.

import * as v from "valibot";
import { findExcess } from "../../lib/json-value.ts";
import { LIMITS } from "../../lib/limits.ts";
import { randomText } from "../../lib/random.ts";
import { LOG_LEVELS } from "../../protocol/log-level.ts";
import type { Redactor } from "../../sanitize/secrets.ts";
import { logFailure } from "../../telemetry/log.ts";
import type { EgressInit, ToolContext } from "../context.ts";
import { ToolError } from "../tool-error.ts";
import { withoutSecrets } from "../without-secrets.ts";

export interface HostOptions {
  toolName: string;
  /** The only hosts that the module may reach. */
  hosts: readonly string[];
  redactor: Redactor;
}

type FetchAnswer =
  | { response: { url: string; status: number; headers: [string, string][]; bytes: Uint8Array } }
  | { error: { isToolError: boolean; message: string } };

export type HostAnswer = FetchAnswer | { reason: string } | { refused: true } | { told: true };

export interface CallHost {
  /** What the isolate calls: an operation, its argument as JSON, and the body of a request. Never throws. */
  answer: (op: unknown, text: unknown, body?: unknown) => Promise<HostAnswer>;
  /** The call is over: from now on everything is refused. */
  end: () => void;
}

const optional = <S extends v.GenericSchema>(schema: S) => v.nullish(schema);

const ProgressSchema = v.tuple([v.number(), optional(v.number()), optional(v.string())]);
const LogSchema = v.tuple([v.picklist(LOG_LEVELS), v.unknown()]);
const FetchSchema = v.strictObject({
  url: v.string(),
  method: v.pipe(v.string(), v.regex(/^[A-Z]{1,20}$/, "expected a method")),
  headers: v.record(v.string(), v.string()),
});

const REFUSED = { refused: true } as const;
const TOLD = { told: true } as const;

/** The host of one call. */
export function createCallHost(ctx: ToolContext, { toolName, hosts, redactor }: HostOptions): CallHost {
  const over = Promise.withResolvers<void>();
  let isOver = false;
  let news = 0;
  let fetches = 0;

  const tell = (op: unknown, text: string): HostAnswer => {
    if (news++ >= LIMITS.callNotifications || text.length > LIMITS.notificationChars) return REFUSED;
    const value = redactor.json(parse(text));
    if (op === "progress") {
      const report = v.safeParse(ProgressSchema, value);
      if (!report.success) return REFUSED;
      const [progress, total, message] = report.output;
      ctx.reportProgress(progress, total ?? undefined, message ?? undefined);
      return TOLD;
    }
    const entry = v.safeParse(LogSchema, value);
    if (!entry.success) return REFUSED;
    ctx.log(entry.output[0], entry.output[1], toolName);
    return TOLD;
  };

  const fetch = async (text: string, body: unknown): Promise<HostAnswer> => {
    if (fetches++ >= LIMITS.moduleFetches) {
      return failed(new ToolError(`fetch: a call makes at most ${LIMITS.moduleFetches} requests.`));
    }
    if (typeof body === "string" && body.length > LIMITS.bodyBytes) {
      return failed(new ToolError(`fetch: the body is too long: the limit is ${LIMITS.bodyBytes} characters.`));
    }
    const parsed = v.safeParse(FetchSchema, text.length > LIMITS.notificationChars ? undefined : parse(text));
    if (!parsed.success)
      return failed(new ToolError("fetch: the request can't be read, or its headers are too large."));
    const { url, ...init } = parsed.output;
    return { response: await send(ctx, url, { ...init, hosts, ...(typeof body === "string" && { body }) }) };
  };

  const answer: CallHost["answer"] = async (op, text, body) => {
    if (typeof text !== "string" || isOver) return REFUSED;
    try {
      if (op === "progress" || op === "log") return tell(op, text);
      if (op === "fetch") return await fetch(text, body);
      if (op === "cut") return await whenCut(ctx.signal, over.promise);
      return REFUSED;
    } catch (error) {
      return failed(withoutSecrets(error, redactor), ctx.signal, toolName);
    }
  };

  return {
    answer,
    end: () => {
      isOver = true;
      over.resolve();
    },
  };
}

async function send(ctx: ToolContext, url: string, init: EgressInit) {
  const { url: reached, status, headers, bytes } = await ctx.fetch(url, init);
  // The body is decoded by now, whatever these say.
  const told = [...headers].filter(([name]) => name !== "content-encoding" && name !== "content-length");
  return { url: reached, status, headers: told, bytes };
}

/** JSON of the isolate's; `undefined` when it is none, or too deep to be walked. */
function parse(text: string): unknown {
  try {
    return findExcess(text, Infinity) === undefined ? (JSON.parse(text) as unknown) : undefined;
  } catch {
    return undefined;
  }
}

/** Why the call is cut short, once it is. */
const whenCut = (signal: AbortSignal, over: Promise<void>): Promise<HostAnswer> => {
  const cut = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
  return Promise.race([cut, over]).then(() => ({ reason: "the call is over" }));
};

/** A request that failed: a `ToolError` in its own words, anything else by reference. */
function failed(error: unknown, signal?: AbortSignal, toolName?: string): FetchAnswer {
  if (error instanceof ToolError) return { error: { isToolError: true, message: error.message } };
  if (signal?.aborted) return { error: { isToolError: false, message: "the call is over" } };
  const ref = randomText(12);
  logFailure("tool_fetch_failed", ref, error, { tool: toolName });
  return { error: { isToolError: false, message: `fetch failed (ref ${ref})` } };
}
