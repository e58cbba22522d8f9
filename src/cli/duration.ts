import { countOf } from "./count-of.ts";

const UNITS: [seconds: number, word: string][] = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
  [1, "second"],
];

/** Seconds of a text such as `90s`, `10m`, `1h30m` or `0`; `undefined` for any other. */
export function parseDuration(text: string): number | undefined {
  if (text === "0") return 0;
  const [, ...counts] = /^(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9})s)?$/.exec(text) ?? [];
  if (text === "" || counts.length === 0) return undefined;
  return UNITS.reduce((sum, [seconds], at) => sum + Number(counts[at] ?? 0) * seconds, 0);
}

/** Such as `1 hour 30 minutes`. */
export function durationText(seconds: number): string {
  let rest = seconds;
  const parts = UNITS.flatMap(([unit, word]) => {
    const count = Math.floor(rest / unit);
    rest -= count * unit;
    return count > 0 ? [countOf(count, word)] : [];
  });
  return parts.length > 0 ? parts.join(" ") : "0 seconds";
}
