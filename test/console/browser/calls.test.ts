import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startFixtureServer } from "../../journeys/support/server.ts";
import { startBrowser } from "../support/browser.ts";
import { goTo, mintCallKey, readResult, signIn } from "../support/console-page.ts";

const server = await startFixtureServer();
const pages = await startBrowser();
const run = promisify(execFile);

test("shows how far a call is, and ends it when it is cancelled", async () => {
  const page = await pages.open();
  await signIn(page, server);
  await mintCallKey(page);
  await goTo(page, server, "tools/tool/wait/try");
  await page.getByLabel("As JSON").fill('{"label": "console"}');
  await page.getByRole("button", { name: "Call wait" }).click();
  await page.getByRole("button", { name: "Call it" }).click();
  await page
    .getByRole("region", { name: "Running" })
    .getByText(/^\d+ · /)
    .waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  const { verdict } = await readResult(page);
  await goTo(page, server, "tools/tool/was_cancelled/try");
  await page.getByLabel("label").fill("console");
  const ask = async () => {
    await page.getByRole("button", { name: "Call was_cancelled" }).click();
    await page.getByRole("button", { name: "Call it" }).click();
    return readResult(page);
  };
  await expect.poll(ask, { timeout: 20_000 }).toEqual({ verdict: "Success", texts: ["yes"] });
  expect(verdict).toBe("Cancelled");
});

test("goes on with a call for which a key had to be had first, minted or pasted", async () => {
  const { key } = await server.mintKey();
  const page = await pages.open();
  await signIn(page, server);
  await goTo(page, server, "tools/tool/calculate/try");
  await page.getByLabel("expression").fill("6 * 7");
  await page.getByRole("button", { name: "Call calculate" }).click();
  await page.getByRole("button", { name: "Mint one for this tab" }).click();
  const { verdict: minted } = await readResult(page);
  const other = await pages.open();
  await signIn(other, server);
  await goTo(other, server, "tools/tool/climb/try");
  await other.getByLabel("stairs").fill("3");
  await other.getByRole("button", { name: "Call climb" }).click();
  await other.getByLabel("An API key").fill(key);
  await other.getByRole("button", { name: "Use this key" }).click();
  await other.getByRole("button", { name: "Call it" }).click();
  const { verdict: pasted } = await readResult(other);
  const focused = await other.evaluate(() => document.activeElement?.textContent);
  expect({ minted, pasted, focused }).toEqual({ minted: "Success", pasted: "Success", focused: "Call climb" });
});

const NEWS_OF_CLIMB = [
  ["info", 'stairs {"stair":1}', 1],
  ["info", 'stairs {"stair":2}', 2],
  ["warning", 'stairs {"stair":3}', 3],
].flatMap(([level, log, progress]) => [
  new RegExp(String.raw`^\d\d:\d\d:\d\d\.\d{3} progress ${progress} of 3`),
  new RegExp(String.raw`^\d\d:\d\d:\d\d\.\d{3} ${level} ${log}$`),
]);

