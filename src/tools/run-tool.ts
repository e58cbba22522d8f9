// Runs one call: arguments checked, a deadline, one outcome. Whatever a tool does, its caller gets one result.

import { markCut } from "../lib/cut-text.ts";
import type { CallOutcome } from "../audit/call-row.ts";
import { withoutReceived } from "../lib/issue-message.ts";
import { LIMITS } from "../lib/limits.ts";
import { randomText } from "../lib/random.ts";
import { settlesSoon } from "../lib/settles-soon.ts";
import { addRemoved, cleanJson, maybeHides, NOTHING_REMOVED, type Removed } from "../sanitize/clean-output.ts";
import { logFailure } from "../telemetry/log.ts";
import { retell } from "./clean-result.ts";
import { text, type ToolResult } from "./content.ts";
import type { AfterCall, Caller, EgressInit, EgressResponse, ToolContext } from "./context.ts";
import type { Tool, ValidationIssue } from "./define-tool.ts";
import { ToolDeadline, ToolTimeout } from "./tool-deadline.ts";
import { ToolError } from "./tool-error.ts";

export interface CallScope {
  caller: Caller;
  /** Its signal fires when the client cancels the call, and is made when it is asked for. */
  peer: { readonly cancelled: AbortSignal };
  egress: (url: string, init: EgressInit | undefined, signal: AbortSignal) => Promise<EgressResponse>;
  client: ClientLink;
  afterCall: AfterCall;
  readSecret: ToolContext["readSecret"];
  traceparent?: string | undefined;
  /** Given what a cancelled call still comes to: a tool may be past stopping. Rejects where it gives no result. */
  onCancelled?: ((end: Promise<RunEnd>) => void) | undefined;
}

/** What a tool's context says to and asks of the client. */
export type ClientLink = Pick<ToolContext, "reportProgress" | "log" | "requireInput" | "canAsk" | "releaseStream">;

/** The client does not want the answer any more. */
export class CallCancelled extends Error {
  override readonly name = "CallCancelled";
}

/** Ends a call without a result of its tool's: not a tool's to catch, and not a failure. */
export class CallInterrupt extends Error {
  override readonly name: string = "CallInterrupt";
}

/** A tool's result and what came of the call. */
export interface RunEnd {
  result: ToolResult;
  outcome: Extract<CallOutcome, "ok" | "tool_error" | "invalid_arguments" | "timeout" | "failed">;
  /** What was taken out of `result` already. */
  removed?: Removed;
}

/** A tool's result; every failure is an `isError` result that says what the model can do about it, or a reference. */
export async function runTool(tool: Tool, args: unknown, scope: CallScope): Promise<RunEnd> {
  const interrupts = new Interrupts();
  try {
    const input = tool.validateInput(args);
    if (!input.ok) {
      const message = describeIssues(`Invalid arguments for tool ${tool.name}`, input.issues);
      return { result: failure(message), outcome: "invalid_arguments" };
    }
    const end = await runToDeadline(tool, input.value, scope, interrupts);
    interrupts.throwIfAny();
    return end;
  } catch (error) {
    interrupts.throwIfAny();
    if (isCancellation(error, scope)) throw error;
    const message = textOf(error);
    if (message !== undefined) {
      const outcome = isA(error, ToolTimeout) ? "timeout" : "tool_error";
      return { result: failure(message || "Tool failed"), outcome };
    }
    const ref = randomText(12);
    logFailure("tool_failed", ref, error, { tool: tool.name, key: scope.caller.keyId });
    return { result: failure(`Tool failed (ref ${ref})`), outcome: "failed" };
  }
}

export const failure = (message: string): ToolResult => ({
  content: [text(markCut(message, LIMITS.errorChars))],
  isError: true,
});

/** A tool that catches what `requireInput` threw must not answer in its place: the interrupt counts. */
class Interrupts {
  #interrupt: CallInterrupt | undefined;

  watch(requireInput: ClientLink["requireInput"]): ClientLink["requireInput"] {
    return async (requests) => {
      try {
        return await requireInput(requests);
      } catch (error) {
        if (isA(error, CallInterrupt)) this.#interrupt = error;
        throw error;
      }
    };
  }

