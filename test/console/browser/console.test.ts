import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startFixtureServer } from "../../journeys/support/server.ts";
import { startBrowser } from "../support/browser.ts";
import { goTo, mintCallKey, readResult, signIn } from "../support/console-page.ts";
import { startPortApi } from "../support/port-api.ts";

const api = await startPortApi();
const server = await startFixtureServer({ EGRESS_ALLOW: api.host });
const pages = await startBrowser();
const run = promisify(execFile);

test("lets in whoever has an admin key, for the tab alone", async () => {
  const page = await pages.open({ mayLog: /status of 401/ });
  await page.goto(new URL("/console", server.url).href);
  await page.getByLabel("Admin key").fill("tg_not_a_key");
  await page.getByRole("button", { name: "Sign in" }).click();
  const refusal = await page.getByRole("alert").innerText();
  await signIn(page, server);
  await page.reload();
  const tools = await page.getByRole("link", { name: "calculate", exact: true }).innerText();
  const other = await page.context().newPage();
  await other.goto(page.url());
  const asked = await other.getByLabel("Admin key").isVisible();
  await page.getByRole("button", { name: "Sign out" }).click();
  const kept = await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }));
  expect({ refusal, tools, asked, kept }).toEqual({
    refusal: expect.stringContaining("does not open the admin API here"),
    tools: "calculate",
    asked: true,
    kept: "{}",
  });
});

test("makes an HTTP tool, which another page hears of, and calls it once that is confirmed", async () => {
  const watching = await pages.open();
  await signIn(watching, server);
  await mintCallKey(watching);
  const page = await pages.open();
  await signIn(page, server);
  await mintCallKey(page);

  await page.getByRole("button", { name: "New HTTP tool" }).click();
  await page.getByLabel("Name", { exact: true }).fill("free_berth");
  await page.getByLabel("Description").fill("Frees a berth of the harbour.");
  await page.getByLabel("Method").selectOption("DELETE");
  await page.getByLabel("URL").fill(`http://${api.host}/berths/{berth}`);
  await page.getByText("expected a property of inputSchema").or(page.getByText("Not yet.")).first().waitFor();
  await page.getByRole("button", { name: "Add the request's arguments" }).click();
  await page.getByLabel("Reads only").selectOption("No");
  await page.getByText("The server would take it.").waitFor();
  await page.getByRole("button", { name: "Put into the catalogue" }).click();

  await watching.getByRole("link", { name: "free_berth", exact: true }).waitFor();
  await page.getByRole("link", { name: "Try it" }).click();
  await page.getByRole("textbox", { name: /^berth/ }).fill("a/7");
  await page.getByRole("button", { name: "Call free_berth" }).click();
  const warned = await page.getByRole("dialog").innerText();
  const before = [...api.asked];
  await page.getByRole("button", { name: "Call it" }).click();
  await page.getByRole("region", { name: "Result", exact: true }).waitFor();
  expect({ warned, before, result: await readResult(page), asked: api.asked }).toEqual({
    warned: expect.stringMatching(/change or delete things[^]*outside world[^]*"a\/7"/),
    before: [],
    result: { verdict: "Success", texts: ["You asked for DELETE /berths/a%2F7"] },
    asked: ["DELETE /berths/a%2F7"],
  });
});

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
  await expect
    .poll(async () => {
      await page.getByRole("button", { name: "Call was_cancelled" }).click();
      await page.getByRole("button", { name: "Call it" }).click();
      return readResult(page);
    })
    .toEqual({ verdict: "Success", texts: ["yes"] });
  expect(verdict).toBe("Cancelled");
});

