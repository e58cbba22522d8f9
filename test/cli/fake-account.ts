// What a wrangler that deploys nowhere says and keeps: an account of one Worker at most. Commands fail as a test tells.

/** What the account has. */
export interface FakeAccount {
  /** `undefined` while there is no Worker. */
  secrets?: string[];
  /** Values of secrets as they were put. */
  values?: Record<string, string>;
  accounts?: { id: string; name: string }[];
  loggedIn?: boolean;
  /** Where the Worker can be reached. */
  targets: string[];
  versionId?: string;
  /** Commands that fail, by their first words, with what they write to stderr. */
  failing?: Record<string, string>;
}

interface Answer {
  code: number;
  stdout: string;
  stderr: string;
  /** What it writes for machines. */
  records: Record<string, unknown>[];
}

const NO_WORKER =
  'Worker "toolgate" (env: production) not found.\n\nIf this is a new Worker, run wrangler deploy first.';

/** Answers one command, and changes the account by it. */
export function answerCommand(account: FakeAccount, args: string[], stdin: string): Answer {
  const isDryRun = args.includes("--dry-run");
  const plain = args.filter((arg) => !arg.startsWith("-")).slice(0, 2);
  const words = isDryRun ? "deploy --dry-run" : plain.join(" ");
  const failure = Object.entries(account.failing ?? {}).find(([command]) => words.startsWith(command));
  if (failure) return failed(failure[1].replace("<stdin>", stdin));
  if (isDryRun) return said("Total Upload: 1.00 KiB / gzip: 0.50 KiB");
  if (words === "whoami") return whoAmI(account);
  if (words.startsWith("secret list")) {
    if (!account.secrets) return failed(NO_WORKER);
    return said(JSON.stringify(account.secrets.map((name) => ({ name, type: "secret_text" }))));
  }
  if (words.startsWith("secret bulk")) putSecrets(account, JSON.parse(stdin) as Record<string, string>);
  if (!words.startsWith("deploy")) return said("");
  account.secrets ??= [];
  const { versionId = "v-1", targets } = account;
  return { ...said(""), records: [{ type: "deploy", version: 1, version_id: versionId, targets }] };
}

const said = (text: string): Answer => ({
  code: 0,
  stdout: text === "" ? "" : `${text}\n`,
  stderr: "",
  records: [],
});

const failed = (text: string): Answer => ({ code: 1, stdout: "", stderr: `${text}\n`, records: [] });

function whoAmI({ loggedIn = true, accounts = [{ id: "a1", name: "Ada" }] }: FakeAccount): Answer {
  return { ...said(JSON.stringify({ loggedIn, accounts })), code: loggedIn ? 0 : 1 };
}

function putSecrets(account: FakeAccount, values: Record<string, string>): void {
  account.secrets = [...new Set([...(account.secrets ?? []), ...Object.keys(values)])];
  account.values = { ...account.values, ...values };
}
