// What axe-core holds against each view and dialog, and all of the console by the keyboard alone.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { modernRequest, post } from "../../journeys/support/rpc.ts";
import { startServer } from "../../journeys/support/server.ts";
import { startModernServer } from "../../journeys/support/upstream-servers.ts";
import { seriousFindings, seriousFindingsInEachLook, SIZES, startBrowser } from "../support/browser.ts";
import { goTo, mintCallKey, signIn } from "../support/console-page.ts";
import { LONG_NAME, makeThings } from "../support/long-things.ts";
import { walk } from "../support/walk.ts";

const RECORD = {
  description: "Finds a ship.",
  inputSchema: {
    type: "object",
    properties: {
      sign: { type: "string" },
      holds: { type: "array", items: { type: "object", properties: { crates: { type: "integer" } } } },
      order: {
        oneOf: [{ type: "object", properties: { by: { const: "name" } }, required: ["by"] }, { type: "string" }],
      },
    },
    required: ["sign"],
  },
  source: { kind: "http", method: "GET", url: "https://ships.example/{sign}" },
};

const upstream = await startModernServer();
const server = await startServer({ EGRESS_ALLOW: upstream.host, AUDIT_FLUSH_MS: "0" });
const pages = await startBrowser();
const { keyId, key } = await makeThings(server);
await server.admin("PUT", "/tools/find_ship", RECORD);
await server.admin("PUT", "/upstreams/seen", { url: upstream.url });
const args = { consignment_reference_of_the_originating_forwarder: "7" };
const { message, headers } = modernRequest("tools/call", { name: LONG_NAME, arguments: args });
await post(server.endpoint(), key, message, { ...headers, "mcp-name": LONG_NAME });

/** `shows` is there once the view is; those that are walked are all there is to walk by. */
const VIEWS = [
  { place: "live", shows: "The newest calls", isWalked: true },
  { place: "tools", shows: "Search tools", isWalked: true },
  { place: "tools/tool/find_ship", shows: "Where calls go" },
  { place: "tools/tool/find_ship/lint", shows: "Every client" },
  { place: "tools/tool/find_ship/history", shows: "Versions of find_ship" },
  { place: "tools/tool/find_ship/edit", shows: "The server would take it." },
  { place: "tools/tool/find_ship/try", shows: "Arguments" },
  { place: `tools/tool/${LONG_NAME}`, shows: "Where calls go", isWalked: true },
  { place: `tools/tool/${LONG_NAME}/lint`, shows: "Every client" },
  { place: `tools/tool/${LONG_NAME}/try`, shows: "Arguments", isWalked: true },
  { place: `tools/tool/${LONG_NAME}/edit`, shows: "The server would take it.", isWalked: true },
  { place: "tools/new/code", shows: "Module" },
  { place: "tools/lint", shows: "Open find_ship" },
  { place: "tools/import", shows: "Options", isWalked: true },
  { place: "keys", shows: "Search keys", isWalked: true },
  { place: "keys/new", shows: "Limits of some tools", isWalked: true },
  { place: `keys/key/${keyId}`, shows: "Quota of today", isWalked: true },
  { place: `keys/key/${keyId}/edit`, shows: "Save" },
  { place: `keys/key/${keyId}/connect`, shows: "Claude Code", isWalked: true },
  { place: "audit", shows: "Audit trail", isWalked: true },
  { place: "upstreams", shows: "seen" },
  { place: "upstreams/new", shows: "Headers", isWalked: true },
  { place: "upstreams/upstream/seen", shows: "Tools that are not served, and why" },
  { place: "secrets", shows: "SEEN_TOKEN", isWalked: true },
  { place: "secrets?set=SEEN_TOKEN", shows: "Value" },
];

/** One view after the other, on a machine that does other things too. */
const ALL_VIEWS = { timeout: 240_000 };

