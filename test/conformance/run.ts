// `npm run conformance`: the official suite, at each revision that it knows, against the fixture Worker.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFixtureServer, type FixtureServer } from "./fixture-server.ts";
import { findSuite, type Check, type Outcome, type Suite } from "./suite.ts";

const REVISIONS = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

const HEADING = ["revision", "scenarios", "passed", "expected", "unexpected", "stale", "checks passed", "failed"];

/** Answers whether everything went as expected. */
async function run(dir: string, signal: AbortSignal): Promise<boolean> {
  const suite = findSuite(dir, signal);
  const server = await startFixtureServer(dir);
  try {
    const outcomes = await Promise.all(REVISIONS.map((revision) => runRevision(revision, suite, server)));
    const rows = outcomes.map((all, index) => [REVISIONS[index] ?? "", ...countAll(all).map(String)]);
    console.log(`\n${formatTable([HEADING, ...rows])}`);
    return outcomes.flat().every(({ unexpected, stale }) => unexpected.length + stale.length === 0);
  } finally {
    await server.close();
  }
}

/** One scenario after the other: in the newest revision some change what others list. */
async function runRevision(revision: string, suite: Suite, server: FixtureServer): Promise<Outcome[]> {
  const endpoint = await server.mintEndpoint(revision);
  const scenarios = await suite.list(revision);
  console.log(`Running ${scenarios.length} scenarios of ${revision}`);
  const outcomes: Outcome[] = [];
  for (const scenario of scenarios) {
    const outcome = await suite.run(scenario, revision, endpoint);
    printSurprises(revision, outcome);
    outcomes.push(outcome);
  }
  return outcomes;
}

function printSurprises(revision: string, { scenario, checks, unexpected, stale }: Outcome): void {
  for (const { id, errorMessage } of checks.filter(isFailed)) {
    if (!unexpected.includes(scenario) && !unexpected.includes(`${scenario}:${id}`)) continue;
    console.log(`${revision}  ${scenario}:${id} failed: ${errorMessage ?? "no reason given"}\n`);
  }
  for (const entry of stale) console.log(`${revision}  ${entry} passes: it is no longer to be expected to fail\n`);
}

/** In the order of `HEADING`. */
function countAll(outcomes: readonly Outcome[]): number[] {
  const sum = (count: (outcome: Outcome) => number): number =>
    outcomes.reduce((total, outcome) => total + count(outcome), 0);
  return [
    outcomes.length,
    sum(({ checks }) => Number(!checks.some(isFailed))),
    sum(({ expected }) => expected.length),
    sum(({ unexpected }) => unexpected.length),
    sum(({ stale }) => stale.length),
    sum(({ checks }) => checks.filter(({ status }) => status === "SUCCESS").length),
    sum(({ checks }) => checks.filter(isFailed).length),
  ];
}

const isFailed = ({ status }: Check): boolean => status === "FAILURE" || status === "WARNING";

/** Columns two spaces apart, their ends below each other. */
function formatTable(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join("  ")).join("\n");
}

const ended = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => ended.abort());

const dir = mkdtempSync(join(tmpdir(), "toolgate-conformance-"));
process.on("exit", () => {
  ended.abort();
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

try {
  process.exitCode = (await run(dir, ended.signal)) ? 0 : 1;
} catch (error) {
  ended.abort();
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
