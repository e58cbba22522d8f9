import * as v from "valibot";
import { expect, it } from "vitest";
import { KeyChangeSchema, KeyInputSchema } from "../../src/keys/key-input.ts";

const isTaken = (name: string): boolean[] =>
  [KeyInputSchema, KeyChangeSchema].map((schema) => v.safeParse(schema, { name }).success);

it.each(["CI of team Ü", "日本語", "👩‍💻 laptop"])("a key may be named %j", (name) => {
  expect(isTaken(name)).toEqual([true, true]);
});

it.each(["a\u001b[2J", "a\nb", "a\u0000b", "a\u007fb", "a\u009bb", "a\u202eb", "a\u2066b", "a\u2028b"])(
  "a key may not be named %j",
  (name) => {
    expect(isTaken(name)).toEqual([false, false]);
  },
);
