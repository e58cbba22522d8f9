// Commands of the documentation that its test does not run as they stand, why, and which test runs what they do.

export interface Exception {
  command: RegExp;
  because: string;
  /** From the project's root. */
  shownBy: string;
}

const ACCOUNT = "needs an account with Cloudflare";
const OWN_START = "the test has started a server in this way itself";

export const EXCEPTIONS: Exception[] = [
  { command: /^npm ci && npm start$/, because: OWN_START, shownBy: "test/docs/commands.test.ts" },
  { command: /^npm ci && npm test$/, because: "it would run itself", shownBy: ".ci/run" },
  { command: /^EGRESS_ALLOW=\S+ npm start$/, because: OWN_START, shownBy: "test/cli/start.test.ts" },
  { command: /^npm run deploy -- --dry-run /, because: "builds for a minute", shownBy: ".ci/run" },
  {
    command: /^npm run deploy( -- --(env staging|new-admin-key) .*)?$/,
    because: ACCOUNT,
    shownBy: "test/cli/deploy.test.ts",
  },
  {
    command: /^SIGNING_SECRET=\S+ SECRETS_KEY=\S+ npm run deploy$/,
    because: ACCOUNT,
    shownBy: "test/cli/deploy.test.ts",
  },
  {
    command: /^WORKER_ENTRY=src\/recover\.ts npm run deploy$/,
    because: ACCOUNT,
    shownBy: "test/docs/blocks.test.ts",
  },
  {
    command: /^curl -s -X POST .* "\$TOOLGATE_URL\/recover\?to=/,
    because: "goes back in time, which the local runtime can't",
    shownBy: "test/docs/blocks.test.ts",
  },
  { command: /^npx wrangler login$/, because: ACCOUNT, shownBy: "test/cli/deploy.test.ts" },
  {
    command: /\bnpx wrangler secret (put|delete) \w+ --env production$/,
    because: ACCOUNT,
    shownBy: "test/cli/deploy.test.ts",
  },
  {
    command: /^export TOOLGATE_URL=\S+ TOOLGATE_ADMIN_KEY=\S+$/,
    because: "names a deployment",
    shownBy: "test/cli/toolgate.test.ts",
  },
  {
    command: /toolgate -- registry server-json /,
    because: "needs a public server",
    shownBy: "test/cli/server-json.test.ts",
  },
  { command: /^claude mcp add /, because: "is a client's own command", shownBy: "test/journeys/sdk-v2.test.ts" },
];
