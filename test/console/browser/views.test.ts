// Live, Keys, Audit, Upstreams and Secrets in a browser, against a server that is really called.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { expect, test, vi } from "vitest";
import { modernRequest, post } from "../../journeys/support/rpc.ts";
import { startServer } from "../../journeys/support/server.ts";
import { openSession } from "../../journeys/support/socket.ts";
import { startModernServer } from "../../journeys/support/upstream-servers.ts";
import { startBrowser } from "../support/browser.ts";
import { goTo, mintCallKey, signIn } from "../support/console-page.ts";

const upstream = await startModernServer();
const server = await startServer({ EGRESS_ALLOW: upstream.host, AUDIT_FLUSH_MS: "0" });
const pages = await startBrowser();
const run = promisify(execFile);

const WITHIN = { timeout: 20_000, interval: 100 };

/** Calls a tool as a client would, and answers with the status. */
async function call(key: string, name: string, args: object = {}): Promise<number> {
  const { message, headers } = modernRequest("tools/call", { name, arguments: args });
  const { status } = await post(server.endpoint(), key, message, { ...headers, "mcp-name": name });
  return status;
}

const calculate = (key: string): Promise<number> => call(key, "calculate", { expression: "1+1" });

const press = (page: Page, name: string): Promise<void> => page.getByRole("button", { name, exact: true }).click();

async function openSignedIn(place: string, key = server.adminKey): Promise<Page> {
  const page = await pages.open();
  await signIn(page, server, key);
  await goTo(page, server, place);
  return page;
}

test("mints a key, changes its limits, revokes it, and shows what came of its calls", async () => {
  const page = await openSignedIn("keys");
  await press(page, "New key");
  await press(page, "Mint key");
  await page.getByText("A key needs a name.").waitFor();
  await page.locator("input[aria-invalid]:focus").waitFor();
  await page.getByLabel("Name").fill("Ada");
  await press(page, "Mint key");
  await page.getByRole("heading", { name: "Key minted" }).waitFor();
  const key = await page.locator("[data-key]").innerText();
  await press(page, "Copy key");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  await press(page, "curl");
  await page.getByRole("region", { name: /^curl/ }).locator("..").getByRole("button", { name: "Copy" }).click();
  const { stdout } = await run("sh", ["-c", await page.evaluate(() => navigator.clipboard.readText())]);
  expect({ copied, answer: JSON.parse(stdout), first: await calculate(key) }).toEqual({
    copied: key,
    answer: expect.objectContaining({
      result: { tools: expect.arrayContaining([expect.objectContaining({ name: "calculate" })]) },
    }),
    first: 200,
  });

  await page.getByRole("link", { name: "Done" }).click();
  await page.getByRole("link", { name: "Limits and rules" }).click();
  await press(page, "Add a limit");
  await page.getByLabel("Tools of limit 1").fill("calc*");
  await page.getByLabel("Calls a minute of limit 1").fill("1");
  await page.getByLabel("Calls a day").fill("100");
  await press(page, "Save");
  await page.getByText("Ada is changed.").waitFor();
  await vi.waitFor(async () => expect(await calculate(key)).toBe(429), WITHIN);
  const other = await call(key, "current_time");

  await press(page, "Revoke");
  await press(page, "Revoke for good");
  await page.getByText("Ada is revoked.").waitFor();
  await vi.waitFor(async () => expect(await calculate(key)).toBe(401), WITHIN);
  await page.getByRole("link", { name: "About" }).click();
  await page.getByText("Revoked", { exact: true }).first().waitFor();
  const buttons = await page.getByRole("main").getByRole("button").count();
  const shown = await page.getByRole("main").innerText();
  expect({ other, buttons, isShown: shown.includes(key) }).toEqual({ other: 200, buttons: 0, isShown: false });

  await page.getByRole("link", { name: "Its calls, and what was done with it" }).click();
  await page.getByLabel("Outcome").selectOption("limited");
  await press(page, "Search");
  await page.getByRole("button", { name: "Details of calculate" }).first().click();
  const details = await page.getByRole("dialog").innerText();
  expect(details).toMatch(/limited[^]*Over a limit[^]*calculate[^]*Ada[^]*journey 1\.0\.0[^]*2026-07-28/);
});

