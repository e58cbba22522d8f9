// A browser whose pages may say nothing on their console: no error, no warning, no violation of the content security policy.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { afterAll, expect, onTestFinished } from "vitest";
import { findBrowser, NO_BROWSER } from "./find-browser.ts";

export interface PageOptions {
  colorScheme?: "light" | "dark";
  /** `phone` is 390 pixels wide. */
  size?: "desk" | "phone";
  /** What the page may say: an answer of 401 that the test asks for is an error on a browser's console. */
  mayLog?: RegExp;
}

export interface Pages {
  /** A page in a tab and a storage of its own, gone with the test. */
  open: (options?: PageOptions) => Promise<Page>;
}

export const SIZES = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
const PATIENCE_MS = 20_000;

/** Starts a browser for one test file. */
export async function startBrowser(): Promise<Pages> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error(NO_BROWSER);
  const args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];
  const browser = await chromium.launch({ executablePath, args });
  afterAll(() => browser.close());
  return { open: (options = {}) => openPage(browser, options) };
}

async function openPage(
  browser: Browser,
  { colorScheme = "light", size = "desk", mayLog }: PageOptions,
): Promise<Page> {
  const context = await browser.newContext({ colorScheme, viewport: SIZES[size], reducedMotion: "reduce" });
  context.setDefaultTimeout(PATIENCE_MS);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const said = listenTo(context, mayLog);
  onTestFinished(async () => {
    await context.close();
    expect(said, "what pages said on their console, or asked of other hosts").toEqual([]);
  });
  return context.newPage();
}

function listenTo(context: BrowserContext, mayLog: RegExp | undefined): string[] {
  const said: string[] = [];
  const note = (text: string): void => {
    if (mayLog === undefined || !mayLog.test(text)) said.push(text);
  };
  context.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") note(message.text());
  });
  context.on("weberror", (error) => note(String(error.error())));
  context.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol.startsWith("http") && hostname !== "127.0.0.1") note(`request to ${hostname}`);
  });
  return said;
}

/** In light and dark, on a desk and on a phone: what axe-core holds against the page, and how much too wide it is. */
export async function seriousFindingsInEachLook(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const look = `${colorScheme} at ${size} width`;
      // Colours hang on both; all else hangs on the width alone.
      const rules = colorScheme === "light" ? undefined : ["color-contrast"];
      found.push(...(await seriousFindings(page, rules)).map((finding) => `${look}: ${finding}`));
    }
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (overflow > 0) found.push(`wider than a ${size} by ${overflow} pixels`);
  }
  await page.setViewportSize(SIZES.desk);
  return found;
}

const axeSource = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Finding {
  id: string;
  impact: string | null;
  nodes: { html: string; failureSummary?: string }[];
}

/** What axe-core holds against the page as it is, by some rules or all, as far as it is serious: rules, and where. */
export async function seriousFindings(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axeSource);
  const violations = await page.evaluate(
    async (options) => {
      const { axe } = globalThis as unknown as {
        axe: { run: (options: object) => Promise<{ violations: Finding[] }> };
      };
      return (await axe.run(options)).violations;
    },
    { resultTypes: ["violations"], ...(rules && { runOnly: rules }) },
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary = "" }) => `${id}: ${html} ${failureSummary}`));
}
