import { registryId, signingSecrets, type Env } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { signText } from "../lib/signing.ts";

/** What this deployment is called among servers of its kind. The name tells nobody anything else of it. */
export async function deploymentName(env: Env): Promise<string> {
  const name = await signText(signingSecrets(env).current, "deployment", registryId(env));
  return name.slice(0, LIMITS.deploymentNameChars);
}