test("rotates a key, and says to the second until when the old secret works", async () => {
  const { id, key } = await server.mintKey({ name: "Joan", limits: { perMinute: 60, perDay: 40 } });
  await calculate(key);
  const page = await openSignedIn(`keys/key/${id}`);
  const quota = await page.getByRole("region", { name: "Quota of today" }).innerText();
  await press(page, "Rotate");
  await press(page, "Make another secret");
  const told = await page.getByText(/^The old secret works until/).innerText();
  await press(page, "Done");
  const fact = page.getByRole("region", { name: "Key", exact: true }).getByText("Old secret works until").locator("..");
  const until = /until (.*\d:\d\d:\d\d)/.exec(told)?.[1] ?? "no time";
  expect({ quota, fact: await fact.innerText() }).toEqual({
    quota: expect.stringMatching(/\d+ of 40 used \(\d+%\)\s+\d+ left/),
    fact: expect.stringContaining(until),
  });
});

test("shows the new secret of a key whose dialog was closed while it was being rotated", async () => {
  const { id } = await server.mintKey({ name: "Ida" });
  const page = await openSignedIn(`keys/key/${id}`);
  const [asked, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route("**/rotate", async (route) => {
    asked.resolve();
    await closed.promise;
    await route.continue();
  });
  await press(page, "Rotate");
  await press(page, "Make another secret");
  await asked.promise;
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  closed.resolve();
  const dialog = page.getByRole("dialog", { name: "New secret" });
  await dialog.getByText(/tg_/).first().waitFor({ timeout: 10_000 });
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  const opener = page.getByRole("button", { name: "Rotate", exact: true });
  expect(await opener.evaluate((button) => button === document.activeElement)).toBe(true);
});

test("pages and exports the trail, and checks the chain of admin actions", async () => {
  const { id, key } = await server.mintKey({ name: "many", limits: { perMinute: 6_000 } });
  for (let n = 0; n < 60; n++) await calculate(key);
  const page = await openSignedIn(`audit?key=${id}&kind=call`);
  const rows = page.getByRole("table", { name: "Audit trail" }).locator("tbody tr");
  await vi.waitFor(async () => {
    await press(page, "Reload");
    expect(await rows.count()).toBe(50);
  }, WITHIN);
  await press(page, "Older");
  await vi.waitFor(async () => expect(await rows.count()).toBe(10), WITHIN);
  const arriving = page.waitForEvent("download");
  await press(page, "Export as JSON lines");
  const lines = (await readFile(await (await arriving).path(), "utf8")).trim().split("\n");
  const exported = lines.map((line) => (JSON.parse(line) as { key: string; tool: string }).tool);
  await press(page, "Verify");
  const verdict = await page.getByText("admin actions, unbroken from the first on.").innerText();
  expect({ exported, verdict }).toEqual({
    exported: Array.from({ length: 60 }, () => "calculate"),
    verdict: expect.stringMatching(/^[1-9]\d* admin/),
  });
});

test("adds an upstream whose secret is missing, has it set, and serves its tools", async () => {
  const value = "t0ken-of-this-test";
  const page = await openSignedIn("upstreams");
  await press(page, "Add upstream");
  await page.getByLabel("Name", { exact: true }).fill("files");
  await page.getByLabel("URL").fill(upstream.url);
  await press(page, "Add to headers");
  await page.getByLabel("Headers, name 1").fill("authorization");
  await page.getByLabel("Headers, value 1").fill("Bearer {{secret:FILES_TOKEN}}");
  await press(page, "Add and list its tools");
  await page.getByText("Not set yet: FILES_TOKEN.").waitFor();
  await page.getByText("It is failing.").waitFor();

  await goTo(page, server, "live");
  await page.getByText("named by tools or upstreams and not set: FILES_TOKEN.").waitFor();
  await page.getByText("The upstream files is failing").waitFor();
  await goTo(page, server, "secrets");
  await page.getByText("1 secret is named and not set.").waitFor();
  const [unset] = await page.getByRole("table", { name: "Secrets" }).locator("tbody tr").allInnerTexts();
  await press(page, "Set FILES_TOKEN");
  await page.getByLabel("Value").fill(value);
  await press(page, "Set");
  await page.getByText("FILES_TOKEN is set.").waitFor();
  await page.getByRole("button", { name: "Delete FILES_TOKEN" }).waitFor();
  expect({ unset, isShown: (await page.content()).includes(value) }).toEqual({
    unset: expect.stringMatching(/FILES_TOKEN\s+not set[^]*files/),
    isShown: false,
  });

  await page.getByRole("link", { name: "files", exact: true }).click();
  await press(page, "Refresh files");
  await page.getByRole("link", { name: "files_echo" }).waitFor();
  const skipped = await page.getByRole("table", { name: "Tools that are not served, and why" }).innerText();
  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByLabel("Tools not to serve").fill("steps");
  const shownAnew = page.waitForResponse(
    (response) => response.url().endsWith("/upstreams/files") && response.request().method() === "GET",
  );
  await press(page, "Save and list its tools");
  await shownAnew;
  await page.getByRole("link", { name: "files_steps" }).waitFor({ state: "detached" });
  await page.getByText("Excluded now").waitFor();
  const served = (await server.toolNames()).filter((name) => name.startsWith("files_"));
  await press(page, "Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No upstreams yet").waitFor();
  const left = (await server.toolNames()).filter((name) => name.startsWith("files_"));
  expect({ skipped, served, left, asked: upstream.arrived.at(-1) }).toEqual({
    skipped: expect.stringMatching(/hidden[^]*nobody sees[^]*strange[^]*\$dynamicRef/),
    served: ["files_echo", expect.stringMatching(/^files_n_me_with_spaces_/), "files_wait"],
    left: [],
    asked: expect.objectContaining({ authorization: `Bearer ${value}` }),
  });
});

test("shows calls, listeners and changes as they come, and asks nothing while it is out of sight", async () => {
  const page = await pages.open();
  await page.clock.install();
  await signIn(page, server);
  await goTo(page, server, "live");
  await mintCallKey(page);
  await page.getByText("toolgate-console 1").first().waitFor();
  const { key } = await server.mintKey({ name: "Grace", limits: { perMinute: 6_000 } });
  await openSession(server.socketEndpoint(), { headers: { authorization: `Bearer ${key}` } });
  await call(key, "qr_code", { text: "hello" });
  await call(key, "made_up");
  const calls = page.getByRole("table", { name: "The newest calls" });
  await calls.getByText("made_up").waitFor();
  await calls.getByText("qr_code").first().waitFor();
  const outcome = await calls.getByRole("row").filter({ hasText: "made_up" }).first().innerText();
  await server.switchTool("tone", false);
  await page.getByText("list_changed").first().waitFor();
  await page.getByText("tool.change tone: disabled").waitFor();
  await press(page, "Hour");
  await page.clock.runFor(60_000);
  await page.getByRole("img", { name: /^Calls a minute: at most [1-9]/ }).waitFor();
  const unknown = await page.getByRole("link", { name: "(unknown)" }).getAttribute("href");
  expect([outcome, unknown]).toEqual([
    expect.stringContaining("unknown tool"),
    expect.stringMatching(/audit\?kind=call&outcome=unknown_tool$/),
  ]);

  const asked: string[] = [];
  page.on("request", (sent) => asked.push(new URL(sent.url()).pathname));
  await setSight(page, "hidden");
  await page.clock.runFor(300_000);
  const hidden = [...asked];
  await setSight(page, "visible");
  await vi.waitFor(() => expect(asked).toContain("/admin/v1/audit"), WITHIN);
  expect(hidden).toEqual([]);
});

/** As a tab that is put in the background, or brought back. */
const setSight = (page: Page, state: "hidden" | "visible"): Promise<void> =>
  page.evaluate((state) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, value: state });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);

