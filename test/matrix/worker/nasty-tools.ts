// Tools that give back, throw and do what no tool should: each by a name that says what.

import * as v from "valibot";
import type { ToolContext } from "../../../src/tools/context.ts";
import type { ToolResult } from "../../../src/tools/content.ts";
import { defineTool, type Tool } from "../../../src/tools/define-tool.ts";
import { elicit } from "../../../src/tools/input-request.ts";
import { CallCancelled } from "../../../src/tools/run-tool.ts";
import { ToolError } from "../../../src/tools/tool-error.ts";

const SECRET = "hunter2";
const DEADLINE_MS = 100;
/** Later than any machine is: the deadline's clock starts a little after the tool's own. */
const LATE_MS = 20 * DEADLINE_MS;
const FORM = { type: "object", properties: { name: { type: "string" } } } as const;

const raise = (value: unknown) => (): never => {
  throw value;
};

const text = (value: unknown): unknown => ({ content: [{ type: "text", text: value }] });
const structure = (structuredContent: unknown): unknown => ({ content: [], structuredContent });

/** Nested that deep, without recursion. */
function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

function cycle(): unknown {
  const ring: Record<string, unknown> = { secret: SECRET };
  ring["self"] = ring;
  return ring;
}

/** An object whose member is another at every look. */
function fickle(...looks: unknown[]): object {
  let look = 0;
  return Object.defineProperty({}, "value", {
    enumerable: true,
    get: () => looks[Math.min(look++, looks.length - 1)],
  });
}

const trap = raise(new Error(SECRET));
const HOSTILE: ProxyHandler<object> = {
  get: trap,
  has: trap,
  ownKeys: trap,
  getPrototypeOf: trap,
  getOwnPropertyDescriptor: trap,
};
const hostile = (): object => new Proxy({}, HOSTILE);
/** Passes for an instance of a class, and answers nothing that it is asked. */
const posing = ({ prototype }: { prototype: object }): object =>
  new Proxy({}, { ...HOSTILE, getPrototypeOf: () => prototype });

const toolError = (message: unknown): ToolError => Object.assign(new ToolError("x"), { message });
const withGetter = (error: Error): Error => Object.defineProperty(error, "message", { get: trap });

type Then = (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void;

/** What is waited for as a promise is. */
// oxlint-disable-next-line unicorn/no-thenable -- what it is about
const withThen = (property: PropertyDescriptor): unknown => Object.defineProperties({}, { then: property });
const thenable = (then: Then): unknown => withThen({ value: then });

type Run = (ctx: ToolContext) => unknown;

const RETURNS: Record<string, Run> = {
  returns_nothing: () => undefined,
  returns_bigint: () => 1n,
  returns_symbol: () => Symbol(SECRET),
  returns_function: () => () => SECRET,
  returns_cycle: () => structure(cycle()),
  returns_bigint_inside: () => structure({ n: 1n }),
  returns_not_a_number: () => structure({ n: NaN, m: -Infinity }),
  returns_functions_inside: () => structure({ f: () => SECRET, s: Symbol(SECRET), u: undefined, list: [() => SECRET] }),
  returns_sparse_list: () => structure({ list: Object.assign(Array(3), { 2: 1 }) }),
  returns_sparse_content: () => ({ content: Array(4_000_000_000) }),
  returns_dates_and_maps: () => structure({ at: new Date(0), map: new Map([[1, 2]]), bytes: new Uint8Array(2) }),
  returns_throwing_getter: () => structure(Object.defineProperty({}, "x", { enumerable: true, get: trap })),
  returns_throwing_content: () => Object.defineProperty({}, "content", { enumerable: true, get: trap }),
  returns_throwing_text: () => ({
    content: [Object.defineProperty({ type: "text" }, "text", { enumerable: true, get: trap })],
  }),
  returns_hostile_proxy: hostile,
  returns_hostile_inside: () => structure({ value: hostile() }),
  returns_hostile_meta: () => ({ content: [], _meta: { value: hostile() } }),
  returns_revoked_proxy: () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  returns_throwing_json: () => structure({ toJSON: trap }),
  returns_fickle_size: () => structure(fickle("\u200b", "x".repeat(5_000_000))),
  returns_fickle_kind: () => structure(fickle("\u200b", 1n)),
  returns_fickle_hiding: () => structure(fickle("clean", "\u202e")),
  returns_huge_text: () => "x".repeat(5_000_000),
  returns_huge_structure: () => structure(Array.from({ length: 1_000_000 }, () => "abcdef")),
  returns_deep_structure: () => structure(nested(200_000)),
  returns_rather_deep_structure: () => structure(nested(5_000)),
  returns_deep_meta: () => ({ content: [], _meta: { deep: nested(200_000) } }),
  returns_unknown_type: () => ({ content: [{ type: "video", data: SECRET }] }),
  returns_number_for_text: () => text(7),
  returns_object_for_text: () => text({ toString: () => SECRET }),
  returns_string_object: () => text(Object("boxed")),
  returns_bad_base64: () => ({ content: [{ type: "image", data: "####", mimeType: "image/png" }] }),
  returns_split_mime_type: () => ({ content: [{ type: "image", data: "aGk=", mimeType: "image/png\nx: y" }] }),
  returns_no_mime_type: () => ({ content: [{ type: "audio", data: "aGk=", mimeType: "audio" }] }),
  returns_own_names: () => ({ content: [], resultType: "input_required", jsonrpc: "1.0", id: 7, error: { code: 1 } }),
};

const THROWS: Record<string, Run> = {
  throws_error: raise(new Error(SECRET)),
  throws_nothing: raise(undefined),
  throws_null: raise(null),
  throws_text: raise(SECRET),
  throws_symbol: raise(Symbol(SECRET)),
  throws_bigint: raise(1n),
  throws_function: raise(() => SECRET),
  throws_hostile_proxy: () => raise(hostile())(),
  throws_throwing_getter: () => raise(withGetter(new Error("x")))(),
  throws_promise: () => raise(Promise.resolve(SECRET))(),
  throws_stack_overflow: () => {
    const dive = (): number => dive() + 1;
    return dive();
  },
  throws_cancelled: () => raise(new CallCancelled(SECRET))(),
  throws_posing_cancelled: () => raise(posing(CallCancelled))(),
  throws_abort: () => raise(new DOMException(SECRET, "AbortError"))(),
  throws_tool_error: () => raise(new ToolError("Try another day."))(),
  throws_tool_error_number: () => raise(toolError(7))(),
  throws_tool_error_object: () => raise(toolError({ secret: SECRET }))(),
  throws_tool_error_bigint: () => raise(toolError(1n))(),
  throws_tool_error_symbol: () => raise(toolError(Symbol(SECRET)))(),
  throws_tool_error_getter: () => raise(withGetter(new ToolError("x")))(),
  throws_posing_tool_error: () => raise(posing(ToolError))(),
  throws_huge_tool_error: () => raise(new ToolError("x".repeat(5_000_000)))(),
  throws_hiding_tool_error: () => raise(new ToolError("a\u001b[31mb\u202ec\u0000d\ud800"))(),
};

const SETTLES: Record<string, Run> = {
  settles_twice: () =>
    thenable((resolve, reject) => {
      resolve("first");
      resolve("second");
      reject(new Error(SECRET));
    }),
  settles_then_throws: () =>
    thenable((resolve) => {
      resolve("first");
      throw new Error(SECRET);
    }),
  settles_with_another: () =>
    thenable((resolve) => resolve(thenable((settle) => queueMicrotask(() => settle("another"))))),
  settles_with_throwing_then: () => withThen({ get: trap }),
  settles_never: () => thenable(() => undefined),
  settles_late: () => new Promise((resolve) => setTimeout(() => resolve("late"), LATE_MS)),
  settles_late_throwing: () => new Promise((_, reject) => setTimeout(() => reject(new Error(SECRET)), LATE_MS)),
  throws_on_abort: ({ signal }) => {
    signal.addEventListener("abort", trap);
    signal.addEventListener("abort", { handleEvent: trap });
    return new Promise(() => undefined);
  },
  stops_on_abort: ({ signal }) => {
    signal.addEventListener("abort", (event) => event.stopImmediatePropagation());
    return new Promise(() => undefined);
  },
  settles_on_abort: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve("late"))),
  leaves_a_rejection: () => {
    void Promise.reject(new Error(SECRET));
    return "done";
  },
};

