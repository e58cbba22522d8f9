import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { startServer } from "../../journeys/support/server.ts";
import { startBrowser } from "../support/browser.ts";
import { goTo, signIn } from "../support/console-page.ts";

const server = await startServer();
const pages = await startBrowser();

/** A call as the trail has it, some spans of the charts ago. */
const callAgo = (seconds: number, durationMs = 12): object => ({
  kind: "call",
  id: `call-${seconds}`,
  at: new Date(Date.now() - seconds * 1000).toISOString(),
  key: "",
  tool: "calculate",
  outcome: "ok",
  durationMs,
  client: { name: "journey", version: "1.0.0" },
});

/** Live on a server of which these are the newest calls. */
async function openLive(rows: readonly object[], size: "desk" | "phone"): Promise<Page> {
  const page = await pages.open({ size });
  await page.route(/\/admin\/v1\/audit\?.*kind=call/, (route) => route.fulfill({ json: { rows, lost: {} } }));
  await signIn(page, server);
  await goTo(page, server, "live");
  await page.locator(".chart canvas").nth(1).waitFor();
  return page;
}

/** How many marks of the colour stand apart from each other, from left to right. */
const countMarks = (page: Page, chart: number, token: string): Promise<number> =>
  page
    .locator(".chart canvas")
    .nth(chart)
    .evaluate((canvas: HTMLCanvasElement, token) => {
      const colour = getComputedStyle(document.documentElement).getPropertyValue(token).trim();
      const wanted = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
      const { data, width, height } = (canvas.getContext("2d") as CanvasRenderingContext2D).getImageData(
        0,
        0,
        canvas.width,
        canvas.height,
      );
      const hasMark = Array.from({ length: width }, (_, x) =>
        Array.from({ length: height }, (_, y) => (y * width + x) * 4).some((at) =>
          wanted.every((sample, channel) => Math.abs(sample - (data[at + channel] ?? 0)) < 8),
        ),
      );
      return hasMark.filter((has, x) => has && !hasMark[x - 1]).length;
    }, token);

test.each(["desk", "phone"] as const)(
  "calls that stand alone are all seen, each with its latency, at %s width",
  async (size) => {
    const page = await openLive([callAgo(60), callAgo(200, 30_000), callAgo(400, 0), callAgo(800, 7)], size);
    const found = () => Promise.all([countMarks(page, 0, "--chart-accent"), countMarks(page, 1, "--chart-accent")]);
    await expect.poll(found, { timeout: 20_000 }).toEqual([4, 4]);
  },
);

test("where nothing was called, the charts say so", async () => {
  const page = await openLive([], "desk");
  await page.getByText("No calls in the last 15 minutes").nth(1).waitFor();
  expect(await countMarks(page, 0, "--chart-accent")).toBe(0);
});
