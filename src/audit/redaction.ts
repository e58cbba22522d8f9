// What must not get into a row: API keys in any text, and values whose names say that they are secret.

import { seenOf } from "../sanitize/hidden-characters.ts";

const API_KEY = /tg_[ku][a-z2-7]{15}_[a-z2-7]+/g;
const SECRET_NAME =
  /pass(?:word|phrase|code|wd)|secret|token|(?:api|access|private|signing)[-_ ]?key|authorization|^auth$|bearer|cookie|credential|signature|^(?:pin|otp|cvc|cvv)$/i;

/** A client's text on one line, without API keys: also those that show only once what can't be seen is gone. */
export const redactText = (text: string): string =>
  /^[ -~]*$/.test(text) && !text.includes("tg_") ? text : seenOf(text).replace(/\p{C}/gu, "").replace(API_KEY, "[key]");

/** JSON text with secret values replaced. Names are read at every depth. */
export function redactJson(text: string): string {
  const redacted = JSON.stringify(JSON.parse(text), (name, value: unknown) =>
    SECRET_NAME.test(name) && value !== null ? "[redacted]" : value,
  );
  return redacted.replace(API_KEY, "[key]");
}
