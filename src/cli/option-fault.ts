import { nearestWord } from "./nearest-word.ts";

/** What `parseArgs` threw as a sentence, with the option that an unknown one comes nearest to. */
export function optionFault(error: unknown, options: readonly string[]): string {
  const [reason = ""] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/);
  const [, unknown] = /^Unknown option '-{1,2}(.+)'$/.exec(reason) ?? [];
  const near = unknown === undefined ? undefined : nearestWord(unknown, options);
  return near === undefined ? `${reason}.` : `${reason}. Did you mean --${near}?`;
}
