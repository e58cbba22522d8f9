// Secrets at rest: AES-256-GCM under a key derived from the Worker secret `SECRETS_KEY`, each bound to its name, so that one
// can't be put in another's place. Sealed and opened at the edge: the object that stores them never sees one in clear.

import { decodeBase64Url, encodeBase64Url } from "../lib/base64.ts";

export interface SecretsKeys {
  current: string;
  /** Still opens what it sealed, while `SECRETS_KEY` is rotated; never seals. */
  previous?: string;
}

/** Which key opens a sealed secret. */
export type SealedUnder = "current" | "previous" | "unknown";

interface DerivedKey {
  /** Names the key in what it sealed, and tells nothing of it. */
  id: string;
  key: CryptoKey;
}

const FORMAT = "1";
const [KEY_BYTES, ID_BYTES, IV_BYTES] = [32, 6, 12];

const encoder = new TextEncoder();
const derived = new Map<string, Promise<DerivedKey>>();

/** A value as visible ASCII that `openSecret` turns back under the same name. */
export async function sealSecret({ current }: SecretsKeys, name: string, value: string): Promise<string> {
  const { id, key } = await deriveKey(current);
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const data = await crypto.subtle.encrypt(algorithm(name, iv), key, encoder.encode(value));
  return [FORMAT, id, encodeBase64Url(iv), encodeBase64Url(new Uint8Array(data))].join(".");
}

/** The value; `undefined` when neither key opens it under this name. */
export async function openSecret(keys: SecretsKeys, name: string, sealed: string): Promise<string | undefined> {
  const [format, id, iv, data] = sealed.split(".");
  const key = (await findKey(keys, id))?.key;
  const [ivBytes, dataBytes] = [decodeBase64Url(iv ?? ""), decodeBase64Url(data ?? "")];
  if (format !== FORMAT || !key || ivBytes?.byteLength !== IV_BYTES || !dataBytes) return undefined;
  try {
    return new TextDecoder().decode(await crypto.subtle.decrypt(algorithm(name, ivBytes), key, dataBytes));
  } catch {
    return undefined;
  }
}

/** Which of the keys sealed it, by what it says of itself. */
export async function sealedUnder(keys: SecretsKeys, sealed: string): Promise<SealedUnder> {
  return (await findKey(keys, sealed.split(".")[1]))?.which ?? "unknown";
}

async function findKey({ current, previous }: SecretsKeys, id: string | undefined) {
  const now = await deriveKey(current);
  if (now.id === id) return { key: now.key, which: "current" as const };
  const before = previous === undefined ? undefined : await deriveKey(previous);
  return before && before.id === id ? { key: before.key, which: "previous" as const } : undefined;
}

const algorithm = (name: string, iv: Uint8Array<ArrayBuffer>) => ({
  name: "AES-GCM",
  iv,
  additionalData: encoder.encode(`secret\n${name}`),
});

function deriveKey(secret: string): Promise<DerivedKey> {
  let key = derived.get(secret);
  if (!key) derived.set(secret, (key = derive(secret)));
  return key;
}

async function derive(secret: string): Promise<DerivedKey> {
  const root = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveBits"]);
  const hkdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encoder.encode("toolgate secrets 1") };
  const bits = new Uint8Array(await crypto.subtle.deriveBits(hkdf, root, (KEY_BYTES + ID_BYTES) * 8));
  const raw = bits.slice(0, KEY_BYTES);
  return {
    id: encodeBase64Url(bits.slice(KEY_BYTES)),
    key: await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"]),
  };
}
