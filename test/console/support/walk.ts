// A walk through a page with the Tab key alone.

import type { Page } from "playwright-core";

/** More stops than any view of the tests has. */
const MAX_STOPS = 150;

export interface Walk {
  stops: number;
  /** What was passed over, and what one could not see that one was at. */
  faults: string[];
}

/** Goes from the first link of the page through everything that takes the focus, until it comes round. */
export async function walk(page: Page): Promise<Walk> {
  // Whoever used the pointer last is not shown where the focus is.
  await page.keyboard.press("Tab");
  await page.evaluate(() => {
    for (const element of document.querySelectorAll("[data-visited]")) element.removeAttribute("data-visited");
    scrollTo(0, 0);
    document.querySelector<HTMLElement>("a.skip")?.focus();
  });
  const faults: string[] = [];
  let stops = 0;
  for (; stops < MAX_STOPS; stops++) {
    const stop = await page.evaluate(lookAtFocus);
    if (stop === "round") break;
    if (stop !== "") faults.push(stop);
    await page.keyboard.press("Tab");
  }
  return { stops, faults: [...faults, ...(await page.evaluate(passedOver))] };
}

/** Runs in the page. What is wrong with what has the focus, or that all has had it. */
function lookAtFocus(): string {
  const element = document.activeElement;
  if (!element || element === document.body) return "round";
  const before = element.getAttribute("data-visited");
  // A date has stops of its own inside.
  if (before === "last") return "";
  if (before !== null) return "round";
  document.querySelector("[data-visited=last]")?.setAttribute("data-visited", "");
  element.setAttribute("data-visited", "last");
  const name = element.outerHTML.slice(0, 120);
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  if (outlineStyle === "none" || Number.parseFloat(outlineWidth) < 2) return `no outline: ${name}`;
  const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
  if (width === 0 || height === 0) return `nothing to see: ${name}`;
  const x = Math.min(Math.max((left + right) / 2, 1), innerWidth - 1);
  const y = Math.min(Math.max((Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2, 1), innerHeight - 1);
  const found = document.elementFromPoint(x, y);
  const isSeen = found !== null && (element.contains(found) || found.contains(element));
  return isSeen ? "" : `covered by ${found?.outerHTML.slice(0, 60)}: ${name}`;
}

/** Runs in the page. */
function passedOver(): string[] {
  const selector = "a[href], button:not(:disabled), input, select, textarea, summary, [tabindex='0']";
  return [...document.querySelectorAll<HTMLElement>(selector)]
    .filter((element) => element.checkVisibility() && !element.hasAttribute("data-visited"))
    .map((element) => `passed over: ${element.outerHTML.slice(0, 120)}`);
}
