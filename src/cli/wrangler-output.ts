// Owns what of wrangler's output reaches the terminal: the Worker's own lines and errors, not wrangler's commentary.

import { stripVTControlCharacters } from "node:util";

const NOISE = [
  /^\[wrangler:info\] /,
  /^⎔ /,
  /^🪵 /u,
  /^Using secrets defined in /,
  /^\[custom build\] Running: /,
  /^The file .* changed, restarting build\.\.\.$/,
  /^Your Worker has access to the following bindings:/,
  /^If you think this is a bug then please create an issue at /,
  /^Note that there is a newer version of Wrangler available /,
  /^Binding +Resource +Mode/,
  // The table of modules.
  /^Attaching additional modules:$/,
  /^[┌├└][─┬┼┴]+[┐┤┘]$/,
  /^│ .+ │ .* │ (?:Size|[\d.]+ KiB) +│$/,
  /^env\.\w+(?: \(.*\) +| {2,})\S.* (?:local|remote|not supported)$/,
];

/** What the Worker's own code threw as it was loaded: then nothing of it is there. */
const FAULT = /^✘ \[ERROR\] service core:user:\S+: Uncaught (.+)$/;

/** What wrangler and the runtime have to say of that afterwards: that there are no classes, and the same once more. */
const AFTER_FAULT = [
  /^▲ \[WARNING\] A DurableObjectNamespace in the config referenced the class /,
  /^✘ \[ERROR\] The Workers runtime failed to start\./,
  /^ {2}Runtime stderr:$/,
  /^ {2}\{"timestamp":/,
];

/** Why the Worker's code could not be loaded, where a line says so. */
export const faultIn = (line: string): string | undefined => FAULT.exec(stripVTControlCharacters(line))?.[1];

/** Makes a filter for one stream: a line in, the line to print out, or undefined for none. */
export function createLineFilter(colours: boolean): (line: string) => string | undefined {
  let [previousBlank, hasFault] = [true, false];
  return (line) => {
    const plain = stripVTControlCharacters(line).trimEnd();
    hasFault ||= FAULT.test(plain);
    const noise = hasFault ? [...NOISE, ...AFTER_FAULT] : NOISE;
    if (noise.some((pattern) => pattern.test(plain))) return undefined;
    const blank = plain === "";
    if (blank && previousBlank) return undefined;
    previousBlank = blank;
    return colours ? line : plain;
  };
}
