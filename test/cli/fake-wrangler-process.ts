// The fake wrangler as a command: `node fake-wrangler-process.ts DIR ARGS…`, with its account in DIR.

import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { answerCommand, type FakeAccount } from "./fake-account.ts";

const [dir = "", ...args] = process.argv.slice(2);
const stdin = readFileSync(0, "utf8");
appendFileSync(`${dir}/calls.ndjson`, `${JSON.stringify({ args, stdin })}\n`);
const account = JSON.parse(readFileSync(`${dir}/account.json`, "utf8")) as FakeAccount;
const { code, stdout, stderr, records } = answerCommand(account, args, stdin);
writeFileSync(`${dir}/account.json`, JSON.stringify(account));
for (const record of records) {
  appendFileSync(process.env["WRANGLER_OUTPUT_FILE_PATH"] ?? "", `${JSON.stringify(record)}\n`);
}
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = code;
