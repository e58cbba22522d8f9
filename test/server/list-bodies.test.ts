import { expect, it } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { ListPage } from "../../src/protocol/list-page.ts";
import { ListBodies } from "../../src/server/list-tools.ts";

/** A page that takes so many bytes, some of which are not its own. */
const page = (bytes: number): ListPage => {
  const own = new ListPage("{}", undefined).size - 2;
  const made = new ListPage("{}".padStart(bytes - own), undefined);
  expect(made.size).toBe(bytes);
  return made;
};

it.each([
  ["as many bytes as there may be", LIMITS.listBodiesBytes / 2, true],
  ["one more", LIMITS.listBodiesBytes / 2 + 1, false],
])("keeps pages of %s: the earlier one too", (_, bytes, isKept) => {
  const bodies = new ListBodies();
  bodies.set("a", page(LIMITS.listBodiesBytes / 2));
  const last = bodies.set("b", page(bytes));
  expect([bodies.get("a") !== undefined, bodies.get("b")]).toEqual([isKept, last]);
});

it("does not keep one that is larger than all may be, but answers it", () => {
  const bodies = new ListBodies();
  const large = page(LIMITS.listBodiesBytes + 1);
  expect([bodies.set("a", large), bodies.get("a")]).toEqual([large, undefined]);
});

it("keeps so many pages, and begins anew with one more", () => {
  const bodies = new ListBodies();
  const [first, next] = [page(100), page(100)];
  bodies.set("0", first);
  for (let n = 1; n < LIMITS.listBodies; n++) bodies.set(String(n), page(100));
  const before = bodies.get("0");
  bodies.set("more", next);
  expect([before, bodies.get("0"), bodies.get("more")]).toEqual([first, undefined, next]);
});
