// A call that is sent again under its idempotency key: one run, one answer.

import { reset } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { audio, text } from "../../../src/tools/content.ts";
import { ToolError } from "../../../src/tools/tool-error.ts";
import { COMPLETE, errorOf, MODERN, openCaller, openGate, request, resultOf, REVISIONS } from "../../support/app.ts";
import {
  ask,
  COMPLETED,
  counted,
  KEY,
  LEGACY_REVISION,
  MISMATCH,
  numbered,
  order,
  REPLAYED,
  RUNNING,
  told,
  toldAgain,
} from "../../support/order-tool.ts";

const logged: string[] = [];
beforeEach(() => {
  logged.length = 0;
  vi.spyOn(console, "error").mockImplementation((line: string) => void logged.push(line));
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await reset();
});

const { _meta: SERVER } = COMPLETE;

describe("a call that is sent again", () => {
  it.each(REVISIONS)("is answered as it was, in %s", async (revision) => {
    const { tool, runs } = numbered();
    const caller = await openCaller([tool]);
    const first = await ask(caller, revision, order("k"));
    const second = await ask(caller, revision, order("k"));
    const content = { content: [text("order 1")] };
    const modern = revision === MODERN;
    const again = modern ? { _meta: { ...REPLAYED, ...SERVER } } : { _meta: REPLAYED };
    expect([first, second, runs()]).toEqual([
      { status: 200, body: resultOf({ ...(modern && COMPLETE), ...content }) },
      { status: 200, body: resultOf({ ...(modern && COMPLETE), ...content, ...again }) },
      1,
    ]);
  });

  it("is answered in the words of the revision that it is sent again in", async () => {
    const result = { content: [audio("UklGRg==", "audio/wav")], structuredContent: [1], _meta: { "a.b/own": 1 } };
    const { tool, runs } = counted(() => result);
    const caller = await openCaller([tool]);
    const answers = [];
    for (const revision of [MODERN, "2024-11-05", "2025-11-25", MODERN] as const) {
      answers.push((await ask(caller, revision, order("k"))).body);
    }
    const [content] = result.content;
    const resource = { uri: "toolgate:///content/0", mimeType: "audio/wav", blob: "UklGRg==" };
    const marked = { "a.b/own": 1, ...REPLAYED };
    expect(answers).toEqual([
      resultOf({ ...COMPLETE, ...result, _meta: { ...SERVER, "a.b/own": 1 } }),
      resultOf({ content: [{ type: "resource", resource }], _meta: marked }),
      resultOf({ content: [content], _meta: marked }),
      resultOf({ ...COMPLETE, ...result, _meta: { ...SERVER, ...marked } }),
    ]);
    expect(runs()).toBe(1);
  });

  it.each(REVISIONS)("alone is marked as one, whatever its tool says, in %s", async (revision) => {
    const own = { "a.b/own": 1 };
    const { tool } = counted(() => ({ content: [text("first")], _meta: { ...REPLAYED, [KEY]: "k", ...own } }));
    const caller = await openCaller([tool]);
    const frame = revision === MODERN ? COMPLETE : {};
    const told = (meta: object) =>
      resultOf({ ...frame, content: [text("first")], _meta: { ...(revision === MODERN && SERVER), ...meta } });
    const answers = [await ask(caller, revision, order("k")), await ask(caller, revision, order("k"))];
    expect(answers.map(({ body }) => body)).toEqual([told(own), told({ ...own, ...REPLAYED })]);
  });

  it("may name its key in the header, quoted or not, or in _meta", async () => {
    const { tool, runs } = numbered();
    const caller = await openCaller([tool]);
    const { _meta, ...plain } = order("k");
    expect(await ask(caller, LEGACY_REVISION, plain, { "idempotency-key": '"k"' })).toEqual(told("order 1"));
    for (const again of [
      await ask(caller, LEGACY_REVISION, plain, { "idempotency-key": "k" }),
      await ask(caller, LEGACY_REVISION, order("k")),
      await ask(caller, LEGACY_REVISION, order("k"), { "idempotency-key": '"k"' }),
    ]) {
      expect(again).toEqual(toldAgain("order 1"));
    }
    const both = await ask(caller, LEGACY_REVISION, order("k"), { "idempotency-key": '"other"' });
    expect([both.body, runs()]).toEqual([errorOf(-32602), 1]);
    expect(await ask(caller, LEGACY_REVISION, order("other"))).toEqual(told("order 2"));
  });

  it("is the same call however its arguments are written", async () => {
    const { tool, runs } = numbered();
    const caller = await openCaller([tool]);
    await ask(caller, LEGACY_REVISION, order("k"));
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"${KEY}":"k"},"name":"order",
      "arguments":{ "count": 2.0, "dish": "\\u0073oup" }}}`;
    expect(await caller.post(body)).toEqual(toldAgain("order 1"));
    expect(runs()).toBe(1);
  });

  it("is another call under another API key", async () => {
    const { tool, runs } = numbered();
    const gate = openGate([tool]);
    const callers = [gate.caller(await gate.mint()), gate.caller(await gate.mint())];
    const answers = [];
    for (const caller of [...callers, ...callers]) answers.push(await ask(caller, LEGACY_REVISION, order("k")));
    expect(answers).toEqual([told("order 1"), told("order 2"), toldAgain("order 1"), toldAgain("order 2")]);
    expect(runs()).toBe(2);
  });

  it("is refused when it is not the same call", async () => {
    const [first, second] = [numbered(), numbered({ name: "other" })];
    const caller = await openCaller([first.tool, second.tool]);
    await ask(caller, LEGACY_REVISION, order("k"));
    for (const other of [{ arguments: { dish: "soup", count: 3 } }, { arguments: {} }, { name: "other" }]) {
      expect(await ask(caller, LEGACY_REVISION, order("k", other))).toEqual(MISMATCH);
    }
    expect([first.runs(), second.runs()]).toEqual([1, 0]);
  });

  it("runs as always without a key", async () => {
    const { tool, runs } = numbered();
    const caller = await openCaller([tool]);
    const { _meta, ...plain } = order("k");
    await ask(caller, LEGACY_REVISION, plain);
    expect([await ask(caller, LEGACY_REVISION, plain), runs()]).toEqual([told("order 2"), 2]);
  });

  it("is not answered any more where its key may no longer see the tool", async () => {
    const { tool } = numbered();
    const gate = openGate([tool]);
    const caller = gate.caller(await gate.mint());
    await ask(caller, LEGACY_REVISION, order("k"));
    await gate.admin("PATCH", `/keys/${caller.key.split("_")[1]}`, { tools: { deny: ["order"] } });
    const later = openGate([tool]).caller(caller.key);
    expect((await ask(later, LEGACY_REVISION, order("k"))).body).toEqual(errorOf(-32602, 1, "Unknown tool: order"));
  });
});

describe("while the first call runs", () => {
  // The longer that has been, the later a repeat is told to come back.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));

  it("19 more from other isolates are told to come back, and then all have its answer", async () => {
    const [started, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { tool, runs } = counted(async () => {
      started.resolve();
      await gate.promise;
      return "ordered";
    });
    const one = await openCaller([tool]);
    const others = Array.from({ length: 19 }, (_, n) => (n % 2 ? one : openGate([tool]).caller(one.key)));
    const first = ask(one, LEGACY_REVISION, order("k"));
    await started.promise;
    const early = await Promise.all(others.map((caller) => caller.send(request("tools/call", order("k")))));
    expect(early.map(({ status, headers }) => [status, headers.get("retry-after")])).toEqual(
      others.map(() => [409, "1"]),
    );
    expect(await early[0]?.json()).toEqual(RUNNING.body);
    gate.resolve();
    expect(await first).toEqual(told("ordered"));
    const late = await Promise.all(others.map((caller) => ask(caller, LEGACY_REVISION, order("k"))));
    expect(late).toEqual(others.map(() => toldAgain("ordered")));
    expect(runs()).toBe(1);
  });

  it("20 at the same moment make it run once", async () => {
    const { tool, runs } = counted(() => "ordered");
    const caller = await openCaller([tool]);
    const send = () => Promise.all(Array.from({ length: 20 }, () => ask(caller, LEGACY_REVISION, order("k"))));
    const answers = await send();
    expect(answers.filter(({ status }) => status === 200)).toContainEqual(told("ordered"));
    expect(answers.filter(({ status }) => status !== 200)).toEqual(
      answers.filter(({ status }) => status === 409).map(() => RUNNING),
    );
    expect(await send()).toEqual(answers.map(() => toldAgain("ordered")));
    expect(runs()).toBe(1);
  });
});

describe("an answer that is kept", () => {
  it.each<[string, () => unknown, object]>([
    [
      "the tool's own error",
      () => {
        throw new ToolError("sold out");
      },
      { content: [text("sold out")], isError: true },
    ],
    ["an error result", () => ({ content: [], isError: true }), { content: [], isError: true }],
    [
      "a failure, under its first reference",
      () => {
        throw new Error("broken");
      },
      { content: [text(expect.stringMatching(/^Tool failed \(ref /) as string)], isError: true },
    ],
    [
      "a deadline that passed",
      () => new Promise(() => undefined),
      { content: [text(expect.stringContaining("took longer than 20 ms") as string)], isError: true },
    ],
    [
      "that the result was too large",
      () => "x".repeat(LIMITS.resultBytes),
      { content: [text(expect.stringContaining("larger than") as string)], isError: true },
    ],
  ])("is %s", async (_, run, result) => {
    const { tool, runs } = counted(run, { timeoutMs: 20 });
    const caller = await openCaller([tool]);
    const first = await ask(caller, LEGACY_REVISION, order("k"));
    const second = await ask(caller, LEGACY_REVISION, order("k"));
    expect(first.body).toEqual(resultOf(result));
    expect(second.body).toEqual(resultOf({ ...(first.body as { result: object }).result, _meta: REPLAYED }));
    expect(runs()).toBe(1);
  });

  it("has at most so many bytes; of a larger one it is known that it was given", async () => {
    const frame = JSON.stringify({ content: [text("")] }).length;
    const { tool, runs } = counted(({ count }) => "é".repeat((Number(count) - frame) / 2));
    const caller = await openCaller([tool]);
    const large = (key: string, count: number) => ask(caller, LEGACY_REVISION, order(key, { arguments: { count } }));
    expect(frame % 2).toBe(1);
    const sizes = [LIMITS.keptResultBytes - 1, LIMITS.keptResultBytes + 1];
    for (const size of sizes) expect((await large(String(size), size)).status).toBe(200);
    const [below, above] = [await large(String(sizes[0]), sizes[0] ?? 0), await large(String(sizes[1]), sizes[1] ?? 0)];
    expect([below.status, above]).toEqual([200, COMPLETED]);
    expect(runs()).toBe(2);
  });

  it("has exactly so many bytes", async () => {
    const frame = JSON.stringify({ content: [text("")] }).length;
    const { tool, runs } = counted(() => "x".repeat(LIMITS.keptResultBytes - frame));
    const caller = await openCaller([tool]);
    await ask(caller, LEGACY_REVISION, order("k"));
    expect([(await ask(caller, LEGACY_REVISION, order("k"))).status, runs()]).toEqual([200, 1]);
  });

  it("is the same in every revision, also in one that has no structure to fail on", async () => {
    const { tool, runs } = counted(() => ({ content: [text("ordered")], structuredContent: { n: 1n } }));
    const caller = await openCaller([tool]);
    const first = await ask(caller, "2025-03-26", order("k"));
    const failed = { content: [text(expect.stringMatching(/^Tool failed \(ref /) as string)], isError: true };
    expect(first).toEqual({ status: 200, body: resultOf(failed) });
    const { result } = first.body as { result: object };
    const again = await ask(caller, "2025-06-18", order("k"));
    expect([again.body, runs()]).toEqual([resultOf({ ...result, _meta: REPLAYED }), 1]);
  });
});
