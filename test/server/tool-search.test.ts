import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { buildCatalogue, type Catalogue } from "../../src/registry/catalogue.ts";
import { wordsOf } from "../../src/server/search-words.ts";
import { ToolSearch } from "../../src/server/tool-search.ts";
import { text } from "../../src/tools/content.ts";
import type { Tool } from "../../src/tools/define-tool.ts";

const tool = (name: string, description: string, parameters: Record<string, string> = {}, title?: string): Tool => ({
  name,
  definition: {
    name,
    description,
    ...(title !== undefined && { title }),
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(Object.entries(parameters).map(([key, says]) => [key, { description: says }])),
    },
  },
  timeoutMs: 1_000,
  validateInput: (value) => ({ ok: true, value }),
  run: async () => ({ content: [text("")] }),
});

const CORPUS = [
  tool("create_invoice", "Makes a draft invoice for a customer.", { customer_id: "Whom it is for" }),
  tool("list_invoices", "Lists the invoices of a customer, the newest first.", { limit: "How many at most" }),
  tool("refund_payment", "Gives a payment back to the customer.", { payment_id: "Which payment", reason: "Why" }),
  tool("sendSlackMessage", "Posts into a channel.", { channel: "Where", text: "What to say" }),
  tool("get_weather", "Tells temperature and rain for a city.", { city: "Name of the city" }, "Forecast"),
  tool("search_logs", "Looks through log lines of a deployment.", { since: "Start of the time range" }),
  tool("qr_code", "Draws a text as an image that phones can scan.", {}),
  tool("translate", "翻译文本 into another language.", { target: "Zielsprache, für Größen wie überall" }),
];

const catalogue = (version: number, tools: Tool[]): Catalogue => buildCatalogue(version, tools, [], () => undefined);

interface How {
  limit: number;
  isVisible: (name: string) => boolean;
}
const ALL: How = { limit: LIMITS.searchResults, isVisible: () => true };
const withoutCreate = (name: string): boolean => name !== "create_invoice";
const words = (count: number): string => Array.from({ length: count }, (_, index) => `w${index}`).join(" ");

const find = (query: string, how = ALL, tools = CORPUS): string[] =>
  new ToolSearch().find(catalogue(1, tools), query, how).map(({ name }) => name);

describe("the best match", () => {
  it.each([
    ["create an invoice", "create_invoice"],
    ["new invoices of the customer", "list_invoices"],
    ["listInvoices", "list_invoices"],
    ["I want to refund a payment, please", "refund_payment"],
    ["slack", "sendSlackMessage"],
    ["post to a channel", "sendSlackMessage"],
    ["forecast for a city", "get_weather"],
    ["temperatures", "get_weather"],
    ["deploy logs", "search_logs"],
    ["time range", "search_logs"],
    ["scan with my phone", "qr_code"],
    ["QR", "qr_code"],
    ["翻译", "translate"],
    ["Größe", "translate"],
    ["payment_id", "refund_payment"],
    [" qr_code ", "qr_code"],
  ])("of %j is %s", (query, name) => {
    expect(find(query)[0]).toBe(name);
  });

  it.each(["", "the of to", "¿?", "blockchain", "x".repeat(5_000)])("of %j is none", (query) => {
    expect(find(query)).toEqual([]);
  });

  it("is what the name says, then the description, then a parameter", () => {
    const corpus = [
      tool("a_tool", "Reads.", { volcano: "Which" }),
      tool("b_tool", "Reads of a volcano.", { id: "Which" }),
      tool("volcano_tool", "Reads.", { id: "Which" }),
    ];
    expect(find("volcano", ALL, corpus)).toEqual(["volcano_tool", "b_tool", "a_tool"]);
  });

  it("is the first by name among equals, and the same every time", () => {
    const corpus = ["c", "a", "b"].map((name) => tool(name, "Reads an invoice."));
    expect(find("invoice", ALL, corpus)).toEqual(["a", "b", "c"]);
  });
});

it("answers so many, and none that is not visible", () => {
  const isVisible = withoutCreate;
  expect(find("invoice customer", { limit: 1, isVisible })).toEqual(["list_invoices"]);
  expect(find("create_invoice", { limit: 3, isVisible })).toEqual(["list_invoices"]);
});

it("looks at so many words of a query, and no more", () => {
  const noise = Array.from({ length: LIMITS.searchWords - 1 }, (_, index) => `noise${index}`).join(" ");
  expect([find(`${noise} invoice`).length, find(`${noise} more invoice`).length]).toEqual([2, 0]);
});

it("knows so many words of a tool, and no more", () => {
  const corpus = [tool("n", words(LIMITS.searchIndexedWords - 1)), tool("m", words(LIMITS.searchIndexedWords))];
  expect(find(`w${LIMITS.searchIndexedWords - 2}`, ALL, corpus).toSorted()).toEqual(["m", "n"]);
  expect(find(`w${LIMITS.searchIndexedWords - 1}`, ALL, corpus)).toEqual([]);
});

/** As many characters, the last of them a word to be found. */
const filler = (chars: number): string => `${"x".repeat(chars - "volcano".length)} volcano`.replace("x ", " ");
const parameters = (before: number): Record<string, string> =>
  Object.fromEntries([...Array.from({ length: before }, (_, index) => [`p${index}`, ""]), ["glacier", "Which"]]);

it("reads so much of a text and so many parameters, and no more", () => {
  const corpus = [
    tool("all", filler(LIMITS.searchIndexedChars), parameters(LIMITS.searchIndexedProperties - 1)),
    tool("less", filler(LIMITS.searchIndexedChars + 1), parameters(LIMITS.searchIndexedProperties)),
  ];
  expect([find("volcano", ALL, corpus), find("glacier", ALL, corpus)]).toEqual([["all"], ["all"]]);
});

it("follows the catalogue through any number of versions", () => {
  const search = new ToolSearch();
  const seen = [];
  for (let version = 1; version <= 20; version++) {
    const changed = tool("changing", `Says invoice and number${version}.`);
    const tools = version % 3 === 0 ? CORPUS : [...CORPUS, changed];
    const at = catalogue(version, tools);
    const [now, before] = [`number${version}`, `number${version - 1}`].map(
      (query) => search.find(at, query, ALL).length,
    );
    const fresh = new ToolSearch().find(at, "invoice", ALL).map(({ name }) => name);
    seen.push(now === Number(version % 3 !== 0) && before === 0);
    expect(
      search
        .find(at, "invoice", ALL)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(fresh.toSorted());
  }
  expect(seen).toEqual(Array.from({ length: 20 }, () => true));
});

it("takes no tool that its row makes none of", () => {
  const record = {
    description: "An invoice.",
    inputSchema: "{}",
    source: { kind: "http", method: "GET", url: "" },
  } as const;
  const row = { name: "broken", enabled: true, record };
  const at = buildCatalogue(1, CORPUS, [row], () => undefined);
  expect(new ToolSearch().find(at, "invoice", ALL).map(({ name }) => name)).not.toContain("broken");
});

it.each<[string, string[]]>([
  ["list_invoicesByID", ["list", "invoice", "id"]],
  ["HTTPServer2Name", ["http", "server2", "name"]],
  ["Addresses, boxes; classes & queries", ["address", "box", "class", "query"]],
  ["status analysis has bus", ["status", "analysi", "has", "bus"].toSpliced(1, 1, "analysis")],
  ["检索 logs", ["检", "索", "log"]],
])("splits %j into words", (given, words) => {
  expect(wordsOf(given)).toEqual(words);
});
