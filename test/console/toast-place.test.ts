import { expect, test } from "vitest";
import { placeToasts } from "../../src/console/parts/toast-place.ts";

const WINDOW = { top: 0, bottom: 800 };

test.each([
  { where: "at the end of the window, where nothing is in use", seen: [], top: 742 },
  { where: "above what is in use at the end", seen: [{ top: 700, bottom: 790 }], top: 642 },
  { where: "below what is in use elsewhere", seen: [{ top: 100, bottom: 140 }], top: 742 },
  {
    where: "between two, where there is room",
    seen: [
      { top: 740, bottom: 780 },
      { top: 0, bottom: 90 },
      { top: 600, bottom: 690 },
    ],
    top: 542,
  },
  { where: "as low as nothing out of sight counts", seen: [{ top: 900, bottom: 940 }], top: 742 },
  {
    where: "where the most room is, should all be in use",
    seen: [
      { top: 0, bottom: 400 },
      { top: 440, bottom: 800 },
    ],
    top: 382,
  },
])("toasts are $where", ({ seen, top }) => {
  expect(placeToasts(50, WINDOW, seen)).toBe(top);
});
