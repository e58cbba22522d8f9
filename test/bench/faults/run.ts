// `npm run faults -- --rounds N --seed S`: faults of all kinds while clients work, and whether every promise is kept. Ends by
// itself; exit code 1 with the seed and the round when one is broken, 2 for a wrong command line, 130 after Ctrl-C.

import { counted, runArguments } from "../run-arguments.ts";
import { FaultsRun } from "./faults-run.ts";
import { progressText, summaryText } from "./report.ts";
import { Witness } from "./witness.ts";

const options = runArguments("faults", {
  rounds: { help: "rounds of work and faults", preset: 20, least: 1, most: 1_000_000, isWhole: true },
  seed: {
    help: "which faults come when",
    preset: Math.floor(Math.random() * 2_000_000_000),
    shown: "another each time",
    least: 0,
    most: 2_000_000_000,
    isWhole: true,
  },
  keepOn: { kind: "flag", help: "go on after a broken promise" },
  log: { kind: "flag", help: "print what the runtime logs" },
});
const { rounds, seed } = options;
const witness = new Witness();
const startedAtMs = performance.now();
let run: FaultsRun | undefined;

const tellSummary = (roundsDone: number, rows: number | undefined, isEarly: boolean): void => {
  const ms = performance.now() - startedAtMs;
  console.log(summaryText(witness, { seed, roundsDone, rows, openCalls: run?.openCalls ?? 0, ms, isEarly }));
};
const endEarly = (exitCode: number): void => {
  tellSummary(Math.max(0, witness.round - 1), undefined, true);
  process.exit(exitCode);
};
process.once("SIGINT", () => endEarly(130)).once("SIGTERM", () => endEarly(143));
console.log(`${counted(rounds, "round")} with the seed ${seed}. Ctrl-C ends the run early.`);

run = await FaultsRun.start(witness, seed);
let isFine = true;
for (witness.round = 1; witness.round <= rounds && (isFine || options.keepOn); witness.round++) {
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
  const written = run.runtime.takeLog();
  if (options.log || !isFine) console.error(written);
}
witness.round--;
const rows = await run.finish().catch(() => undefined);
await run.stop();
tellSummary(witness.round, rows, false);
process.exit(witness.findings.length > 0 ? 1 : 0);