/** What comes after the end, again and again for a while. */
function after(act: () => unknown): void {
  for (const ms of [1, 20, 60]) {
    setTimeout(() => {
      try {
        void Promise.resolve(act()).catch(() => undefined);
      } catch {
        // A tool that is over cares for nothing.
      }
    }, ms);
  }
}

const TALKS: Record<string, Run> = {
  talks_after_the_end: ({ reportProgress, log, releaseStream }) => {
    let progress = 1;
    reportProgress(progress);
    after(() => reportProgress(++progress));
    after(() => log("error", SECRET));
    after(() => releaseStream());
    return "done";
  },
  asks_after_the_end: ({ requireInput }) => {
    after(() => requireInput({ name: elicit("Still there?", FORM) }));
    return "done";
  },
  asks_nonsense: async ({ requireInput }) => {
    const questions = [
      elicit(cycle() as string, FORM),
      elicit(nested(1_000) as string, FORM),
      elicit("x".repeat(2_000_000), FORM),
    ];
    for (const question of questions) await requireInput({ question }).catch((error: unknown) => error);
    return requireInput({ question: hostile() as ReturnType<typeof elicit> });
  },
  talks_nonsense: ({ reportProgress, log }) => {
    for (const [progress, total, message] of [
      [1, 2, { secret: SECRET }],
      [2n, 2, "x"],
      [NaN, 2, "x"],
      [3, "many", "x"],
      [{ valueOf: () => 4 }, 5, "x"],
      [5, Infinity, cycle()],
    ]) {
      reportProgress(progress as number, total as number, message as string);
    }
    log("loud" as "error", "x");
    log("error", undefined);
    log("error", fickle("\u200b", "x".repeat(1_000_000)), 7 as unknown as string);
    log("error", hostile());
    log("error", nested(200_000));
    return "done";
  },
};

const toTool = ([name, run]: [string, Run]): Tool =>
  defineTool({
    name,
    description: "Does what no tool should.",
    input: v.object({}),
    timeoutMs: name in SETTLES ? DEADLINE_MS : 10_000,
    run: (_, ctx) => run(ctx) as ToolResult,
  });

/** With an output schema: what it gives back for structure is looked at more closely. */
const typed = (name: string, structuredContent: () => unknown): Tool =>
  defineTool({
    name,
    description: "Does what no tool should, and says what it gives back.",
    input: v.object({}),
    output: v.looseObject({ value: v.string() }),
    run: () => ({ structuredContent: structuredContent() as { value: string } }),
  });

export const nastyTools: Tool[] = [
  ...Object.entries({ ...RETURNS, ...THROWS, ...SETTLES, ...TALKS }).map(toTool),
  typed("typed_fickle", () => fickle("first", "second", 1n)),
  typed("typed_hiding", () => fickle("a\u200bb", 1n)),
  typed("typed_deep", () => ({ value: "x", deep: nested(200_000) })),
  typed("typed_rather_deep", () => ({ value: "x", deep: nested(5_000) })),
  typed("typed_wrong", () => ({ value: 7, secret: SECRET })),
];
