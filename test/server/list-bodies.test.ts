import { expect, it } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { ListBodies } from "../../src/server/list-tools.ts";

const page = (chars: number) => ({ body: "x".repeat(chars), last: undefined });

it.each([
  ["as many characters as there may be", LIMITS.listBodiesChars / 2, true],
  ["one more", LIMITS.listBodiesChars / 2 + 1, false],
])("keeps pages of %s: the earlier one too", (_, chars, isKept) => {
  const bodies = new ListBodies();
  bodies.set("a", page(LIMITS.listBodiesChars / 2));
  const last = bodies.set("b", page(chars));
  expect([bodies.get("a") !== undefined, bodies.get("b")]).toEqual([isKept, last]);
});

it("does not keep one that is larger than all may be, but answers it", () => {
  const bodies = new ListBodies();
  const large = page(LIMITS.listBodiesChars + 1);
  expect([bodies.set("a", large), bodies.get("a")]).toEqual([large, undefined]);
});

it("keeps so many pages, and begins anew with one more", () => {
  const bodies = new ListBodies();
  for (let n = 0; n < LIMITS.listBodies; n++) bodies.set(String(n), page(1));
  const before = bodies.get("0");
  bodies.set("more", page(1));
  expect([before, bodies.get("0"), bodies.get("more")]).toEqual([page(1), undefined, page(1)]);
});
