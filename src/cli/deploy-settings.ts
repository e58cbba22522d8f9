// Owns the command line and the environment of "npm run deploy".

import { parseArgs } from "node:util";
import { UsageError } from "./cli-error.ts";
import { BRINGABLE, type GivenSecrets } from "./deploy-secrets.ts";
import { optionFault } from "./option-fault.ts";

const ENVIRONMENTS = ["production", "staging"] as const;
const WAIT_SECONDS = 120;
const MIN_ADMIN_KEY_CHARS = 16;
const MIN_SECRET_CHARS = 32;

/** What to deploy and how. */
export interface DeploySettings {
  environment: (typeof ENVIRONMENTS)[number];
  dryRun: boolean;
  /** Replace the admin key although there is one. */
  newAdminKey: boolean;
  /** Where the server will be, when wrangler can't tell: a route that another system answers for. */
  url: string | undefined;
  waitMs: number;
  /** The operator's own admin key; its hash is put where there is none, and it pays for the smoke call. */
  adminKey: string | undefined;
  /** The operator's own; each is put where the deployment has none. */
  secrets: GivenSecrets;
  /** Which of the login's accounts, where it has several. */
  accountId: string | undefined;
  help: boolean;
}

export const DEPLOY_HELP = `npm run deploy -- [options]

Deploys to Cloudflare: checks the login and that it builds, makes the secrets that are not set, deploys, and makes a call
through the public URL. Running it again changes nothing but the code.

  --env NAME           production (the default) or staging, as in wrangler.toml
  --dry-run            build and check only; nothing is asked of Cloudflare
  --new-admin-key      put another admin key in place of the one that there is
  --url URL            where the server is reached, if not where wrangler says
  --wait-seconds N     how long to wait for the new version to answer (${WAIT_SECONDS})
  --help               print this

TOOLGATE_ADMIN_KEY is the admin key: on the first run it is taken instead of a new one, and nothing is printed; later it
lets the smoke call go all the way. SIGNING_SECRET and SECRETS_KEY (${MIN_SECRET_CHARS} characters or more) are set where the deployment
has none, instead of new ones that nobody can read back; those that are set stay. CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID are wrangler's.
`;

/** Reads them. Throws `UsageError`. */
export function readDeploySettings(args: string[], env: NodeJS.ProcessEnv): DeploySettings {
  const { values } = parse(args);
  const { "dry-run": dryRun = false, "new-admin-key": newAdminKey = false, help = false } = values;
  return {
    environment: parseEnvironment(values.env ?? "production"),
    dryRun,
    newAdminKey,
    url: parseUrl(values.url),
    waitMs: parseWait(values["wait-seconds"]) * 1000,
    adminKey: parseSecret("TOOLGATE_ADMIN_KEY", env["TOOLGATE_ADMIN_KEY"], MIN_ADMIN_KEY_CHARS),
    secrets: parseSecrets(env),
    accountId: env["CLOUDFLARE_ACCOUNT_ID"] || undefined,
    help,
  };
}

const OPTIONS = {
  env: { type: "string" },
  "dry-run": { type: "boolean" },
  "new-admin-key": { type: "boolean" },
  url: { type: "string" },
  "wait-seconds": { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS });
  } catch (error) {
    throw new UsageError(`deploy: ${optionFault(error, Object.keys(OPTIONS))}\nSee --help.`);
  }
}

function parseEnvironment(name: string): DeploySettings["environment"] {
  const environment = ENVIRONMENTS.find((known) => known === name);
  if (environment) return environment;
  throw new UsageError(`--env: expected ${ENVIRONMENTS.join(" or ")}, received ${JSON.stringify(name)}.`);
}

function parseUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.origin;
  throw new UsageError(`--url: expected a URL such as https://tools.example.com, received ${JSON.stringify(text)}.`);
}

function parseWait(text = String(WAIT_SECONDS)): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new UsageError(`--wait-seconds: expected a whole number up to 9999, received ${JSON.stringify(text)}.`);
}

function parseSecrets(env: NodeJS.ProcessEnv): GivenSecrets {
  const secrets: GivenSecrets = {};
  for (const name of BRINGABLE) {
    const secret = parseSecret(name, env[name], MIN_SECRET_CHARS);
    if (secret !== undefined) secrets[name] = secret;
  }
  return secrets;
}

/** Says what came without repeating any of it. */
function parseSecret(name: string, secret: string | undefined, minChars: number): string | undefined {
  if (!secret) return undefined;
  const isVisible = /^[\x21-\x7e]+$/.test(secret);
  if (secret.length >= minChars && isVisible) return secret;
  const others = isVisible ? "" : ", others among them";
  throw new UsageError(
    `${name}: expected at least ${minChars} visible ASCII characters, received ${secret.length}${others}.`,
  );
}
