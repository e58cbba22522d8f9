// JSON values that are to be printed as the text that they came as: numbers, the order of members and all.

import { randomText } from "./random.ts";

const texts = new WeakMap<object, string>();

/** The value of a text, which `stringifyKept` prints as that text wherever it stands. Throws as `JSON.parse`. */
export function parseKept<T extends object>(text: string): T {
  const value = JSON.parse(text) as T;
  texts.set(value, text);
  return value;
}

/** As `JSON.stringify`, with the texts of values that came from `parseKept`. */
export function stringifyKept(value: object): string {
  const mark = randomText(20);
  const kept: string[] = [];
  const json = JSON.stringify(value, (_, member: unknown) => {
    const text = typeof member === "object" && member !== null ? texts.get(member) : undefined;
    return text === undefined ? member : `${mark}${kept.push(text) - 1}.`;
  });
  if (kept.length === 0) return json;
  return json.replace(new RegExp(`"${mark}(\\d+)\\."`, "g"), (_, index: string) => kept[Number(index)] ?? "null");
}
