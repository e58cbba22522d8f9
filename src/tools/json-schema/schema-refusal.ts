// Why a schema is not taken: told to the operator who registers the tool, and kept for a stored one that is too old.

/** What is wrong with a schema: `path` is the JSON Pointer of the keyword at fault (empty for the whole schema). */
export interface SchemaRefusal {
  path: string;
  message: string;
}

/** Carries a refusal out of the compiler; never leaves this folder as an error of its own kind. */
export class SchemaRefused extends Error {
  override readonly name = "SchemaRefused";
  readonly refusal: SchemaRefusal;

  constructor(path: string, message: string) {
    super(path === "" ? message : `${path}: ${message}`);
    this.refusal = { path, message };
  }
}

/** One step further down a JSON Pointer (RFC 6901). */
export const pointerTo = (path: string, ...tokens: (string | number)[]): string =>
  tokens.reduce<string>(
    (pointer, token) => `${pointer}/${String(token).replaceAll("~", "~0").replaceAll("/", "~1")}`,
    path,
  );
