// Base64 (RFC 4648) in both alphabets, strict: what does not decode is `undefined`, never a guess.

/** Bytes → base64 with padding. */
export const encodeBase64 = (bytes: Uint8Array): string => bytes.toBase64();

/** Base64 with padding → bytes; `undefined` when the text is anything else. */
export const decodeBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => decode(text, "base64");

/** Bytes → base64url without padding. */
export const encodeBase64Url = (bytes: Uint8Array): string =>
  bytes.toBase64({ alphabet: "base64url", omitPadding: true });

/** Base64url without padding → bytes; `undefined` when the text is anything else. */
export const decodeBase64Url = (text: string): Uint8Array<ArrayBuffer> | undefined =>
  text.includes("=") ? undefined : decode(text, "base64url");

function decode(text: string, alphabet: "base64" | "base64url"): Uint8Array<ArrayBuffer> | undefined {
  if (/\s/.test(text)) return undefined;
  try {
    const lastChunkHandling = alphabet === "base64" ? "strict" : "loose";
    return Uint8Array.fromBase64(text, { alphabet, lastChunkHandling });
  } catch {
    return undefined;
  }
}
