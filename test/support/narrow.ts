import { onTestFinished } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";

/** Sets bounds to what a test can reach, for as long as it runs. */
export function narrow(bounds: Partial<Record<keyof typeof LIMITS, number>>): void {
  const names = Object.keys(bounds) as (keyof typeof LIMITS)[];
  const before = Object.fromEntries(names.map((name) => [name, LIMITS[name]]));
  onTestFinished(() => void Object.assign(LIMITS, before));
  Object.assign(LIMITS, bounds);
}
