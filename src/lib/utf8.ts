// Bytes of text in UTF-8.

const encoder = new TextEncoder();
// Below that, walking the text is cheaper than encoding it.
const WALKED_CHARS = 512;

/** Whether a text has more bytes in UTF-8: counted only where they could matter, as a UTF-16 unit has three at most. */
export const isLongerThan = (text: string, bytes: number): boolean =>
  text.length > bytes || (text.length * 3 > bytes && countBytes(text) > bytes);

/** How many bytes a text has in UTF-8. */
export function countBytes(text: string): number {
  if (text.length > WALKED_CHARS) return encoder.encode(text).byteLength;
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    // A pair of surrogates is four bytes, two for each; alone, one is replaced by a character of three.
    if (unit < 0x800) bytes++;
    else if (isPair(text, at)) {
      bytes += 2;
      at++;
    } else bytes += 2;
  }
  return bytes;
}

const isPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
