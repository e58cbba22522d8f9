// Owns the order in which a deployment is made, and what to do when a step fails. Nothing is changed before the login and
// the build are known to be good; secrets are put in one request, before the code that needs them.

import { CliError } from "./cli-error.ts";
import { missingSecrets, NewSecrets } from "./deploy-secrets.ts";
import type { DeploySettings } from "./deploy-settings.ts";
import { findTargetOrigin } from "./deploy-target.ts";
import type { callThrough, SmokeReport } from "./smoke-call.ts";
import type { RunWrangler, WranglerEnd } from "./wrangler-command.ts";
import { countOf } from "./count-of.ts";

/** The outside world of a deployment. */
export interface DeployWorld {
  wrangler: RunWrangler;
  say: (line: string) => void;
  /** Settles with what a call through the public URL came to. */
  smoke: typeof callThrough;
}

/** Deploys; throws `CliError` that says what was done and what to do. */
export async function deploy(settings: DeploySettings, world: DeployWorld): Promise<void> {
  const { environment } = settings;
  if (settings.dryRun) {
    await build(environment, world);
    world.say("Dry run    nothing was asked of Cloudflare, nothing was changed");
    return;
  }
  await checkLogin(settings, world);
  await build(environment, world);
  const adminKey = await putSecrets(settings, world);
  const { url, versionId } = await upload(settings, world);
  world.say(`Smoke call waiting for ${url} …`);
  const report = await world.smoke({ origin: url, adminKey, versionId, waitMs: settings.waitMs });
  if ("failure" in report) throw new CliError(adviseOnFailedCall(url, environment, report.failure));
  world.say(`Smoke call ${describeCall(report)}`);
  world.say(closing(url, environment, adminKey !== undefined));
}

async function checkLogin({ accountId }: DeploySettings, { wrangler, say }: DeployWorld): Promise<void> {
  const end = await wrangler(["whoami", "--json"]);
  const who = parseJson(end.stdout) as { loggedIn?: boolean; accounts?: { id: string; name: string }[] } | undefined;
  if (end.code !== 0 || who?.loggedIn === false) {
    throw new CliError(
      `Not logged in to Cloudflare; nothing was changed.\nRun:  npx wrangler login\nOr set CLOUDFLARE_API_TOKEN (template "Edit Cloudflare Workers").${toldBy(end, false)}`,
    );
  }
  const accounts = who?.accounts ?? [];
  if (accounts.length > 1 && accountId === undefined) {
    const list = accounts.map(({ id, name }) => `  ${id}  ${name}`).join("\n");
    throw new CliError(
      `This login has several accounts; nothing was changed.\nSet CLOUDFLARE_ACCOUNT_ID to one of them:\n${list}`,
    );
  }
  say(`Login      ${accounts.length === 1 ? accounts[0]?.name : (accountId ?? "ok")}`);
}

async function build(environment: string, { wrangler, say }: DeployWorld): Promise<void> {
  const end = await wrangler(["deploy", "--dry-run", "--env", environment]);
  if (end.code !== 0) throw new CliError(`It does not build for ${environment}; nothing was changed.${toldBy(end)}`);
  const size = /Total Upload: .*/.exec(end.stdout)?.[0] ?? "ok";
  say(`Build      ${environment}: ${size}`);
}

/** Answers with the admin key, where it is known here. It is told once it is in force, whatever comes after. */
async function putSecrets(settings: DeploySettings, world: DeployWorld): Promise<string | undefined> {
  const { environment, newAdminKey } = settings;
  const { wrangler, say } = world;
  const missing = missingSecrets(await readSecretNames(environment, wrangler), newAdminKey);
  if (missing.length === 0) {
    say("Secrets    all set, left as they are");
    return settings.adminKey;
  }
  const made = new NewSecrets(missing, settings.adminKey, settings.secrets);
  const end = await wrangler(["secret", "bulk", "--env", environment], made.toJson());
  if (end.code !== 0) throw new CliError(adviseOnSecrets(environment, made, end));
  if (made.made.length > 0) say(`Secrets    ${made.made.join(", ")} made and set`);
  if (made.given.length > 0) say(`Secrets    ${made.given.join(", ")} set as the environment has them`);
  if (made.unreadable.length > 0) say(adviseOnUnreadable(made.unreadable));
  if (made.adminKey === undefined) return settings.adminKey;
  if (made.isAdminKeyNew) {
    say(`Admin key  ${made.adminKey}`);
    say("           shown this once, and kept nowhere: put it where you keep such things");
  }
  return made.adminKey;
}