test("shows progress and logs of a call as they came, with the time", async () => {
  const page = await pages.open();
  await signIn(page, server);
  await mintCallKey(page);
  await goTo(page, server, "tools/tool/climb/try");
  await page.getByLabel("stairs").fill("3");
  await page.getByRole("button", { name: "Call climb" }).click();
  await page.getByRole("button", { name: "Call it" }).click();
  const { verdict, texts } = await readResult(page);
  const list = page.getByRole("list", { name: "Progress and log messages" });
  const news = (await list.getByRole("listitem").allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "));
  expect({ verdict, texts, news }).toEqual({
    verdict: "Success",
    texts: ["Climbed 3 stairs."],
    news: NEWS_OF_CLIMB.map((text) => expect.stringMatching(text)),
  });
});

test("answers what a call asks in forms, and the call goes on", async () => {
  const page = await pages.open();
  await signIn(page, server);
  await mintCallKey(page);
  await goTo(page, server, "tools/tool/survey/try");
  await page.getByRole("button", { name: "Call survey" }).click();
  await page.getByRole("button", { name: "Call it" }).click();
  await page.locator("h2", { hasText: "Running" }).waitFor();
  await page.getByLabel("first").fill("tea");
  await page.getByRole("button", { name: "Answer" }).click();
  await page.getByLabel("second").fill("toast");
  await page.getByRole("button", { name: "Answer" }).click();
  const result = page.getByRole("region", { name: "Text, which is JSON" });
  expect(JSON.parse(await result.innerText())).toEqual([{ first: "tea" }, { second: "toast" }]);
});

test("tells a tool's error from the protocol's", async () => {
  const page = await pages.open({ mayLog: /status of 400/ });
  await signIn(page, server);
  await mintCallKey(page);
  await goTo(page, server, "tools/tool/calculate/try");
  await page.getByLabel("expression").fill("1 +");
  await page.getByRole("button", { name: "Call calculate" }).click();
  const { verdict: ofTool } = await readResult(page);
  await page.getByLabel("As JSON").fill("[]");
  await page.getByRole("button", { name: "Call calculate" }).click();
  await page.getByText("Protocol error").waitFor();
  const { verdict: ofProtocol } = await readResult(page);
  const told = await page.getByRole("alert").innerText();
  expect({ ofTool, ofProtocol, told }).toEqual({
    ofTool: "Tool error",
    ofProtocol: "Protocol error",
    told: expect.stringContaining("-32602"),
  });
});

test("copies a call that works elsewhere, without the key", async () => {
  const { key } = await server.mintKey();
  const page = await pages.open();
  await signIn(page, server);
  await goTo(page, server, "tools/tool/calculate/try");
  await page.getByLabel("expression").fill("6 * 7");
  const copied: string[] = [];
  for (const name of ["Copy as curl", "Copy as TypeScript"]) {
    await page.getByRole("button", { name }).click();
    await page.getByText("Copied", { exact: true }).waitFor();
    copied.push(await page.evaluate(() => navigator.clipboard.readText()));
    await page.getByRole("button", { name: "Dismiss" }).click();
  }
  const [curl = "", module = ""] = copied;
  const env = { ...process.env, TOOLGATE_KEY: key };
  const byCurl = await run("sh", ["-c", curl], { env });
  const byModule = await run("node", ["--input-type=module", "-e", module], { env });
  expect([copied.join("").includes(key), JSON.parse(byCurl.stdout), byModule.stdout]).toMatchObject([
    false,
    { result: { structuredContent: { result: 42 } } },
    expect.stringContaining("6 * 7 = 42"),
  ]);
});

test("shows what a tool gives back, and neither runs nor follows it", async () => {
  const content = [
    { type: "text", text: "<img src=x onerror=alert(1)><script>alert(2)</script>" },
    { type: "resource_link", uri: "javascript:alert(3)", name: "here" },
    { type: "resource_link", uri: "https://elsewhere.example/", name: "there" },
    { type: "image", mimeType: "text/html", data: btoa("<script>alert(4)</script>") },
    { type: "resource", resource: { uri: "ship://log", mimeType: "text/html", text: "<b>bold</b>" } },
  ];
  const module = `export default () => ({ content: ${JSON.stringify(content)} });`;
  const annotations = { readOnlyHint: true, openWorldHint: false };
  const record = { description: "Is up to no good.", inputSchema: { type: "object" }, annotations };
  await server.admin("PUT", "/tools/mischief", { ...record, source: { kind: "code", module } });
  const page = await pages.open();
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => dialogs.push(dialog.message()));
  await signIn(page, server);
  await mintCallKey(page);
  await goTo(page, server, "tools/tool/mischief/try");
  await page.getByRole("button", { name: "Call mischief" }).click();
  const { texts } = await readResult(page);
  const result = page.getByRole("region", { name: "Result", exact: true });
  const links = await result.getByRole("link").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  const images = await result.getByRole("img").evaluateAll((all) => all.map((image) => image.getAttribute("src")));
  expect({ texts, links, images, dialogs }).toEqual({
    texts: ["<img src=x onerror=alert(1)><script>alert(2)</script>", "<b>bold</b>"],
    links: ["https://elsewhere.example/"],
    images: ["data:,"],
    dialogs: [],
  });
});

test("does not call after the dialog for a key was closed while the key was being minted", async () => {
  const page = await pages.open();
  await signIn(page, server);
  await goTo(page, server, "tools/tool/calculate/try");
  await page.getByLabel("expression").fill("6 * 7");
  await page.getByRole("button", { name: "Call calculate" }).click();
  const asked = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  await page.route("**/admin/v1/keys", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    asked.resolve();
    await closed.promise;
    return route.continue();
  });
  const calls: string[] = [];
  page.on("request", (request) => {
    if (request.postData()?.includes('"tools/call"')) calls.push(request.url());
  });
  await page.getByRole("button", { name: "Mint one for this tab" }).click();
  await asked.promise;
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  closed.resolve();
  await page.getByText("A key was minted for this tab").waitFor();
  await page.getByText("Hears changes").waitFor();
  expect(calls).toEqual([]);
});
