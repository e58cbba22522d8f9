import { expect, it } from "vitest";
import { LruMap } from "../../src/lib/lru-map.ts";

it("holds as many entries as it may, and gives up the one used longest ago", () => {
  const map = new LruMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  expect([map.size, map.get("a"), map.get("b"), map.get("a")]).toEqual([2, 1, 2, 1]);
  map.set("c", 3);
  expect([map.size, map.get("a"), map.get("b"), map.get("c")]).toEqual([2, 1, undefined, 3]);
});

it("takes another value for an entry that is there, and no more room", () => {
  const map = new LruMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  map.set("c", 4);
  expect([map.size, map.get("a"), map.get("b"), map.get("c")]).toEqual([2, 3, undefined, 4]);
});

it("forgets what it is told to", () => {
  const map = new LruMap<string, number>(2);
  map.set("a", 1);
  expect([map.delete("a"), map.delete("a"), map.get("a")]).toEqual([true, false, undefined]);
  map.set("b", 2);
  map.clear();
  expect([map.size, map.get("b")]).toEqual([0, undefined]);
});
