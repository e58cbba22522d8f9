import * as fc from "fast-check";
import { expect, it } from "vitest";
import { EventParser } from "../../../src/tools/upstream/event-parser.ts";

const parse = (...pieces: string[]): string[] => {
  const parser = new EventParser();
  return pieces.flatMap((piece) => parser.push(piece));
};

it.each([
  [["data: a\n\n"], ["a"]],
  [["\uFEFFdata: a\n\n"], ["a"]],
  [["data:a\r\n\r\ndata: b\r\rdata: c\n\n"], ["a", "b", "c"]],
  [["data: a\ndata:  b\n\n"], ["a\n b"]],
  [["id: 7\nevent: message\nretry: 5\n: comment\ndata: a\n\n"], ["a"]],
  [["data\n\n", "data:\n\n"], []],
  [["datum: a\n\n"], []],
  [["data: never ended\n"], []],
  [
    ["data: a\r", "\n\r", "\ndata: b\n", "\n"],
    ["a", "b"],
  ],
])("%j", (pieces, expected) => {
  expect(parse(...pieces)).toEqual(expected);
});

it("gives the same however the text is cut", () => {
  const stream = fc
    .array(fc.constantFrom("data: ", "data:x", "a", "\r\n", "\n", "\r", ": c", "id: 1", "\uFEFF"), { maxLength: 30 })
    .map((parts) => `${parts.join("")}\n\n`);
  fc.assert(
    fc.property(stream, fc.array(fc.nat(40), { maxLength: 6 }), (text, cuts) => {
      const places = [0, ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b), text.length];
      const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
      expect(parse(...pieces)).toEqual(parse(text));
    }),
  );
});
