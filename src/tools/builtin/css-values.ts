// Numbers of CSS, as far as they tell whether anything is seen: read by `parseFloat`, which is linear, never by a pattern.

/** Pixels of a unit; of those that depend on where they stand, what they mostly are. */
const UNIT_PX: ReadonlyMap<string, number> = new Map([
  ...Object.entries({ px: 1, pt: 4 / 3, pc: 16, in: 96, cm: 37.8, mm: 3.78, q: 0.945 }),
  ...Object.entries({ em: 16, rem: 16, lh: 20, rlh: 20, ex: 8, ch: 8, ic: 16, cap: 11, "%": 0.16 }),
  ...["vw", "vh", "vi", "vb", "vmin", "vmax"].flatMap((unit) =>
    ["", "s", "l", "d"].map((size) => [`${size}${unit}`, 10] as const),
  ),
]);

const RELATIVE_UNITS = new Set(["em", "%", "ex", "ch", "lh", "ic", "cap"]);

export interface CssNumber {
  value: number;
  unit: string;
}

/** A number and its unit, a constant `calc()` worked out in pixels; undefined where it is neither. */
export function parseNumber(text: string): CssNumber | undefined {
  if (text.startsWith("calc(") && text.endsWith(")")) return calculate(text.slice(5, -1));
  if (!/^[+-]?\.?\d/.test(text)) return undefined;
  let end = text.length;
  while (end > 0 && /[a-z%]/.test(text.charAt(end - 1))) end--;
  const value = Number(text.slice(0, end));
  return Number.isNaN(value) ? undefined : { value, unit: text.slice(end) };
}

/** A length in pixels; undefined for what is no length, such as a number without a unit that is not 0. */
export function parsePx(text: string): number | undefined {
  const number = parseNumber(text);
  return number && pxOf(number);
}

/** A share of 1, written as a number or in percent. */
export function parseShare(text: string): number | undefined {
  const number = parseNumber(text);
  if (number?.unit === "%") return number.value / 100;
  return number?.unit === "" ? number.value : undefined;
}

/** Whether a length is one of what surrounds it, and so nothing where that is nothing. */
export const isRelative = (text: string): boolean => RELATIVE_UNITS.has(parseNumber(text)?.unit ?? "");

/** The arguments of each call of a function in a value, such as `scale(0, 1)`. */
export function* callsIn(value: string): Generator<{ name: string; args: string[] }> {
  let start = 0;
  for (let at = 0; at < value.length; at++) {
    const character = value.charAt(at);
    if (character === " " || character === ")") start = at + 1;
    if (character !== "(") continue;
    const end = endOfCall(value, at);
    yield { name: value.slice(start, at), args: splitArguments(value.slice(at + 1, end)) };
    at = end;
    start = end + 1;
  }
}

function endOfCall(value: string, open: number): number {
  let depth = 0;
  for (let at = open; at < value.length; at++) {
    if (value[at] === "(") depth++;
    if (value[at] === ")" && --depth === 0) return at;
  }
  return value.length;
}

function splitArguments(text: string): string[] {
  return text.split(/[\s,/]/).filter((part) => part !== "");
}

function pxOf({ value, unit }: CssNumber): number | undefined {
  if (unit === "") return value === 0 ? 0 : undefined;
  const px = UNIT_PX.get(unit);
  return px === undefined ? undefined : value * px;
}

// Sums of products: with parentheses inside, it is not worked out.
function calculate(text: string): CssNumber | undefined {
  let sum = 0;
  let product: number | undefined;
  let isLength = false;
  let operator = "+";
  for (const token of text.replaceAll(/[*/]/g, " $& ").split(/\s/)) {
    if (token === "") continue;
    if ("+-*/".includes(token)) {
      operator = token;
      continue;
    }
    const number = token.startsWith("calc(") ? undefined : parseNumber(token);
    if (number === undefined) return undefined;
    isLength ||= number.unit !== "";
    const value = number.unit === "" ? number.value : (pxOf(number) ?? Number.NaN);
    if (operator === "*") product = (product ?? 1) * value;
    else if (operator === "/") product = (product ?? 1) / value;
    else {
      sum += product ?? 0;
      product = operator === "-" ? -value : value;
    }
  }
  const value = sum + (product ?? 0);
  return Number.isNaN(value) ? undefined : { value, unit: isLength ? "px" : "" };
}
