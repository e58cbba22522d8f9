/** Thrown for a part of a document that no tool record can say; the message is the reason that an operator reads. */
export class Inexpressible extends Error {
  override readonly name = "Inexpressible";
}

/** Thrown for a document that can't be imported at all: what was expected, and what came. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";
}
