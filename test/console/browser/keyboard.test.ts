// All of the console by the keyboard alone.

import { expect, test } from "vitest";
import { startServer } from "../../journeys/support/server.ts";
import { seriousFindingsInEachLook, SIZES, startBrowser } from "../support/browser.ts";
import { goTo, signIn } from "../support/console-page.ts";
import { LONG_NAME, makeThings } from "../support/long-things.ts";
import { walk } from "../support/walk.ts";

const server = await startServer({ AUDIT_FLUSH_MS: "0" });
const pages = await startBrowser();
const { keyId } = await makeThings(server);

const VIEWS = [
  { place: "live", shows: "The newest calls" },
  { place: "tools", shows: "Search tools" },
  { place: `tools/tool/${LONG_NAME}`, shows: "Where calls go" },
  { place: `tools/tool/${LONG_NAME}/try`, shows: "Arguments" },
  { place: `tools/tool/${LONG_NAME}/edit`, shows: "The server would take it." },
  { place: "tools/import", shows: "Options" },
  { place: "keys", shows: "Search keys" },
  { place: "keys/new", shows: "Limits of some tools" },
  { place: `keys/key/${keyId}`, shows: "Quota of today" },
  { place: `keys/key/${keyId}/connect`, shows: "Claude Code" },
  { place: "audit", shows: "Audit trail" },
  { place: "upstreams/new", shows: "Headers" },
  { place: "secrets", shows: "Secrets" },
];

/** One view after the other, on a machine that does other things too. */
const ALL_VIEWS = { timeout: 240_000 };

test("Tab comes by everything, and shows where one is, on a desk and on a phone", ALL_VIEWS, async () => {
  const page = await pages.open();
  await signIn(page, server);
  const found: Record<string, string[]> = {};
  for (const { place, shows } of VIEWS) {
    await goTo(page, server, place);
    const byText = page.getByText(shows).or(page.getByLabel(shows));
    await byText
      .or(page.getByRole("table", { name: shows }))
      .first()
      .waitFor();
    for (const [size, viewport] of Object.entries(SIZES)) {
      await page.setViewportSize(viewport);
      const { stops, faults } = await walk(page);
      found[`${place}, ${size}`] = stops < 10 ? [`only ${stops} stops`] : faults;
    }
  }
  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, []])));
});

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

const hasFocusInside = (): boolean =>
  // Past the last one is the browser's own, which the page sees as its body.
  document.activeElement === document.body || Boolean(document.activeElement?.closest("dialog"));

test(
  "dialogs keep the focus, have nothing serious against them, and Escape gives the focus back",
  ALL_VIEWS,
  async () => {
    const page = await pages.open();
    await signIn(page, server);
    const found: Record<string, object> = {};
    for (const { place, opener } of DIALOGS) {
      await goTo(page, server, place);
      const button = page.getByRole("button", { name: opener, exact: true }).first();
      await button.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor();
      const findings = await seriousFindingsInEachLook(page);
      let isInside = true;
      for (let stop = 0; stop < 12; stop++) {
        await page.keyboard.press("Tab");
        isInside &&= await page.evaluate(hasFocusInside);
      }
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      const isBack = await button.evaluate((element) => element === document.activeElement);
      found[`${opener} at ${place}`] = { findings, isInside, isBack };
    }
    expect(found).toEqual(
      Object.fromEntries(Object.keys(found).map((name) => [name, { findings: [], isInside: true, isBack: true }])),
    );
  },
);
