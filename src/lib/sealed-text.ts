// A JSON value as `<payload>.<MAC>`, both base64url: what the server hands out and gets back without having stored it.

import { decodeBase64Url, encodeBase64Url } from "./base64.ts";
import { equalInConstantTime, findSecret, signText, type Purpose, type SigningSecrets } from "./signing.ts";

/** Visible ASCII that `openText` with the same purpose turns back into the value. */
export async function sealText(secrets: SigningSecrets, purpose: Purpose, value: unknown): Promise<string> {
  const payload = encodeBase64Url(new TextEncoder().encode(JSON.stringify(value)));
  return `${payload}.${await signText(secrets.current, purpose, payload)}`;
}

/** The sealed value; `undefined` when the text is not one that this server sealed for this purpose. */
export async function openText(secrets: SigningSecrets, purpose: Purpose, text: string): Promise<unknown> {
  const [payload, mac, more] = text.split(".");
  if (payload === undefined || mac === undefined || more !== undefined) return undefined;
  const secret = await findSecret(secrets, async (candidate) =>
    equalInConstantTime(mac, await signText(candidate, purpose, payload)),
  );
  const bytes = secret === undefined ? undefined : decodeBase64Url(payload);
  return bytes && JSON.parse(new TextDecoder().decode(bytes));
}
