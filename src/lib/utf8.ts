/** Whether a text has more bytes in UTF-8: counted only where they could matter, as a UTF-16 unit has three at most. */
export const isLongerThan = (text: string, bytes: number): boolean =>
  text.length > bytes || (text.length * 3 > bytes && new TextEncoder().encode(text).byteLength > bytes);
