// Takes the pictures that README.md and docs/ show, of the real console on a server of its own: `npm run screenshots`.

import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { createTestHarness } from "wrangler";
import { EXAMPLE_TOOLS } from "./support/example-tools.ts";
import { findBrowser, NO_BROWSER } from "./support/find-browser.ts";
import { differenceOf } from "./support/picture-difference.ts";

process.env["CLOUDFLARE_CF_FETCH_ENABLED"] = "false";
process.env["WRANGLER_SEND_METRICS"] = "false";

/** Pictures that differ in no more of their blocks are the same to who looks; of a view that moves, these. */
const SAME = 0.01;
const SAME_MOVING = 0.05;
const DOCS = join(import.meta.dirname, "../../docs");
const SIZES = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

interface Shot {
  name: string;
  place: string;
  size: keyof typeof SIZES;
  colorScheme: "light" | "dark";
  /** Whether it never looks quite the same. */
  moves?: true;
  /** What is done before the page is opened. */
  before?: (page: Page) => Promise<void>;
  /** What is done before the picture is taken; it ends when there is something to see. */
  prepare: (page: Page) => Promise<void>;
}

const SHOTS: Shot[] = [
  {
    name: "console-live",
    place: "live",
    size: "desk",
    colorScheme: "dark",
    moves: true,
    before: spreadCalls,
    prepare: (page) => page.waitForTimeout(5_000),
  },
  {
    name: "console-tools",
    place: "tools",
    size: "desk",
    colorScheme: "light",
    prepare: (page) => page.getByRole("link", { name: "find_ship", exact: true }).waitFor(),
  },
  {
    name: "console-try",
    place: "tools/tool/load_cargo/try",
    size: "desk",
    colorScheme: "dark",
    prepare: async (page) => {
      await page.getByLabel("crates").fill("40");
      await page.getByRole("button", { name: "Call load_cargo" }).click();
      await page.getByText('{"crate":6,"tons":2}').waitFor();
    },
  },
  {
    name: "console-edit",
    place: "tools/tool/find_ship/edit",
    size: "desk",
    colorScheme: "light",
    prepare: (page) => page.getByText("The server would take it.").waitFor(),
  },
  {
    name: "console-phone",
    place: "tools/tool/find_ship",
    size: "phone",
    colorScheme: "dark",
    prepare: (page) => page.getByRole("region", { name: "Arguments" }).waitFor(),
  },
];

async function takeAll(): Promise<void> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error(NO_BROWSER);
  const adminKey = randomBytes(32).toString("hex");
  const [SIGNING_SECRET, SECRETS_KEY] = [randomBytes(32).toString("hex"), randomBytes(32).toString("hex")];
  const secrets = { ADMIN_KEY: adminKey, SIGNING_SECRET, SECRETS_KEY };
  const harness = createTestHarness({ workers: [{ configPath: "wrangler.toml", secrets }] });
  const { url } = await harness.listen();
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    for (const [name, record] of Object.entries(EXAMPLE_TOOLS)) await putTool(url, adminKey, name, record);
    mkdirSync(DOCS, { recursive: true });
    await setSecret(url, adminKey, "HARBOUR_TOKEN");
    const traffic = await startTraffic(url, adminKey);
    for (const shot of SHOTS) await take(browser, url, adminKey, shot);
    clearInterval(traffic);
  } finally {
    await browser.close();
    await harness.close();
  }
}

const SPANS = 60;
const SPAN_MS = 15_000;

/** The calls of some seconds as though they were of a quarter of an hour, so that there is something to see of it. */
async function spreadCalls(page: Page): Promise<void> {
  await page.waitForTimeout(10_000);
  let rows: object[] | undefined;
  await page.route(/\/admin\/v1\/audit\?.*kind=call/, async (route) => {
    const answer = (await (await route.fetch()).json()) as { rows: { id: string }[] };
    const nowMs = Date.now();
    rows ??= Array.from({ length: SPANS }, (_, span) => span).flatMap((span) => {
      const count = Math.round(9 + 5 * Math.sin(span / 7) + ((span * 7) % 5));
      return Array.from({ length: count }, (_, index) => {
        const row = answer.rows[(span * 31 + index * 7) % answer.rows.length];
        const at = new Date(nowMs - (span + index / count) * SPAN_MS).toISOString();
        return { ...row, id: `${row?.id} ${span} ${index}`, at };
      });
    });
    await route.fulfill({ json: { ...answer, rows, nextCursor: undefined } });
  });
}

