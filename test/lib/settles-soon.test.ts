import { expect, it } from "vitest";
import { settlesSoon } from "../../src/lib/settles-soon.ts";

const after = async (turns: number): Promise<string> => {
  for (let turn = 0; turn < turns; turn++) await undefined;
  return "done";
};

const failing = async (turns: number): Promise<never> => {
  await after(turns);
  throw new Error("no");
};

it.each<[string, () => Promise<unknown>, boolean]>([
  ["is there already", () => Promise.resolve("done"), true],
  ["takes some turns", () => after(50), true],
  ["fails by itself", () => failing(50), true],
  ["takes more turns than any call", () => after(100), false],
  ["waits for a timer", () => new Promise((resolve) => setTimeout(resolve, 0)), false],
  ["never ends", () => new Promise(() => undefined), false],
])("knows of a promise that %s", async (_, begin, isSoon) => {
  const promise = begin();
  promise.catch(() => undefined);
  expect(await settlesSoon(promise)).toBe(isSoon);
});
