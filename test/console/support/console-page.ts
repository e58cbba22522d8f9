// The console as an operator's hands and eyes have it.

import type { Page } from "playwright-core";
import type { Server } from "../../journeys/support/server.ts";

/** Opens the console at the tools and signs in. */
export async function signIn(page: Page, server: Server, key = server.adminKey): Promise<void> {
  await page.goto(new URL("/console/#/tools", server.url).href);
  await page.getByLabel("Admin key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Console" }).waitFor();
}

/** Has a key minted for the tab, and waits until changes are heard by it. */
export async function mintCallKey(page: Page): Promise<void> {
  await page.getByRole("button", { name: "No key for calls" }).click();
  await page.getByRole("button", { name: "Mint one for this tab" }).click();
  await page.getByRole("button", { name: "Hears changes" }).waitFor();
}

/** Goes to a view by its address. */
export const goTo = (page: Page, server: Server, place: string): Promise<unknown> =>
  page.goto(new URL(`/console/#/${place}`, server.url).href);

/** What the call's result says: its badge, and each item of its content. */
export async function readResult(page: Page): Promise<{ verdict: string; texts: string[] }> {
  const result = page.getByRole("region", { name: "Result", exact: true });
  const verdict = await result.getByRole("status").locator(".badge").innerText();
  const texts = await result.locator(".content .text").allInnerTexts();
  return { verdict, texts };
}