test(
  "in light and dark, on a desk and on a phone, nothing serious is wrong with any view, and Tab comes by everything and shows where one is",
  ALL_VIEWS,
  async () => {
    const page = await pages.open();
    await page.goto(new URL("/console/", server.url).href);
    await page.getByLabel("Admin key").waitFor();
    const found: Record<string, string[]> = { "sign in": await seriousFindingsInEachLook(page) };
    await signIn(page, server);
    for (const { place, shows, isWalked } of VIEWS) {
      await goTo(page, server, place);
      const byText = page.getByText(shows).or(page.getByLabel(shows));
      await byText
        .or(page.getByRole("table", { name: shows }))
        .first()
        .waitFor();
      found[place] = await seriousFindingsInEachLook(page);
      if (isWalked) found[place].push(...(await walkInEachSize(page)));
    }
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((place) => [place, []])));
  },
);

async function walkInEachSize(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    const { stops, faults } = await walk(page);
    found.push(...(stops < 10 ? [`only ${stops} stops`] : faults).map((fault) => `${size}: ${fault}`));
  }
  return found;
}

const DIALOGS = [
  { place: `tools/tool/${LONG_NAME}`, opener: "Delete" },
  { place: `tools/tool/${LONG_NAME}/try`, opener: `Call ${LONG_NAME}` },
  { place: "tools", opener: "No key for calls" },
  { place: `keys/key/${keyId}`, opener: "Rotate" },
  { place: `keys/key/${keyId}`, opener: "Revoke" },
  { place: "audit?kind=call", opener: "Details of calculate" },
  { place: "secrets", opener: "New secret" },
  { place: "secrets", opener: "Delete SEEN_TOKEN" },
  { place: "upstreams/upstream/seen", opener: "Delete" },
];

/** What is focused, but for what lies in a dialog. Past the last one is the browser's own, which is the page's body. */
const focusedOutside = (): string => {
  const { activeElement } = document;
  if (!activeElement || activeElement === document.body || activeElement.closest("dialog")) return "";
  return activeElement.outerHTML.slice(0, 120);
};

/** Whether the button is focused, or else what is. */
const focusedBut = (button: Element): string =>
  button === document.activeElement ? "" : String(document.activeElement?.outerHTML.slice(0, 120));

test(
  "dialogs keep the focus, have nothing serious against them, and give the focus back however they close",
  ALL_VIEWS,
  async () => {
    const page = await pages.open();
    await signIn(page, server);
    const found: Record<string, string[]> = {};
    for (const { place, opener } of DIALOGS) {
      await goTo(page, server, place);
      const button = page.getByRole("button", { name: opener, exact: true }).first();
      const open = async (): Promise<void> => {
        await button.focus();
        await page.keyboard.press("Enter");
        await page.getByRole("dialog").waitFor();
      };
      await open();
      const faults = await seriousFindingsInEachLook(page);
      for (let stop = 0; stop < 12; stop++) {
        await page.keyboard.press("Tab");
        faults.push(await page.evaluate(focusedOutside));
      }
      await page.keyboard.press("Escape");
      await page.locator("dialog").waitFor({ state: "detached" });
      faults.push(await button.evaluate(focusedBut));
      // As a browser does by itself where Escape comes twice and nothing in between.
      await open();
      await page.locator("dialog").evaluate((dialog) => (dialog as HTMLDialogElement).close());
      await page.locator("dialog").waitFor({ state: "detached" });
      faults.push(await button.evaluate(focusedBut));
      found[`${opener} at ${place}`] = faults.filter((fault) => fault !== "");
    }
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, []])));
  },
);

test("nothing serious is wrong with what is asked before a call, and with its result", async () => {
  const page = await pages.open();
  await signIn(page, server);
  await mintCallKey(page);
  await goTo(page, server, "tools/tool/find_ship/try");
  await page.getByRole("button", { name: "Call find_ship" }).click();
  await page.getByRole("dialog").waitFor();
  const dialog = await seriousFindings(page);
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await goTo(page, server, "tools/tool/qr_code/try");
  await page.getByLabel("text").first().fill("hello");
  await page.getByRole("button", { name: "Call qr_code" }).click();
  await page.getByRole("img").waitFor();
  expect({ dialog, result: await seriousFindings(page) }).toEqual({ dialog: [], result: [] });
});
