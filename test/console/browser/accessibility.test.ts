import { expect, test } from "vitest";
import { startServer } from "../../journeys/support/server.ts";
import { seriousFindings, seriousFindingsInEachLook, startBrowser } from "../support/browser.ts";
import { goTo, mintCallKey, signIn } from "../support/console-page.ts";
import { LONG_NAME, makeThings } from "../support/long-things.ts";

const server = await startServer();
const pages = await startBrowser();

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

await server.admin("PUT", "/tools/find_ship", RECORD);
await makeThings(server);

const VIEWS = [
  { place: "tools", shows: "Search tools" },
  { place: "tools/tool/find_ship", shows: "Where calls go" },
  { place: "tools/tool/find_ship/lint", shows: "Every client" },
  { place: "tools/tool/find_ship/history", shows: "Versions of find_ship" },
  { place: "tools/tool/find_ship/edit", shows: "The server would take it." },
  { place: "tools/tool/find_ship/try", shows: "Arguments" },
  { place: `tools/tool/${LONG_NAME}`, shows: "Where calls go" },
  { place: `tools/tool/${LONG_NAME}/lint`, shows: "Every client" },
  { place: `tools/tool/${LONG_NAME}/try`, shows: "Arguments" },
  { place: "tools/new/code", shows: "Module" },
  { place: "tools/lint", shows: "Open find_ship" },
  { place: "tools/import", shows: "Options" },
] as const;

/** One view after the other, on a machine that does other things too. */
const ALL_VIEWS = { timeout: 240_000 };

test("nothing serious is wrong with any view, in light and dark, on a desk and on a phone", ALL_VIEWS, async () => {
  const page = await pages.open();
  await page.goto(new URL("/console/", server.url).href);
  await page.getByLabel("Admin key").waitFor();
  const found: Record<string, string[]> = { "sign in": await seriousFindingsInEachLook(page) };
  await signIn(page, server);
  for (const { place, shows } of VIEWS) {
    await goTo(page, server, place);
    await page.getByText(shows).or(page.getByLabel(shows)).first().waitFor();
    found[place] = await seriousFindingsInEachLook(page);
  }
  expect(found).toEqual(
    Object.fromEntries(["sign in", ...VIEWS.map(({ place }) => place)].map((place) => [place, []])),
  );
});

test("nothing serious is wrong with dialogs and results, and Escape gives the focus back", async () => {
  const page = await pages.open();
  await signIn(page, server);
  await mintCallKey(page);
  await goTo(page, server, "tools/tool/find_ship/try");
  const button = page.getByRole("button", { name: "Call find_ship" });
  await button.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  const dialog = await seriousFindings(page);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const hasFocus = await button.evaluate((element) => element === document.activeElement);
  await goTo(page, server, "tools/tool/qr_code/try");
  await page.getByLabel("text").first().fill("hello");
  await page.getByRole("button", { name: "Call qr_code" }).click();
  await page.getByRole("img").waitFor();
  expect({ dialog, hasFocus, result: await seriousFindings(page) }).toEqual({ dialog: [], hasFocus: true, result: [] });
});
