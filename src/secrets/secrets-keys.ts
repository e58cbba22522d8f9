import type { Env } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import type { SecretsKeys } from "./secret-box.ts";

/** What seals secrets; a text that says what is wrong when the Worker was deployed without it. */
export function secretsKeys({ SECRETS_KEY = "", SECRETS_KEY_PREVIOUS }: Env): SecretsKeys | string {
  if (SECRETS_KEY === "") return "SECRETS_KEY is not set: run `wrangler secret put SECRETS_KEY`";
  if (SECRETS_KEY.length < LIMITS.secretsKeyMinChars)
    return `SECRETS_KEY is too short: expected at least ${LIMITS.secretsKeyMinChars} characters`;
  return { current: SECRETS_KEY, ...(SECRETS_KEY_PREVIOUS && { previous: SECRETS_KEY_PREVIOUS }) };
}
