import { expect, it } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { ListPage } from "../../src/protocol/list-page.ts";

const RESULT = { ttlMs: LIMITS.listTtlMs, tools: [{ name: "grüße 🙂" }] };

const parse = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes)) as { result: { ttlMs: number } };

it.each([
  ["a number", 7, undefined],
  ["a cursor", 7, "cursor"],
  ["the longest id that there can be, escaped", "\u0001".repeat(LIMITS.idChars), "c".repeat(LIMITS.cursorChars)],
])("is the same for all but for %s", (_, id, nextCursor) => {
  const page = new ListPage(JSON.stringify(RESULT), "b");
  const response = parse(page.encode(id, nextCursor));
  const ttlMs = response.result.ttlMs;
  expect(response).toEqual({ jsonrpc: "2.0", id, result: { ...RESULT, ttlMs, ...(nextCursor && { nextCursor }) } });
  expect(Math.abs(ttlMs - LIMITS.listTtlMs)).toBeLessThanOrEqual(LIMITS.listTtlMs * LIMITS.ttlJitterShare);
});

it("has room at its end for the longest id and cursor, and not for twice as much", () => {
  const page = new ListPage('{"tools":[]}', undefined);
  const tail = page.encode("\u0001".repeat(LIMITS.idChars), "c".repeat(LIMITS.cursorChars)).byteLength - page.size;
  expect([tail <= LIMITS.listTailBytes, 2 * tail > LIMITS.listTailBytes]).toEqual([true, true]);
});

it("has no time to live where its result has none, and is not changed by an answer", () => {
  const page = new ListPage('{"tools":[]}', undefined);
  const first = parse(page.encode(1, "x"));
  expect([first, parse(page.encode(2, undefined))]).toEqual([
    { jsonrpc: "2.0", id: 1, result: { tools: [], nextCursor: "x" } },
    { jsonrpc: "2.0", id: 2, result: { tools: [] } },
  ]);
});
