// A wrangler that deploys nowhere: it notes each command with what came on stdin, keeps which secrets are set, and ends
// as a test tells it to.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { NODE } from "./project-copy.ts";

export interface WranglerCall {
  args: string[];
  stdin: string;
}

/** What the account has: one Worker at most. */
export interface FakeAccount {
  /** `undefined` while there is no Worker. */
  secrets?: string[];
  accounts?: { id: string; name: string }[];
  loggedIn?: boolean;
  /** Where the Worker can be reached. */
  targets: string[];
  versionId?: string;
  /** Commands that fail, by their first words, with what they write to stderr. */
  failing?: Record<string, string>;
}

export interface FakeWrangler {
  /** For PATH: this wrangler, and the Node that it and the CLI run on. */
  path: string;
  calls: () => WranglerCall[];
  /** Values of secrets as they were put. */
  values: () => Record<string, string>;
  change: (account: Partial<FakeAccount>) => void;
}

const SCRIPT = `
const { readFileSync, writeFileSync, appendFileSync } = require("node:fs");
const dir = __dirname;
const args = process.argv.slice(2);
const stdin = readFileSync(0, "utf8");
appendFileSync(dir + "/calls.ndjson", JSON.stringify({ args, stdin }) + "\\n");
const account = JSON.parse(readFileSync(dir + "/account.json", "utf8"));
const save = () => writeFileSync(dir + "/account.json", JSON.stringify(account));
const isDryRun = args.includes("--dry-run");
const words = isDryRun ? "deploy --dry-run" : args.filter((arg) => !arg.startsWith("-")).slice(0, 2).join(" ");
const failure = Object.entries(account.failing ?? {}).find(([command]) => words.startsWith(command));
const fail = (text) => { console.error(text); process.exit(1); };
if (failure) fail(failure[1].replace("<stdin>", stdin));
if (words === "whoami") {
  console.log(JSON.stringify({ loggedIn: account.loggedIn ?? true, accounts: account.accounts ?? [{ id: "a1", name: "Ada" }] }));
  if (account.loggedIn === false) process.exit(1);
} else if (isDryRun) console.log("Total Upload: 1.00 KiB / gzip: 0.50 KiB");
else if (words.startsWith("secret list")) {
  if (!account.secrets) fail('Worker "toolgate" (env: production) not found.\\n\\nIf this is a new Worker, run wrangler deploy first.');
  console.log(JSON.stringify(account.secrets.map((name) => ({ name, type: "secret_text" }))));
} else if (words.startsWith("secret bulk")) {
  const values = JSON.parse(stdin);
  account.secrets = [...new Set([...(account.secrets ?? []), ...Object.keys(values)])];
  account.values = { ...account.values, ...values };
  save();
} else if (words.startsWith("deploy")) {
  const record = { type: "deploy", version: 1, version_id: account.versionId ?? "v-1", targets: account.targets };
  appendFileSync(process.env.WRANGLER_OUTPUT_FILE_PATH, JSON.stringify(record) + "\\n");
  account.secrets ??= [];
  save();
}
`;

/** Puts one in a folder of the test's own. */
export function fakeWrangler(folder: string, account: FakeAccount): FakeWrangler {
  const dir = join(folder, "fake-bin");
  const file = (name: string): string => join(dir, name);
  mkdirSync(dir, { recursive: true });
  writeFileSync(file("fake.cjs"), SCRIPT);
  writeFileSync(file("wrangler"), `#!/bin/sh\nexec ${JSON.stringify(NODE)} ${JSON.stringify(file("fake.cjs"))} "$@"\n`);
  chmodSync(file("wrangler"), 0o755);
  writeFileSync(file("account.json"), JSON.stringify(account));
  const read = (): FakeAccount & { values?: Record<string, string> } =>
    JSON.parse(readFileSync(file("account.json"), "utf8"));
  return {
    path: [dir, dirname(NODE), "/usr/bin", "/bin"].join(":"),
    calls: () =>
      existsSync(file("calls.ndjson"))
        ? readFileSync(file("calls.ndjson"), "utf8")
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line) as WranglerCall)
        : [],
    values: () => read().values ?? {},
    change: (changes) => writeFileSync(file("account.json"), JSON.stringify({ ...read(), ...changes })),
  };
}