test("shows progress and logs of a call", async () => {
  const page = await pages.open();
  await signIn(page, server);
  await mintCallKey(page);
  await goTo(page, server, "tools/tool/climb/try");
  await page.getByLabel("stairs").fill("3");
  await page.getByRole("button", { name: "Call climb" }).click();
  await page.getByRole("button", { name: "Call it" }).click();
  const { verdict, texts } = await readResult(page);
  const logs = await page.getByRole("list", { name: "Log messages" }).getByRole("listitem").allInnerTexts();
  expect({ verdict, texts, logs: logs.map((log) => log.replaceAll(/\s+/g, " ")) }).toEqual({
    verdict: "Success",
    texts: ["Climbed 3 stairs."],
    logs: ['info stairs {"stair":1}', 'info stairs {"stair":2}', 'warning stairs {"stair":3}'],
  });
});

test("answers what a call asks in forms, and the call goes on", async () => {
  const page = await pages.open();
  await signIn(page, server);
  await mintCallKey(page);
  await goTo(page, server, "tools/tool/survey/try");
  await page.getByRole("button", { name: "Call survey" }).click();
  await page.getByRole("button", { name: "Call it" }).click();
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

test("copies a call that works in a shell", async () => {
  const { key } = await server.mintKey();
  const page = await pages.open();
  await signIn(page, server);
  await goTo(page, server, "tools/tool/calculate/try");
  await page.getByLabel("expression").fill("6 * 7 - len'");
  await page.getByLabel("expression").fill("6 * 7");
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await page.getByText("Copied", { exact: true }).waitFor();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  const { stdout } = await run("sh", ["-c", command], { env: { ...process.env, TOOLGATE_KEY: key } });
  expect([command.includes(key), JSON.parse(stdout)]).toMatchObject([
    false,
    { result: { structuredContent: { result: 42 } } },
  ]);
});

test("imports an OpenAPI document once its preview was seen", async () => {
  const page = await pages.open();
  await signIn(page, server);
  await page.getByRole("button", { name: "Import OpenAPI" }).click();
  await page.getByLabel("Or pasted, JSON or YAML").fill(DOCKS);
  await page.getByLabel("Prefix of names").fill("docks_");
  await page.getByRole("button", { name: "Preview" }).click();
  const summary = await page.getByText("Nothing is stored yet").innerText();
  const left = await page.getByRole("region", { name: "Left out (1)" }).innerText();
  const { body: before } = await server.admin("GET", "/tools/docks_listDocks");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  const imported = page.getByRole("link", { name: /^docks_/ });
  await imported.first().waitFor();
  expect({ summary, left, before: before["code"], names: await imported.allInnerTexts() }).toEqual({
    summary: expect.stringMatching(/^docks at https:\/\/docks\.example.*: 2 new, 0 changed/),
    left: expect.stringContaining("POST /photos"),
    before: "not_found",
    names: ["docks_listDocks", "docks_showDock"],
  });
});

const DOCKS = `openapi: 3.1.0
info: { title: Docks, version: "1" }
servers: [{ url: "https://docks.example" }]
paths:
  /docks:
    get: { operationId: listDocks, summary: Lists docks, responses: { "200": { description: All } } }
  /docks/{id}:
    get:
      operationId: showDock
      summary: Shows a dock
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { "200": { description: One } }
  /photos:
    post:
      operationId: addPhoto
      requestBody: { content: { multipart/form-data: { schema: { type: object } } } }
      responses: { "200": { description: Added } }
`;

test("shows whoever only reads nothing that changes things", async () => {
  const { key } = await server.mintKey({ name: "reader", scopes: ["admin:read"] });
  const page = await pages.open();
  await signIn(page, server, key);
  const who = await page.getByText("reader, read only").isVisible();
  const onList = await page.getByRole("main").getByRole("button").count();
  const switches = await page.getByRole("switch").count();
  await page.getByRole("link", { name: "calculate", exact: true }).click();
  await page.getByRole("region", { name: "Arguments" }).waitFor();
  const onTool = await page.getByRole("main").getByRole("button").allInnerTexts();
  await goTo(page, server, "tools/new/http");
  const title = await page.getByRole("heading", { level: 1 }).innerText();
  expect({ who, onList, switches, onTool, title }).toEqual({
    who: true,
    onList: 0,
    switches: 0,
    onTool: ["Raw JSON", "Raw JSON"],
    title: "Tools",
  });
});
