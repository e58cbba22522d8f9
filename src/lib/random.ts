const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** Bytes → the lower-case base32 alphabet, five bits of each byte: random bytes stay uniform. */
export function toBase32(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += ALPHABET.charAt(byte & 31);
  return text;
}

/** Random text of `chars` characters, five bits each. */
export const randomText = (chars: number): string => toBase32(crypto.getRandomValues(new Uint8Array(chars)));

/** A whole number from `min` up to but not including `max`, to spread clients that would otherwise move in step. */
export const jitter = (min: number, max: number): number => Math.floor(min + Math.random() * (max - min));

/** About `value`: up to a share of it more or less. */
export const jitterAround = (value: number, share: number): number => jitter(value * (1 - share), value * (1 + share));
