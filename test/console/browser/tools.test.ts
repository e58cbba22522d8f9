import { expect, test } from "vitest";
import { startFixtureServer } from "../../journeys/support/server.ts";
import { startBrowser } from "../support/browser.ts";
import { goTo, mintCallKey, readResult, signIn } from "../support/console-page.ts";
import { startPortApi } from "../support/port-api.ts";

const api = await startPortApi();
const server = await startFixtureServer({ EGRESS_ALLOW: api.host });
const pages = await startBrowser();

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

test("changes a tool, and puts an earlier version of it again", async () => {
  const record = { description: "Greets.", inputSchema: { type: "object" }, source: GREETING };
  await server.admin("PUT", "/tools/greet", record);
  const page = await pages.open();
  await signIn(page, server);
  await goTo(page, server, "tools/tool/greet/edit");
  await page.getByLabel("JavaScript").fill('export default () => "Good evening";');
  await page.getByText("The server would take it.").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Good evening").waitFor();
  const { body: changed } = await server.admin("GET", "/tools/greet");
  await page.getByRole("link", { name: "History" }).click();
  await page
    .getByRole("button", { name: /^Show version/ })
    .last()
    .click();
  await page.getByRole("button", { name: "Put this version again" }).click();
  await page.getByText(/^greet is as it was/).waitFor();
  const { body: restored } = await server.admin("GET", "/tools/greet");
  await goTo(page, server, "tools");
  await page.getByRole("switch", { name: "greet is enabled" }).click();
  await page.getByText(/^greet is disabled/).waitFor();
  const { body: disabled } = await server.admin("GET", "/tools/greet");
  expect([changed, restored, disabled]).toMatchObject([
    { source: { module: 'export default () => "Good evening";' } },
    { source: GREETING, enabled: true },
    { enabled: false },
  ]);
});

const GREETING = { kind: "code", module: 'export default () => "Good morning";' };

test("calls with the admin key itself where that may, and revokes what it minted when one leaves", async () => {
  const both = await server.mintKey({ name: "both", scopes: ["admin", "mcp"] });
  const page = await pages.open();
  await signIn(page, server, both.key);
  await page.getByRole("button", { name: "Hears changes" }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await signIn(page, server);
  await mintCallKey(page);
  const countMinted = async (): Promise<number> => {
    const { body } = await server.admin("GET", "/keys");
    const keys = body["keys"] as { name: string; status: string }[];
    return keys.filter(({ name, status }) => name === "console, for one tab" && status === "active").length;
  };
  const before = await countMinted();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect.poll(countMinted, { timeout: 10_000 }).toBe(before - 1);
  const { body } = await server.admin("GET", `/keys/${both.id}`);
  expect(body["status"]).toBe("active");
});

test("imports an OpenAPI document once its preview was seen", async () => {
  const page = await pages.open();
  await signIn(page, server);
  await page.getByRole("button", { name: "Import OpenAPI" }).click();
  await page.getByLabel("Or pasted, JSON or YAML").fill(DOCKS);
  await page.getByLabel("Prefix of names").fill("docks_");
  await page.getByLabel("Not these operationIds").fill("sink*, addPhoto");
  await page.getByRole("button", { name: "Add to headers" }).click();
  await page.getByLabel("Headers, name 1").fill("x-harbour");
  await page.getByLabel("Headers, value 1").fill("{{secret:DOCKS_TOKEN}}");
  await page.getByRole("button", { name: "Preview" }).click();
  const summary = await page.getByText("Nothing is stored yet").innerText();
  const left = await page.getByRole("region", { name: "Left out (1)" }).innerText();
  const secrets = await page.getByRole("table", { name: "Secrets" }).innerText();
  const { body: before } = await server.admin("GET", "/tools/docks_listDocks");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  const imported = page.getByRole("link", { name: /^docks_/ });
  await imported.first().waitFor();
  expect({ summary, left, secrets, before: before["code"], names: await imported.allInnerTexts() }).toEqual({
    summary: expect.stringMatching(/^docks at https:\/\/docks\.example.*: 2 new, 0 changed/),
    left: expect.stringContaining("POST /photos"),
    secrets: expect.stringMatching(/DOCKS_TOKEN[^]*Not set yet/),
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

test("a view that can't be drawn says so, and leaves the way to others", async () => {
  const page = await pages.open();
  await signIn(page, server);
  await page.route(/\/admin\/v1\/keys(\?|$)/, (route) => route.fulfill({ json: { keys: [{ status: "active" }, {}] } }));
  await goTo(page, server, "keys");
  const told = await page.getByRole("alert").innerText();
  await page.getByRole("link", { name: "Secrets", exact: true }).click();
  const title = page.getByRole("heading", { level: 1, name: "Secrets" });
  await title.waitFor();
  await page.unroute(/\/admin\/v1\/keys(\?|$)/);
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByLabel("Search keys").waitFor();
  expect(told).toMatch(/answer is not one that this console can show[^]*Try again/);
});

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
