// Whatever is sent has one answer, of the right form, and leaves the server as good as before.

import { afterAll, beforeAll, expect, it } from "vitest";
import { describeFinding, makeShots, shrink, type Finding } from "./findings.ts";
import { checkAlive, Gun } from "./gun.ts";
import { startFuzzServer, type FuzzServer } from "./server.ts";
import { openWorld, type World } from "./world.ts";

// Fixed, so that a failure is a change's doing and not luck's. `npm run fuzz` goes where no run has been.
const SEED = 20_261_201;
const SHOTS = 1_000;
const AT_ONCE = 8;

let server: FuzzServer;
let world: World;

beforeAll(async () => {
  server = await startFuzzServer();
  world = await openWorld(server);
});
afterAll(() => server.stop());

it("answers every request once, within limits, by the rules of its revision, and tells no secret", async () => {
  const shots = makeShots(SEED, SHOTS);
  const findings: Finding[] = [];
  let next = 0;
  const shoot = async (): Promise<void> => {
    const gun = new Gun(world);
    for (let index = next++; index < shots.length; index = next++) {
      const shot = shots[index];
      if (!shot) break;
      const { faults } = await gun.fire(shot);
      if (faults.length > 0) findings.push({ faults, shot, seed: SEED, index });
    }
    gun.close();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, shoot));
  const [first, ...others] = findings;
  const shrunk = first ? [await shrink(first, world), ...others.slice(0, 3)] : [];
  expect(shrunk.map(describeFinding)).toEqual([]);
});

it("serves a good call as before, and has logged nothing that nobody foresaw", async () => {
  expect(await checkAlive(world)).toBeUndefined();
  expect(server.complaints).toEqual([]);
});