  throwIfAny(): void {
    if (this.#interrupt) throw this.#interrupt;
  }
}

/** What the tool left out of what it fetched. */
interface LeftOut {
  elements: number;
}

/** What becomes of a call while it runs. */
interface CallWatch {
  deadline: ToolDeadline;
  interrupts: Interrupts;
  leftOut: LeftOut;
}

/**
 * A tool that waits for nothing outside needs no clock and can't be cancelled. Of any other, what loses the race is
 * dropped: a late result finds nobody, a late rejection is already handled by the race.
 */
async function runToDeadline(tool: Tool, input: unknown, scope: CallScope, interrupts: Interrupts): Promise<RunEnd> {
  const deadline = new ToolDeadline(tool.name, tool.timeoutMs);
  const leftOut: LeftOut = { elements: 0 };
  const running = tool.run(input, contextOf(scope, { deadline, interrupts, leftOut }));
  try {
    const isSoon = await settlesSoon(running);
    const inTime = isSoon && !(deadline.isWatched && scope.peer.cancelled.aborted);
    const result = await (inTime
      ? running
      : Promise.race([cancelled(scope.peer.cancelled), deadline.start(), running]));
    return endOf(tool, result, leftOut);
  } catch (error) {
    if (isCancellation(error, scope)) scope.onCancelled?.(running.then((result) => endOf(tool, result, leftOut)));
    throw error;
  } finally {
    deadline.end();
  }
}

function endOf(tool: Tool, result: ToolResult, { elements }: LeftOut): RunEnd {
  const { result: checked, removed = NOTHING_REMOVED } = checkOutput(tool, result);
  return {
    result: checked,
    removed: elements > 0 ? addRemoved(removed, { elements }) : removed,
    outcome: result.isError ? "tool_error" : "ok",
  };
}

/** A tool may throw what passes for one: only who cancelled wants no answer. */
const isCancellation = (error: unknown, { peer }: CallScope): boolean =>
  isA(error, CallCancelled) && peer.cancelled.aborted;

const cancelled = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const cancel = (): void => reject(new CallCancelled("the client cancelled the call"));
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel, { once: true });
  });

/** What a tool says after its call is over reaches nobody: progress MUST stop then (2026-07-28, basic/patterns/progress). */
function contextOf(scope: CallScope, { deadline, interrupts, leftOut }: CallWatch): ToolContext {
  const { caller, egress, client, readSecret, afterCall, traceparent } = scope;
  const whileRunning =
    <A extends unknown[]>(say: (...args: A) => void) =>
    (...args: A): void => {
      if (!deadline.isOver && !deadline.isExpired && !scope.peer.cancelled.aborted) say(...args);
    };
  const requireInput = interrupts.watch(client.requireInput);
  let signal: AbortSignal | undefined;
  const readSignal = (): AbortSignal => (signal ??= AbortSignal.any([scope.peer.cancelled, deadline.signal]));
  return {
    reportProgress: whileRunning(client.reportProgress),
    log: whileRunning(client.log),
    releaseStream: whileRunning(client.releaseStream),
    canAsk: client.canAsk,
    requireInput: async (requests) => {
      // Of a call that was cancelled the question still counts: it may be made again.
      const isOver = deadline.isOver || deadline.isExpired;
      if (isOver && !scope.peer.cancelled.aborted)
        throw new ToolError("The call is over: nobody can be asked any more");
      return deadline.exempt(requireInput(requests));
    },
    get signal() {
      return readSignal();
    },
    noteRemoved: (elements) => void (leftOut.elements += elements),
    caller,
    readSecret,
    afterCall,
    traceparent,
    fetch: (url, init) => egress(url, init, readSignal()),
  };
}

const NOT_CONFORMING = "structuredContent does not conform to the output schema";

/**
 * 2026-07-28, server/tools: with an output schema, structured results MUST conform to it. What is checked is what goes
 * out, cleaned. An error result need not conform.
 */
function checkOutput(tool: Tool, result: ToolResult): Pick<RunEnd, "result" | "removed"> {
  if (!tool.validateOutput || result.isError) return { result };
  const structured = result.structuredContent ?? null;
  const isClean = tool.sanitize === false || !maybeHides(JSON.stringify(structured));
  const { value, removed } = isClean ? { value: structured, removed: NOTHING_REMOVED } : cleanJson(structured);
  const output = tool.validateOutput(value);
  if (!output.ok)
    throw new TypeError(
      describeIssues(
        NOT_CONFORMING,
        output.issues.map((issue) => ({ ...issue, message: withoutReceived(issue.message) })),
      ),
    );
  const checked = { ...result, structuredContent: value };
  return { result: value === structured ? checked : retell(checked, result), removed };
}

/** What a `ToolError` says; `undefined` for anything else, and for one whose message is no text. */
function textOf(error: unknown): string | undefined {
  try {
    const message: unknown = error instanceof ToolError ? error.message : undefined;
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}

/** What is thrown may be anything, and looking at it may throw again. */
function isA<T>(error: unknown, type: abstract new (...args: never[]) => T): error is T {
  try {
    return error instanceof type;
  } catch {
    return false;
  }
}

const describeIssues = (what: string, issues: readonly ValidationIssue[]): string =>
  `${what}: ${issues.map(({ path, rule, message }) => `${path === "" ? "the whole" : path} (${rule}): ${message}`).join("; ")}`;
