// `tg_<keyId>_<secret><mac>`: the MAC over the rest refuses a stranger's guess with no look-up at all. The first letter
// of the id says where the key works: `k` in headers, `u` in the path of a URL.

import { randomText, toBase32 } from "../lib/random.ts";
import { equalInConstantTime, findSecret, sign, signText, type SigningSecrets } from "../lib/signing.ts";

export type KeyPlace = "header" | "url";

/** A key that this server minted, whatever has become of it since. */
export interface VerifiedKey {
  keyId: string;
  place: KeyPlace;
  /** What the key's object compares: a keyed digest of the whole key, so that the key itself stays at the edge. */
  digest: string;
}

const LETTERS: Record<KeyPlace, string> = { header: "k", url: "u" };
const ID_CHARS = 15;
const SECRET_CHARS = 32;
const MAC_CHARS = 16;
const KEY = /^tg_([ku][a-z2-7]{15})_([a-z2-7]{32})([a-z2-7]{16})$/;
const KEY_ID = /^[ku][a-z2-7]{15}$/;

/** What is said of a text that is none. */
export const KEY_ID_EXPECTED = "expected a key's id, such as keys list shows";

export const isKeyId = (text: string): boolean => KEY_ID.test(text);

/** Where a key with this id works. */
export const placeOf = (keyId: string): KeyPlace => (keyId.startsWith(LETTERS.url) ? "url" : "header");

/** A new key, or another secret for the one with this id: 75 bits of id, 160 of secret, 80 of MAC. */
export async function mintKey(
  secrets: SigningSecrets,
  place: KeyPlace,
  keyId: string = LETTERS[place] + randomText(ID_CHARS),
): Promise<VerifiedKey & { key: string }> {
  const body = `${keyId}_${randomText(SECRET_CHARS)}`;
  const key = `tg_${body}${await macOf(secrets.current, body)}`;
  return { key, keyId, place, digest: await signText(secrets.current, "key-digest", key) };
}

/** `undefined` for text that is not a key of this server's. */
export async function verifyKey(secrets: SigningSecrets, key: string): Promise<VerifiedKey | undefined> {
  const [, keyId, secretText, mac] = KEY.exec(key) ?? [];
  if (keyId === undefined || mac === undefined) return undefined;
  const body = `${keyId}_${secretText}`;
  const secret = await findSecret(secrets, async (candidate) => equalInConstantTime(mac, await macOf(candidate, body)));
  if (secret === undefined) return undefined;
  const digest = await signText(secret, "key-digest", key);
  return { keyId, place: placeOf(keyId), digest };
}

const macOf = async (secret: string, body: string): Promise<string> =>
  toBase32((await sign(secret, "key", body)).subarray(0, MAC_CHARS));
