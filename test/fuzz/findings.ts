// A shot that was not answered as it should be, made as small as it stays one.

import * as fc from "fast-check";
import { shot as anyShot } from "./models/shots.ts";
import { Gun } from "./gun.ts";
import type { Shot } from "./shot.ts";
import type { World } from "./world.ts";

export interface Finding {
  faults: string[];
  shot: Shot;
  /** What makes the shot again: the seed of its round and its place in it. */
  seed: number;
  index: number;
}

const SHRINK_WITHIN_MS = 10_000;
const MOST_SHRINKS = 300;

/** The same round of shots for the same seed. */
export const makeShots = (seed: number, count: number): Shot[] => fc.sample(anyShot, { seed, numRuns: count });

/** The smallest shot found with a fault; the finding as it was where it does not come about again. */
export async function shrink(finding: Finding, world: World): Promise<Finding> {
  const gun = new Gun(world);
  let smallest: Pick<Finding, "faults" | "shot"> = finding;
  let tries = 0;
  const property = fc.asyncProperty(anyShot, async (shot) => {
    // Beyond that nothing counts as smaller.
    if (++tries > MOST_SHRINKS) return;
    const { faults } = await gun.fire(shot);
    if (faults.length === 0) return;
    smallest = { faults, shot };
    throw new Error(faults.join("; "));
  });
  const { seed, index } = finding;
  await fc.check(property, {
    seed,
    path: String(index),
    numRuns: 1,
    interruptAfterTimeLimit: SHRINK_WITHIN_MS,
  });
  gun.close();
  return { ...finding, ...smallest };
}

const SHOWN_CHARS = 4_000;

/** For people: what was wrong, and what was sent. */
export const describeFinding = ({ faults, shot, seed, index }: Finding): string =>
  `${faults.join("; ")}\n  shot ${index} of round ${seed}: ${JSON.stringify(shot).slice(0, SHOWN_CHARS)}`;
