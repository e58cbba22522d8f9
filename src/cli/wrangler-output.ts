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
  /^Binding +Resource +Mode/,
  /^env\.\w+(?: \(.*\) +| {2,})\S.* (?:local|remote|not supported)$/,
];

/** Makes a filter for one stream: a line in, the line to print out, or undefined for none. */
export function createLineFilter(colours: boolean): (line: string) => string | undefined {
  let previousBlank = true;
  return (line) => {
    const plain = stripVTControlCharacters(line).trimEnd();
    if (NOISE.some((pattern) => pattern.test(plain))) return undefined;
    const blank = plain === "";
    if (blank && previousBlank) return undefined;
    previousBlank = blank;
    return colours ? line : plain;
  };
}
