// What must not get into a row: API keys in any text, values whose names say that they are secret, and credentials that can
// be told by their shape. A net, not a proof: a secret in a member of no telling name looks like any other text.

import { isJsonObject } from "../lib/json-value.ts";
import { seenOf } from "../sanitize/hidden-characters.ts";

/** Minted ones, and a deployment's own as it is made; in any case, and with the underscores as URLs may have them. */
const API_KEY = /tg(?:_|%5f)[ku][a-z2-7]{15}(?:_|%5f)[a-z2-7]+|tga(?:_|%5f)[\w-]{16,}/gi;
const SECRET_NAME =
  /pass(?:word|phrase|code|wd)|^pwd?$|^creds?$|secret|token|(?:api|access|private|signing)[-_ ]?key|authorization|^auth$|bearer|cookie|credential|signature|^(?:pin|otp|cvc|cvv)$|^jwt$/i;
/**
 * Schemes of `Authorization`, JWTs, private keys, what a URL has before its host, and what begins as keys of well-known
 * providers do. Every part is bounded, as arguments are a stranger's text.
 */
const CREDENTIAL = new RegExp(
  [
    String.raw`\b(?:bearer|basic)\s{1,8}(?=\S{0,256}\d)[\w.~+/=-]{8,}`,
    String.raw`\beyJ[\w-]{8,256}\.[\w.-]+`,
    String.raw`-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[^]*?(?:-----END [A-Z ]{0,20}PRIVATE KEY-----|$)`,
    String.raw`(?<=\b[a-z][a-z0-9+.-]{1,30}://)[^\s/@]{1,256}:[^\s/@]{1,256}(?=@)`,
    // A value that follows its name: in a query, a connection string, JSON inside a text.
    String.raw`(?<=\b(?:password|passwd|pwd|secret|(?:access_|refresh_|id_)?token|api[-_]?key)\\{0,2}["']?\s{0,4}[=:]\s{0,4}\\{0,2}["']?)[^\s"'\\&;,]{1,256}`,
    String.raw`\b(?:sk[-_]|rk_|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|AKIA|AIza)(?=[\w-]{0,40}\d)[\w-]{12,}`,
  ].join("|"),
  "gi",
);
const REDACTED = "[redacted]";
/** Of a pair that is told apart: what the first of them says of the other. */
const NAMING = ["name", "key", "header"];

/** A client's text on one line, without API keys: also those that show only once what can't be seen is gone. */
export const redactText = (text: string): string =>
  /^[ -~]*$/.test(text) && !/tga?(?:_|%5f)/i.test(text)
    ? text
    : seenOf(text).replace(/\p{C}/gu, "").replace(API_KEY, "[key]");

/** JSON text with secret values replaced, and with what nobody sees escaped. Names are read at every depth. */
export const redactJson = (text: string): string =>
  JSON.stringify(redactValue(JSON.parse(text))).replace(UNSEEN, escape);

function redactValue(value: unknown): unknown {
  if (typeof value === "string") return redactString(value);
  if (Array.isArray(value)) return value.map(redactValue);
  if (!isJsonObject(value)) return value;
  const namesSecret = NAMING.some((name) => typeof value[name] === "string" && isSecretName(value[name]));
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    const isSecret = isSecretName(name) || (namesSecret && name.toLowerCase() === "value");
    return [redactString(name), isSecret && member !== null ? REDACTED : redactValue(member)];
  });
  return Object.fromEntries(members);
}

const isSecretName = (name: string): boolean => SECRET_NAME.test(bare(name));

/** As a text stands; without what can't be seen where a secret shows only then. */
function redactString(text: string): string {
  const redacted = replaceSecrets(text);
  const seen = bare(text);
  if (seen === text) return redacted;
  const redactedSeen = replaceSecrets(seen);
  return redactedSeen === seen ? redacted : redactedSeen;
}

const replaceSecrets = (text: string): string => text.replace(API_KEY, "[key]").replace(CREDENTIAL, REDACTED);

const bare = (text: string): string => seenOf(text).replace(/\p{C}/gu, "");

const UNSEEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** Each UTF-16 unit, as JSON has it. */
const escape = (character: string): string =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
