import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { findIdempotencyKey, IDEMPOTENCY_KEY } from "../../src/protocol/idempotency-key.ts";

const UUID = "8e03978e-40d5-43e8-bc93-6894a57f9324";
const named = (key: unknown) => ({ _meta: { [IDEMPOTENCY_KEY]: key } });

describe("a call's idempotency key", () => {
  it.each<[string, object, string | undefined, string | undefined]>([
    ["none", {}, undefined, undefined],
    ["no _meta that could have one", { _meta: 7 }, undefined, undefined],
    ["in _meta", named(UUID), undefined, UUID],
    ["in the header, as the draft has it", {}, `"${UUID}"`, UUID],
    ["in the header, bare", {}, UUID, UUID],
    ["in the header, with space around it", {}, ` "${UUID}" `, UUID],
    ["with escapes", {}, String.raw`"a\"b\\c"`, String.raw`a"b\c`],
    ["in both places", named(UUID), `"${UUID}"`, UUID],
    ["of one character", named("!"), undefined, "!"],
    ["as long as may be", named("~".repeat(LIMITS.idempotencyKeyChars)), undefined, "~".repeat(128)],
    ["as long as may be, quoted", {}, `"${"k".repeat(LIMITS.idempotencyKeyChars)}"`, "k".repeat(128)],
  ])("is read: %s", (_, params, header, key) => {
    expect(findIdempotencyKey({ ...params }, header)).toBe(key);
  });

  it.each<[string, object, string | undefined]>([
    ["empty", named(""), undefined],
    ["too long", named("k".repeat(LIMITS.idempotencyKeyChars + 1)), undefined],
    ["too long in the header", {}, `"${"k".repeat(LIMITS.idempotencyKeyChars + 1)}"`],
    ["a number", named(7), undefined],
    ["null", named(null), undefined],
    ["with a space", named("a b"), undefined],
    ["with a line end", named("a\n"), undefined],
    ["beyond ASCII", named("schlüssel"), undefined],
    ["an empty header", {}, ""],
    ["an empty string in the header", {}, '""'],
    ["two headers in one", {}, '"a", "b"'],
    ["two bare headers in one", {}, "a, b"],
    ["with parameters", {}, '"a";b=1'],
    ["unquoted on one side", {}, '"a'],
    ["badly escaped", {}, String.raw`"a\b"`],
    ["with a space, quoted", {}, '"a b"'],
    ["another one in each place", named("a"), '"b"'],
  ])("is refused: %s", (_, params, header) => {
    expect(() => findIdempotencyKey({ ...params }, header)).toThrow(
      expect.objectContaining({ name: "ProtocolError", code: -32602 }),
    );
  });
});
