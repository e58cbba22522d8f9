import { expect, test } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { ListLeases } from "../../src/registry/list-leases.ts";

const LIFE = LIMITS.listLeaseMs;
const NOW = 1_000_000;

test("nothing is held up where nobody lists", () => {
  const leases = new ListLeases(NOW, false);
  expect([leases.waitMs(7, NOW), leases.readSettled(7, NOW)]).toEqual([0, 7]);
});

test("a lease on a version holds up those after it, and not that itself", () => {
  const leases = new ListLeases(NOW, false);
  leases.grant(7, NOW);
  expect([leases.waitMs(7, NOW), leases.waitMs(8, NOW + 1), leases.readSettled(8, NOW)]).toEqual([0, LIFE - 1, 7]);
  expect([leases.waitMs(8, NOW + LIFE), leases.readSettled(8, NOW + LIFE)]).toEqual([0, 8]);
});

test("the last lease on a version counts, and of several versions the oldest", () => {
  const leases = new ListLeases(NOW, false);
  leases.grant(7, NOW);
  leases.grant(7, NOW + 40);
  leases.grant(8, NOW + 50);
  expect([leases.waitMs(8, NOW + 60), leases.waitMs(9, NOW + 60), leases.readSettled(9, NOW + 60)]).toEqual([
    LIFE - 20,
    LIFE - 10,
    7,
  ]);
  expect(leases.readSettled(9, NOW + 40 + LIFE)).toBe(8);
});

test("a lease on an older version, of a replica's isolates, counts although it comes late", () => {
  const leases = new ListLeases(NOW, false);
  leases.grant(8, NOW);
  leases.grant(7, NOW + 10);
  leases.grant(8, NOW + 20);
  expect([leases.readSettled(9, NOW + 20), leases.waitMs(8, NOW + 20), leases.waitMs(9, NOW + 20)]).toEqual([
    7,
    LIFE - 10,
    LIFE,
  ]);
});

test("what was granted before it was woken holds up everything for as long as a lease lives", () => {
  const leases = new ListLeases(NOW, true);
  expect([leases.waitMs(8, NOW), leases.readSettled(8, NOW)]).toEqual([LIFE, undefined]);
  expect([leases.waitMs(8, NOW + LIFE), leases.readSettled(8, NOW + LIFE)]).toEqual([0, 8]);
});
