// A wrangler that deploys nowhere and notes each command with what came on stdin: a command on PATH, or a function in the
// tests' own process, on the same account.

import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { RunWrangler } from "../../src/cli/wrangler-command.ts";
import { answerCommand, type FakeAccount } from "./fake-account.ts";
import { NODE } from "./project-copy.ts";

const PROCESS = resolve(import.meta.dirname, "fake-wrangler-process.ts");

export interface WranglerCall {
  args: string[];
  stdin: string;
}

export interface FakeWrangler {
  /** For PATH: this wrangler, and the Node that it and the CLI run on. */
  path: string;
  /** The same without a process. */
  runHere: RunWrangler;
  calls: () => WranglerCall[];
  /** Values of secrets as they were put. */
  values: () => Record<string, string>;
  change: (account: Partial<FakeAccount>) => void;
}

/** Puts one in a folder of the test's own. */
export function fakeWrangler(folder: string, account: FakeAccount): FakeWrangler {
  const dir = join(folder, "fake-bin");
  const file = (name: string): string => join(dir, name);
  mkdirSync(dir, { recursive: true });
  writeFileSync(
    file("wrangler"),
    `#!/bin/sh\nexec ${[NODE, PROCESS, dir].map((word) => `'${word}'`).join(" ")} "$@"\n`,
  );
  chmodSync(file("wrangler"), 0o755);
  const read = (): FakeAccount => JSON.parse(readFileSync(file("account.json"), "utf8")) as FakeAccount;
  const write = (changed: FakeAccount): void => writeFileSync(file("account.json"), JSON.stringify(changed));
  write(account);
  return {
    path: [dir, dirname(NODE), "/usr/bin", "/bin"].join(":"),
    runHere: async (args, stdin = "") => {
      appendFileSync(file("calls.ndjson"), `${JSON.stringify({ args, stdin })}\n`);
      const changed = read();
      const end = answerCommand(changed, args, stdin);
      write(changed);
      return end;
    },
    calls: () =>
      existsSync(file("calls.ndjson"))
        ? readFileSync(file("calls.ndjson"), "utf8")
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line) as WranglerCall)
        : [],
    values: () => read().values ?? {},
    change: (changes) => write({ ...read(), ...changes }),
  };
}