const CALLS = [
  { name: "calculate", arguments: { expression: "6 * 7" } },
  { name: "current_time", arguments: {} },
  { name: "load_cargo", arguments: { crates: 1 } },
  { name: "tone", arguments: { durationMs: 200 } },
  { name: "calculate", arguments: { expression: "6 * 8" } },
  { name: "qr_code", arguments: { text: "https://harbour.example/berths/7" } },
  { name: "current_time", arguments: {} },
  { name: "calculate", arguments: { expression: "6 *" } },
  { name: "tone", arguments: { durationMs: 100 } },
  { name: "calculate", arguments: { expression: "7 * 7" } },
  { name: "current_time", arguments: {} },
  { name: "load_cargo", arguments: { crates: 2 } },
  { name: "find_harbour", arguments: {} },
];

/** Calls to look at, by two keys, one of which may make few. */
async function startTraffic(url: URL, adminKey: string): Promise<NodeJS.Timeout> {
  const keys = await Promise.all(
    [
      { name: "Harbour assistant", limits: { perMinute: 600, perDay: 5000 } },
      { name: "Night watch", limits: { perMinute: 60, burst: 5 } },
    ].map((input) => mintKey(url, adminKey, input)),
  );
  let count = 0;
  return setInterval(() => {
    const key = keys[count % 4 === 3 ? 1 : 0] ?? "";
    const params = CALLS[count++ % CALLS.length];
    const body = JSON.stringify({ jsonrpc: "2.0", id: count, method: "tools/call", params });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    void fetch(new URL("/mcp", url), { method: "POST", headers, body }).then((response) => response.body?.cancel());
  }, 150);
}

async function mintKey(url: URL, adminKey: string, input: object): Promise<string> {
  const response = await fetch(new URL("/admin/v1/keys", url), {
    method: "POST",
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
    body: JSON.stringify(input),
  });
  return ((await response.json()) as { key: string }).key;
}

async function setSecret(url: URL, adminKey: string, name: string): Promise<void> {
  const response = await fetch(new URL(`/admin/v1/secrets/${name}`, url), {
    method: "PUT",
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
    body: JSON.stringify({ value: randomBytes(16).toString("hex") }),
  });
  if (!response.ok) throw new Error(`PUT ${name}: ${await response.text()}`);
}

async function putTool(url: URL, adminKey: string, name: string, record: unknown): Promise<void> {
  const response = await fetch(new URL(`/admin/v1/tools/${name}`, url), {
    method: "PUT",
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
    body: JSON.stringify(record),
  });
  if (!response.ok) throw new Error(`PUT ${name}: ${await response.text()}`);
}

async function take(browser: Browser, url: URL, adminKey: string, shot: Shot): Promise<void> {
  const { name, place, size, colorScheme, moves, before, prepare } = shot;
  const page = await browser.newPage({ viewport: SIZES[size], colorScheme, reducedMotion: "reduce" });
  await before?.(page);
  await page.goto(new URL("/console/", url).href);
  await page.getByLabel("Admin key").fill(adminKey);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "No key for calls" }).click();
  await page.getByRole("button", { name: "Mint one for this tab" }).click();
  await page.getByRole("button", { name: "Hears changes" }).waitFor();
  await page.getByRole("button", { name: "Dismiss" }).click();
  await page.goto(new URL(`/console/#/${place}`, url).href);
  await prepare(page);
  const path = join(DOCS, `${name}.png`);
  const picture = await page.screenshot();
  const difference = existsSync(path) ? differenceOf(readFileSync(path), picture) : 1;
  const isNew = difference > (moves ? SAME_MOVING : SAME);
  if (isNew) writeFileSync(path, picture);
  console.log(`docs/${name}.png: ${isNew ? "new" : "as before"} (${(100 * difference).toFixed(1)} %)`);
  await page.close();
}

await takeAll();
