// Runs scenarios of the official suite, a process each so that none can take others with it, and reads from what it prints
// and stores how they fared.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

const TIMEOUT_MS = 60_000;
const INSTALLED = join(import.meta.dirname, "../../node_modules/.bin/conformance");

/** A warning counts as a failure, as it does in the suite's own comparison with what is expected. */
export interface Check {
  id: string;
  status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  errorMessage?: string;
}

/** How one scenario fared. An entry is the scenario, or one check of it as `scenario:check`. */
export interface Outcome {
  scenario: string;
  checks: Check[];
  expected: string[];
  unexpected: string[];
  /** Expected failures that do not fail. */
  stale: string[];
}

export interface Suite {
  /** The scenarios for servers that a revision has. */
  list: (revision: string) => Promise<string[]>;
  /** Runs one against an endpoint. Throws when the suite itself fails. */
  run: (scenario: string, revision: string, endpoint: string) => Promise<Outcome>;
}

/** The installed suite; `dir` is for what it stores, and `signal` ends whatever it runs. */
export function findSuite(dir: string, signal: AbortSignal): Suite {
  const bin = process.env["CONFORMANCE_BIN"] || INSTALLED;
  if (!existsSync(bin)) throw new Error(`The conformance suite is not installed (${bin}).\nRun:  npm ci`);
  const runBin = (args: string[]): Promise<Finished> => runToEnd([bin, ...args], signal);
  return {
    list: async (revision) => parseList(await runBin(["list", "--server", "--spec-version", revision])),
    run: async (scenario, revision, endpoint) => {
      const output = join(dir, revision, scenario);
      const finished = await runBin(scenarioArguments(scenario, revision, endpoint, output));
      return readOutcome(scenario, finished, output);
    },
  };
}

interface Finished {
  code: number | null;
  output: string;
}

function runToEnd(args: string[], signal: AbortSignal): Promise<Finished> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], signal, timeout: TIMEOUT_MS });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("close", (code) => done({ code, output: stripVTControlCharacters(output) }));
  });
}

function parseList({ output }: Finished): string[] {
  const names = Array.from(output.matchAll(/^ {2}- (\S+) \[.+\]$/gm), ([, name = ""]) => name);
  if (names.length === 0) throw new Error(`conformance list: expected scenarios, received:\n${output}`);
  return names;
}

const scenarioArguments = (scenario: string, revision: string, endpoint: string, dir: string): string[] => [
  "server",
  `--url=${endpoint}`,
  `--scenario=${scenario}`,
  `--spec-version=${revision}`,
  `--expected-failures=${join(import.meta.dirname, "expected-failures", `${revision}.yml`)}`,
  `--output-dir=${dir}`,
];

async function readOutcome(scenario: string, { code, output }: Finished, dir: string): Promise<Outcome> {
  const outcome = { scenario, checks: await readChecks(dir), ...readVerdict(output) };
  const failed = outcome.unexpected.length + outcome.stale.length > 0;
  if (outcome.checks.length > 0 && code === Number(failed)) return outcome;
  throw new Error(`conformance ${scenario}: no verdict, exit code ${code}:\n${output}`);
}

/** The suite makes one folder a scenario; none when it failed before. */
async function readChecks(dir: string): Promise<Check[]> {
  await mkdir(dir, { recursive: true });
  const [folder] = await readdir(dir);
  if (folder === undefined) return [];
  return JSON.parse(await readFile(join(dir, folder, "checks.json"), "utf8")) as Check[];
}

function readVerdict(output: string): Pick<Outcome, "expected" | "unexpected" | "stale"> {
  const [, verdict = ""] = output.split(/^Test Results:$/m);
  const marked = (mark: string): string[] =>
    verdict.split("\n").flatMap((line) => (line.startsWith(`  ${mark} `) ? line.slice(4) : []));
  return { expected: marked("~"), unexpected: marked("✗"), stale: marked("✓") };
}
