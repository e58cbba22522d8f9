// `npm run faults -- --rounds N --seed S`: faults of all kinds while clients work, and whether every promise is kept. Ends by
// itself; exit code 1 with the seed and the round when one is broken.

import { parseArgs } from "node:util";
import { FaultsRun } from "./faults-run.ts";
import { progressText, summaryText } from "./report.ts";
import { Witness } from "./witness.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    keepOn: { type: "boolean", default: false },
    log: { type: "boolean", default: false },
  },
});
const [rounds, seed] = [Number(values.rounds), Number(values.seed)];
const witness = new Witness();
const startedAtMs = performance.now();
console.log(`${rounds} rounds with the seed ${seed}. Ctrl-C ends them early.`);

const run = await FaultsRun.start(witness, seed);
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));
let isFine = true;
for (witness.round = 1; witness.round <= rounds && (isFine || values.keepOn); witness.round++) {
  const before = witness.findings.length;
  const roundAtMs = performance.now();
  try {
    await run.round();
  } catch (error) {
    witness.find(`the round could not be ended: ${error instanceof Error ? (error.stack ?? "") : String(error)}`);
  }
  const found = witness.findings.slice(before);
  isFine = found.length === 0;
  console.log(progressText(witness, rounds, performance.now() - roundAtMs));
  for (const { what } of found) console.error(`  broken: ${what}`);
  const log = run.runtime.takeLog();
  if (values.log || !isFine) console.error(log);
}
witness.round--;
const rows = await run.finish().catch(() => undefined);
await run.stop();
console.log(summaryText(witness, { seed, rows, openCalls: run.openCalls, ms: performance.now() - startedAtMs }));
process.exit(witness.findings.length > 0 ? 1 : 0);
