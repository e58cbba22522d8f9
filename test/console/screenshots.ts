// Takes the pictures that the README shows, of the real console on a server of its own: `npm run screenshots`.

import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { createTestHarness } from "wrangler";
import { EXAMPLE_TOOLS } from "./support/example-tools.ts";
import { findBrowser, NO_BROWSER } from "./support/find-browser.ts";

process.env["CLOUDFLARE_CF_FETCH_ENABLED"] = "false";
process.env["WRANGLER_SEND_METRICS"] = "false";

const DOCS = join(import.meta.dirname, "../../docs");
const SIZES = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

interface Shot {
  name: string;
  place: string;
  size: keyof typeof SIZES;
  colorScheme: "light" | "dark";
  /** What is done before the picture is taken; it ends when there is something to see. */
  prepare: (page: Page) => Promise<void>;
}

const SHOTS: Shot[] = [
  {
    name: "console-live",
    place: "live",
    size: "desk",
    colorScheme: "light",
    prepare: async (page) => {
      await page.getByText("HarbourBot").first().waitFor();
      await page.getByRole("img", { name: /^Calls a minute: at most [1-9]/ }).waitFor();
    },
  },
  {
    name: "console-key",
    place: "keys/new",
    size: "desk",
    colorScheme: "light",
    prepare: async (page) => {
      await page.getByLabel("Name").fill("Office laptop");
      await page.getByRole("button", { name: "Mint key" }).click();
      await page.getByRole("heading", { name: "Key minted" }).waitFor();
    },
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
  const secrets = { ADMIN_KEY: adminKey, SIGNING_SECRET: randomBytes(32).toString("hex") };
  const harness = createTestHarness({ workers: [{ configPath: "wrangler.toml", secrets }] });
  const { url } = await harness.listen();
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    for (const [name, record] of Object.entries(EXAMPLE_TOOLS)) await putTool(url, adminKey, name, record);
    await makeCalls(url, adminKey);
    await mkdir(DOCS, { recursive: true });
    for (const shot of SHOTS) await take(browser, url, adminKey, shot);
  } finally {
    await browser.close();
    await harness.close();
  }
}

const putTool = (url: URL, adminKey: string, name: string, record: unknown): Promise<unknown> =>
  ask(url, adminKey, "PUT", `/tools/${name}`, record);

async function ask(url: URL, adminKey: string, method: string, path: string, body: unknown): Promise<unknown> {
  const response = await fetch(new URL(`/admin/v1${path}`, url), {
    method,
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return response.json();
}

/** Some calls, of which some fail and some are over a limit. */
async function makeCalls(url: URL, adminKey: string): Promise<void> {
  const limits = { perMinute: 600, tools: { "qr_*": { perMinute: 5 } } };
  const { key } = (await ask(url, adminKey, "POST", "/keys", { name: "Harbour office", limits })) as { key: string };
  const calls = Array.from({ length: 24 }, (_, n): [string, object] => [
    ["calculate", "current_time", "qr_code", "load_cargo"][n % 4] ?? "",
    [{ expression: n === 8 ? "1+" : `${n}+2` }, {}, { text: "Berth 7" }, { crates: 2 }][n % 4] ?? {},
  ]);
  for (const [name, args] of calls) {
    const response = await fetch(new URL("/mcp", url), {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headersOf(name) },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: args, _meta: CLIENT },
      }),
    });
    await response.text();
  }
}

const headersOf = (name: string): Record<string, string> => ({
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": name,
});

const CLIENT = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "HarbourBot", version: "3.1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

async function take(browser: Browser, url: URL, adminKey: string, shot: Shot): Promise<void> {
  const { name, place, size, colorScheme, prepare } = shot;
  const page = await browser.newPage({ viewport: SIZES[size], colorScheme, reducedMotion: "reduce" });
  await page.goto(new URL("/console/", url).href);
  await page.getByLabel("Admin key").fill(adminKey);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "No key for calls" }).click();
  await page.getByRole("button", { name: "Mint one for this tab" }).click();
  await page.getByRole("button", { name: "Hears changes" }).waitFor();
  await page.getByRole("button", { name: "Dismiss" }).click();
  await page.goto(new URL(`/console/#/${place}`, url).href);
  await prepare(page);
  await page.screenshot({ path: join(DOCS, `${name}.png`) });
  console.log(`docs/${name}.png`);
  await page.close();
}

await takeAll();
