/**
 * The origin of the first of a deployment's targets, as wrangler's record of it names them, that leads every path to the
 * Worker: on workers.dev or a custom domain. A route leads only its pattern there, and the rest to somebody else, who would
 * be handed the admin key.
 */
export function findTargetOrigin(targets: readonly string[]): string | undefined {
  for (const target of targets) {
    const host = ON_WORKERS_DEV.exec(target)?.[1] ?? CUSTOM_DOMAIN.exec(target)?.[1];
    if (host !== undefined) return `https://${host}`;
  }
  return undefined;
}

const ON_WORKERS_DEV = /^https:\/\/((?:[a-z\d-]+\.)+workers\.dev)\/?$/;
const CUSTOM_DOMAIN = /^((?:[a-z\d-]+\.)+[a-z\d-]+) \(custom domain(?: - zone (?:id|name): [^()]*)?\)$/;
