import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { startServer } from "../../journeys/support/server.ts";
import { startBrowser } from "../support/browser.ts";
import { goTo, signIn } from "../support/console-page.ts";

const server = await startServer();
const pages = await startBrowser();

/** What the toasts cover of what has the focus and of the button that goes on: in a dialog, while one is open. */
const covered = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const toasts = document.querySelector(".toasts")?.getBoundingClientRect();
    const place = document.querySelector("dialog[open]") ?? document;
    const inUse = [document.activeElement, ...place.querySelectorAll(".button.primary")];
    return inUse.flatMap((element) => {
      const rect = element?.getBoundingClientRect();
      if (!toasts?.height || !rect || element === document.body) return ["no toast, or no focus"];
      const isCovered = rect.top < toasts.bottom && rect.bottom > toasts.top && rect.right > toasts.left;
      return isCovered ? [element?.outerHTML.slice(0, 80) ?? ""] : [];
    });
  });

test("no toast covers the field that is filled in, nor the button that goes on, on a phone", async () => {
  const { id } = await server.mintKey({ name: "Ada" });
  const page = await pages.open({ size: "phone", mayLog: /ERR_FAILED/ });
  await signIn(page, server);
  await goTo(page, server, `keys/key/${id}/edit`);
  await page.getByLabel("Name").waitFor();
  // One that stays until it is dismissed.
  await page.route(`**/admin/v1/keys/${id}`, (route) => route.abort());
  await page.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("button", { name: "Revoke for good" }).click();
  await page.getByRole("button", { name: "Dismiss" }).waitFor();
  const inDialog = await covered(page);
  await page.keyboard.press("Escape");
  const fields = await page.getByRole("main").locator("input, textarea, select").all();
  const found: string[][] = [];
  for (const field of fields) {
    await field.focus();
    found.push(await covered(page));
  }
  expect({ inDialog, found, fields: fields.length > 8 }).toEqual({
    inDialog: [],
    found: fields.map(() => []),
    fields: true,
  });
});
