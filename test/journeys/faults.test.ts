// A few rounds of the fault harness. `npm run faults` runs as many as one likes.

import { expect, onTestFinished, test } from "vitest";
import { FaultsRun } from "../bench/faults/faults-run.ts";
import { Witness } from "../bench/faults/witness.ts";

const TIMEOUT_MS = 120_000;

test(
  "a server whose parts fail, and which is killed, keeps what it promised",
  async () => {
    const witness = new Witness();
    const run = await FaultsRun.start(witness, 1);
    onTestFinished(() => run.stop());
    for (const isKill of [false, true, false]) {
      witness.round++;
      await run.round(isKill);
    }
    expect(witness.findings).toEqual([]);
    expect(await run.finish()).toBeGreaterThan(0);
    expect(["faults: kill", "recoveries"].map((what) => witness.read(what))).toEqual([1, 60]);
  },
  TIMEOUT_MS,
);