test("shows a key that may only read everything, and nothing to change it by", async () => {
  const { key } = await server.mintKey({ name: "reader", scopes: ["admin:read"] });
  const { id } = await server.mintKey({ name: "shown" });
  await server.admin("PUT", "/secrets/READ_ONLY", { value: "12345678" });
  const page = await openSignedIn("keys", key);
  const found: Record<string, string[]> = {};
  for (const [place, shows] of [
    ["live", "Listeners"],
    ["keys", "shown"],
    ["keys/new", "shown"],
    [`keys/key/${id}/edit`, "Calls in an hour"],
    ["audit", "Chain of admin actions"],
    ["upstreams/new", "No upstreams yet"],
    ["secrets?set=READ_ONLY", "READ_ONLY"],
  ] as const) {
    await goTo(page, server, place);
    await page.getByRole("main").getByText(shows).first().waitFor();
    found[place] = await page.getByRole("main").getByRole("button").allInnerTexts();
  }
  const mayPress =
    /^(15 minutes|Hour|Day|Pause|Details|Choose one|Search|Clear|Reload|Loading …|Newer|Older|Verify|Export as JSON lines)$/;
  const changing = Object.values(found)
    .flat()
    .filter((name) => !mayPress.test(name.trim()));
  expect(changing).toEqual([]);
});
