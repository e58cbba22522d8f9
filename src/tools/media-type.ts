// Content types, and text out of bytes that have one.

export interface MediaType {
  /** Lower case, such as `text/html`; empty when there is none that can be read. */
  type: string;
  charset: string | undefined;
}

const TYPE = /^[\w.+-]+\/[\w.+-]+(?=\s*(?:;|$))/;
const TEXT = /^(?:text\/.+|application\/(?:json|xml|javascript|ecmascript|yaml)|.+\/.+\+(?:json|xml|yaml))$/;
const JSON_TYPE = /^(?:application\/json|text\/json|.+\/.+\+json)$/;

/** A `Content-Type` header, read. */
export function parseMediaType(header: string | null): MediaType {
  const text = header?.trim() ?? "";
  return { type: TYPE.exec(text.toLowerCase())?.[0] ?? "", charset: charsetOf(text) };
}

/** The encoding that a text names as `charset=…`. */
export const charsetOf = (text: string): string | undefined => /charset\s*=\s*["']?([^"';\s/>]+)/i.exec(text)?.[1];

export const isTextType = (type: string): boolean => TEXT.test(type);

export const isJsonType = (type: string): boolean => JSON_TYPE.test(type);

/** The bytes as text; one of an encoding that nobody knows is read as UTF-8. */
export function decodeText(bytes: Uint8Array, charset = "utf-8"): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** By its type; a type that says nothing leaves it to the bytes. */
export function isText(bytes: Uint8Array, { type }: MediaType): boolean {
  if (isTextType(type)) return true;
  if (type !== "" && type !== "application/octet-stream") return false;
  try {
    return !new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes).includes("\0");
  } catch {
    return false;
  }
}
