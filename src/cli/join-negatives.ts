/** `--name -3` as `--name=-3`: `parseArgs` takes the number for options of one letter, and calls the line ambiguous. */
export function joinNegatives(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const last = joined.at(-1) ?? "";
    if (/^-[\d.]/.test(arg) && /^--[a-z][\w-]*$/i.test(last)) joined[joined.length - 1] = `${last}=${arg}`;
    else joined.push(arg);
  }
  return joined;
}
