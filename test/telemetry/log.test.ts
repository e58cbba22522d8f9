import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { logEvent, logFailure } from "../../src/telemetry/log.ts";

const lines: [string, string][] = [];

beforeEach(() => {
  lines.length = 0;
  for (const level of ["log", "warn", "error"] as const) {
    vi.spyOn(console, level).mockImplementation((line: string) => void lines.push([level, line]));
  }
});
afterEach(() => {
  vi.restoreAllMocks();
});

const raise = (): never => {
  throw new Error("no look");
};

describe("an event", () => {
  it.each([
    ["info", "log"],
    ["warn", "warn"],
    ["error", "error"],
  ] as const)("of level %s is one JSON line", (level, method) => {
    logEvent(level, "happened", { text: "x", count: 1, flag: true, none: undefined });
    expect(lines).toEqual([[method, `{"level":"${level}","event":"happened","text":"x","count":1,"flag":true}`]]);
  });

  it.each([
    ["a forged line", 'x\n{"level":"admin"}\r\n'],
    ["escape sequences", "\u001b[2J\u001b]8;;http://evil.example\u0007\u009b31m\u0000\u007f"],
    ["other line ends", "a\u0085b\u2028c\u2029d"],
    ["what turns text around", "\u202egnp.exe\u2066"],
    ["what nobody sees", "a\u200b\u00ad\ufeff\u{e0041}\u{e0001}b\ufe0f"],
    ["lone surrogates", "\ud800x\udfff"],
  ])("with %s in it is one line of what can be seen, and nothing lost", (_, text) => {
    logEvent("info", "happened", { text });
    const [, line = ""] = lines[0] ?? [];
    expect([lines.length, JSON.parse(line)]).toEqual([1, { level: "info", event: "happened", text }]);
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u);
  });

  it.each([
    [255, 255],
    [256, 256],
    [257, 257],
    [1_000_000, 257],
  ])("has of a text of %i characters %i", (chars, shown) => {
    logEvent("info", "happened", { text: "x".repeat(chars) });
    expect((JSON.parse(lines[0]?.[1] ?? "") as { text: string }).text).toHaveLength(shown);
  });
});

describe("a failure", () => {
  it("is told with its reference, its name and where it came from, cut to size", () => {
    const error = Object.assign(new RangeError("m".repeat(300)), { stack: "s".repeat(3_000) });
    logFailure("failed", "ref1", error, { tool: "t" });
    expect(JSON.parse(lines[0]?.[1] ?? "")).toEqual({
      level: "error",
      event: "failed",
      ref: "ref1",
      tool: "t",
      error: `RangeError: ${"m".repeat(244)}…`,
      stack: `${"s".repeat(2_000)}…`,
    });
  });

  it.each<[string, unknown, string]>([
    ["text", "x", "x"],
    ["nothing", undefined, "undefined"],
    ["a symbol", Symbol("x"), "Symbol(x)"],
    ["an object that won't be text", { toString: raise }, "something that can't be shown"],
    ["an object without a prototype", Object.create(null), "something that can't be shown"],
    [
      "a proxy that answers nothing",
      new Proxy({}, { getPrototypeOf: raise, get: raise }),
      "something that can't be shown",
    ],
    [
      "an error that answers nothing",
      Object.defineProperty(new Error("x"), "message", { get: raise }),
      "something that can't be shown",
    ],
  ])("may be %s", (_, thrown, error) => {
    logFailure("failed", "ref1", thrown);
    expect(JSON.parse(lines[0]?.[1] ?? "")).toEqual({ level: "error", event: "failed", ref: "ref1", error });
  });
});