async function readSecretNames(environment: string, wrangler: RunWrangler): Promise<string[]> {
  const end = await wrangler(["secret", "list", "--env", environment]);
  if (end.code !== 0 && /Worker "[^"]*".* not found/.test(end.stderr + end.stdout)) return [];
  const list = parseJson(end.stdout);
  if (end.code === 0 && Array.isArray(list)) return list.map((secret: { name?: unknown }) => String(secret.name));
  throw new CliError(`The secrets that are set can't be listed; nothing was changed. Try again.${toldBy(end)}`);
}

async function upload(
  { environment, url }: DeploySettings,
  { wrangler, say }: DeployWorld,
): Promise<{ url: string; versionId: string | undefined }> {
  const end = await wrangler(["deploy", "--env", environment]);
  if (end.code !== 0) throw new CliError(adviseOnUpload(end));
  const record = end.records.findLast(({ type }) => type === "deploy") ?? {};
  const versionId = typeof record["version_id"] === "string" ? record["version_id"] : undefined;
  const targets = Array.isArray(record["targets"]) ? record["targets"].map(String) : [];
  const found = url ?? findTargetOrigin(targets);
  say(`Deployed   ${versionId ?? "a new version"}`);
  if (found !== undefined) return { url: found, versionId };
  throw new CliError(
    "It is deployed, but wrangler named no URL to reach all of it by.\nGive the Worker a custom domain or turn workers_dev on, or name the URL with --url.",
  );
}

const adviseOnUnreadable = (names: readonly string[]): string =>
  `           ${names.join(" and ")} can't be read back: to rotate without ending keys, bring your own from a vault (docs/deploy.md)`;

function adviseOnSecrets(environment: string, made: NewSecrets, end: WranglerEnd): string {
  const key = made.isAdminKeyNew
    ? "\nIf it then says that all are set, the admin key got lost on the way: add --new-admin-key once."
    : "";
  return `The secrets can't be set; no code was deployed.\nRun it again:  npm run deploy -- --env ${environment}${key}${made.redact(toldBy(end))}`;
}

function adviseOnUpload(end: WranglerEnd): string {
  const text = end.stderr + end.stdout;
  const advice = [
    [/worker_loader|LOADER/i, "On Workers Free, take [[worker_loaders]] out of this environment in wrangler.toml."],
    [
      /workers\.dev subdomain|register.*subdomain/i,
      "Open Workers & Pages in the dashboard once: it gives you a subdomain.",
    ],
    [/script_too_large|size limit/i, "Take tools that you don't need out of src/tools/builtin/catalog.ts."],
  ] as const;
  const hints = advice.filter(([pattern]) => pattern.test(text)).map(([, hint]) => `\n${hint}`);
  return `It could not be deployed. What was live before still is; the secrets are set and stay.${hints.join("")}\nRun it again once that is mended.${toldBy(end)}`;
}

const adviseOnFailedCall = (url: string, environment: string, failure: string): string =>
  `The new version is live at ${url}, but a call through it failed: ${failure}.\n` +
  `See what it logs:     npx wrangler tail --env ${environment}\n` +
  `Go back to the last:  npx wrangler rollback --env ${environment}`;

const describeCall = ({ tools, called }: Exclude<SmokeReport, { failure: string }>): string =>
  tools === undefined
    ? "healthy, and shut to whoever has no key (TOOLGATE_ADMIN_KEY lets it call a tool)"
    : `${countOf(tools, "tool")} listed${called === undefined ? "" : `, ${called} answered`}`;

const closing = (url: string, environment: string, knowsKey: boolean): string =>
  [
    "",
    `toolgate runs at ${url}${environment === "production" ? "" : ` (${environment})`}`,
    "",
    "Mint a key for your first client:",
    `  TOOLGATE_URL=${url} TOOLGATE_ADMIN_KEY=${knowsKey ? "<the admin key>" : "…"} npm run toolgate -- keys create --name "first client"`,
    `How each client connects:  ${url}/`,
  ].join("\n");

/** What wrangler itself said, last. */
function toldBy({ stdout, stderr }: WranglerEnd, withStdout = true): string {
  const text = `${withStdout ? stdout : ""}\n${stderr}`.trim();
  return text === "" ? "" : `\n\nwrangler said:\n${text}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
