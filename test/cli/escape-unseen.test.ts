// The command line stands apart from the server and has the rule of the server's log once more: they are the same.

import { afterEach, expect, it, vi } from "vitest";
import { escapeUnseen } from "../../src/cli/escape-unseen.ts";
import { logEvent } from "../../src/telemetry/log.ts";

afterEach(() => void vi.restoreAllMocks());

/** As many characters as a text of the log may have. */
const STEP = 128;

it("escapes what the log escapes, of all characters", () => {
  const lines: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
  const differing: string[] = [];
  for (let first = 0; first <= 0x10ffff; first += STEP) {
    const text = Array.from({ length: STEP }, (_, at) => String.fromCodePoint(first + at)).join("");
    logEvent("info", "x", { text });
    const expected = escapeUnseen(JSON.stringify({ level: "info", event: "x", text }));
    if (lines.pop() !== expected) differing.push(first.toString(16));
  }
  expect(differing).toEqual([]);
});

it("leaves line feeds alone where that is asked for", () => {
  expect(escapeUnseen("a\nb\r\u200bc", true)).toBe("a\nb\\u000d\\u200bc");
});
