// Owns which server the admin CLI talks to and with which key. The local server's key goes to this machine only.

import { isLoopback, type AdminServer } from "./admin-api.ts";
import { CliError, UsageError } from "./cli-error.ts";
import { readDevVars } from "./dev-vars.ts";
import { LOOPBACK, parsePort } from "./start-settings.ts";

/** Finds the server: `given` on the command line, the environment's, or the local one of the project in `root`. */
export function findAdminServer(given: string | undefined, env: NodeJS.ProcessEnv, root: string): AdminServer {
  const named = given ?? (env["TOOLGATE_URL"] || undefined);
  const url = parseUrl(named ?? `http://${LOOPBACK}:${parsePort(env["PORT"])}`);
  const adminKey = env["TOOLGATE_ADMIN_KEY"] || readLocalKey(url, root);
  return { origin: url.origin, adminKey, ...(named === undefined && { isDefault: true }) };
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(
    `--url: expected a URL such as https://toolgate.example.workers.dev, received ${JSON.stringify(text)}.`,
  );
}

function readLocalKey(url: URL, root: string): string {
  if (!isLoopback(url.hostname)) throw new CliError(`No admin key for ${url.host}.\nSet TOOLGATE_ADMIN_KEY.`);
  const vars = readDevVars(root);
  if (vars !== undefined) return vars.ADMIN_KEY;
  throw new CliError(`No admin key: ${root} has no .dev.vars yet.\nRun "npm start" once, or set TOOLGATE_ADMIN_KEY.`);
}
