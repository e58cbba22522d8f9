// HMAC-SHA256 under the Worker's signing secrets. Two are accepted, so that a rotation breaks nothing that is signed.

import { encodeBase64Url } from "./base64.ts";

export interface SigningSecrets {
  current: string;
  /** Still accepted, never signed with. */
  previous?: string;
}

/** What a MAC is for; part of what is signed, so that one can't stand in for another. */
export type Purpose = "key" | "key-digest" | "session" | "cursor" | "request-state" | "sse" | "deployment";

const encoder = new TextEncoder();
const keys = new Map<string, Promise<CryptoKey>>();

/** The full 32-byte MAC of `data`. */
export async function sign(secret: string, purpose: Purpose, data: string): Promise<Uint8Array<ArrayBuffer>> {
  const mac = await crypto.subtle.sign("HMAC", await importKey(secret), encoder.encode(`${purpose}\n${data}`));
  return new Uint8Array(mac);
}

/** As `sign`, as base64url text. */
export const signText = async (secret: string, purpose: Purpose, data: string): Promise<string> =>
  encodeBase64Url(await sign(secret, purpose, data));

/** The secret that `matches` accepts, the current one first; `undefined` when none does. */
export async function findSecret(
  secrets: SigningSecrets,
  matches: (secret: string) => Promise<boolean>,
): Promise<string | undefined> {
  if (await matches(secrets.current)) return secrets.current;
  if (secrets.previous !== undefined && (await matches(secrets.previous))) return secrets.previous;
  return undefined;
}

/** Equality in a time that depends on the lengths alone. */
export function equalInConstantTime(a: string, b: string): boolean {
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  return left.byteLength === right.byteLength && crypto.subtle.timingSafeEqual(left, right);
}

/** SHA-256 of a text, as lower-case hex. */
export const sha256Hex = (text: string): Promise<string> =>
  crypto.subtle.digest("SHA-256", encoder.encode(text)).then(toHex);

const toHex = (bytes: ArrayBuffer): string => new Uint8Array(bytes).toHex();

function importKey(secret: string): Promise<CryptoKey> {
  let key = keys.get(secret);
  if (!key) {
    key = crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    keys.set(secret, key);
  }
  return key;
}
