import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/cli/cli-error.ts";
import { counted, readRunArguments, type RunOption } from "../bench/run-arguments.ts";
import { run } from "./processes.ts";
import { NODE } from "./project-copy.ts";

const OPTIONS = {
  rounds: { help: "how many", preset: 20, least: 1, most: 100, isWhole: true },
  minutes: { help: "how long", preset: 1.5, least: 0.1, most: 10, isWhole: false },
  json: { kind: "text", help: "where figures go", preset: "out.json" },
  log: { kind: "flag", help: "print it all" },
} as const satisfies Record<string, RunOption>;

const read = (...args: string[]) => readRunArguments("faults", OPTIONS, args);

describe("the command line of a long run", () => {
  it("has defaults, and takes what is given up to the bounds", () => {
    expect(read()).toEqual({ values: { rounds: 20, minutes: 1.5, json: "out.json", log: false } });
    expect(read("--rounds", "1", "--minutes=0.1", "--json", "a", "--log")).toEqual({
      values: { rounds: 1, minutes: 0.1, json: "a", log: true },
    });
    expect(read("--rounds", "100", "--minutes", "10")).toMatchObject({ values: { rounds: 100, minutes: 10 } });
  });

  it("tells its options and their defaults", () => {
    expect(read("--help")).toEqual({
      help: `Usage: npm run faults -- [options]

  --rounds N   how many (default: 20)
  --minutes N  how long (default: 1.5)
  --json FILE  where figures go (default: out.json)
  --log        print it all`,
    });
  });

  it.each([
    [["--rounds", "abc"], '--rounds: expected a whole number from 1 to 100, received "abc".'],
    [["--rounds", "0"], '--rounds: expected a whole number from 1 to 100, received "0".'],
    [["--rounds", "101"], '--rounds: expected a whole number from 1 to 100, received "101".'],
    [["--rounds", "-3"], '--rounds: expected a whole number from 1 to 100, received "-3".'],
    [["--rounds", "1.5"], '--rounds: expected a whole number from 1 to 100, received "1.5".'],
    [["--rounds="], '--rounds: expected a whole number from 1 to 100, received "".'],
    [["--minutes", "0"], '--minutes: expected a number from 0.1 to 10, received "0".'],
    [["--json="], "--json: expected a text, received none."],
    [["--rounds"], "faults: Option '--rounds <value>' argument missing. See --help."],
    [["--round", "3"], "faults: Unknown option '--round'. Did you mean --rounds? See --help."],
  ])("refuses %j", (args, message) => {
    expect(() => read(...args)).toThrow(new UsageError(message));
  });

  it("refuses what is no option", () => {
    expect(() => read("3")).toThrow(/^faults: Unexpected argument '3'\. .*See --help\.$|^faults: Unexpected argument/);
  });

  it("counts in singular and plural", () => {
    expect([0, 1, 2].map((count) => counted(count, "kill"))).toEqual(["0 kills", "1 kill", "2 kills"]);
  });
});

it.each(["faults", "soak", "fuzz"])("npm run %s ends with one line and exit code 2", async (name) => {
  const script = resolve(import.meta.dirname, `../bench/${name}/run.ts`);
  const finished = await run(NODE, ["--disable-warning=ExperimentalWarning", script, "--seed", "-1"], process.cwd());
  expect(finished).toEqual({
    code: 2,
    stdout: "",
    stderr: '--seed: expected a whole number from 0 to 2000000000, received "-1".'.replace(/^/, "error: ") + "\n",
  });
});
