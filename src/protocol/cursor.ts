// Where a page of `tools/list` left off: the last name, sealed together with the key it was given to. Position by name
// stays right when the catalogue changes between pages.

import * as v from "valibot";
import { LIMITS } from "../lib/limits.ts";
import { openText, sealText } from "../lib/sealed-text.ts";
import type { SigningSecrets } from "../lib/signing.ts";
import { INVALID_PARAMS, ProtocolError } from "./protocol-error.ts";

const CursorSchema = v.object({ after: v.string(), keyId: v.string() });

export const encodeCursor = (secrets: SigningSecrets, keyId: string, after: string): Promise<string> =>
  sealText(secrets, "cursor", { after, keyId });

/** The name after which to go on. Throws −32602 for anything but a cursor that this key was given. */
export async function decodeCursor(secrets: SigningSecrets, keyId: string, cursor: unknown): Promise<string> {
  const short = typeof cursor === "string" && cursor.length <= LIMITS.cursorChars;
  const opened = v.safeParse(CursorSchema, short ? await openText(secrets, "cursor", cursor) : undefined);
  if (!opened.success || opened.output.keyId !== keyId) {
    throw new ProtocolError(INVALID_PARAMS, "Invalid params: cursor is not one that this server gave to this key");
  }
  return opened.output.after;
}
