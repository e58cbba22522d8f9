// Bounds of what lint looks at and complains of, at and beyond each.

import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { lintSize } from "../../src/lint/definition-rules.ts";
import { lintTool } from "../../src/lint/lint-tool.ts";
import { textsOf } from "../../src/lint/texts.ts";
import { ArgumentNames } from "../../src/openapi/tool-name.ts";
import { QUIET } from "./definitions.ts";

/** Of UTF-8, for a token. */
const TOKEN_BYTES = 4.5;

describe("a definition", () => {
  it.each([
    [LIMITS.lintToolTokens * TOKEN_BYTES - 1, []],
    [LIMITS.lintToolTokens * TOKEN_BYTES, []],
    [LIMITS.lintToolTokens * TOKEN_BYTES + 1, [LIMITS.lintToolTokens + 1]],
  ])("of %d bytes: %j", (bytes, tokens) => {
    const told = lintSize("x".repeat(bytes)).map(({ rule, message }) => [rule, message]);
    const message = `tokens in each request of a client that loads all tools: expected at most ${LIMITS.lintToolTokens}.`;
    expect(told).toEqual(tokens.map((count) => ["tool-size", `About ${count} ${message}`]));
  });

  it.each([LIMITS.prefixedNameChars, LIMITS.prefixedNameChars + 1])("with a name of %i characters", (length) => {
    const told = lintTool({ ...QUIET, name: "n".repeat(length) }).filter(({ rule }) => rule === "name-prefix-room");
    expect(told.length).toBe(length - LIMITS.prefixedNameChars);
  });

  it("is read of so many characters of a text", () => {
    const read = [LIMITS.lintTextChars - 1, LIMITS.lintTextChars, LIMITS.lintTextChars + 1].map((length) =>
      [...textsOf({ description: "x".repeat(length) })].map(({ text }) => text.length),
    );
    expect(read).toEqual([[LIMITS.lintTextChars - 1], [LIMITS.lintTextChars], [LIMITS.lintTextChars]]);
  });
});

it.each([LIMITS.argumentNameChars, LIMITS.argumentNameChars + 1])(
  "an argument's name of %i characters is cut",
  (length) => {
    const most = "a".repeat(LIMITS.argumentNameChars);
    const names = new ArgumentNames();
    expect([names.claim("a".repeat(length), "query"), names.claim("a".repeat(length), "query").length]).toEqual([
      most,
      LIMITS.argumentNameChars,
    ]);
  },
);
