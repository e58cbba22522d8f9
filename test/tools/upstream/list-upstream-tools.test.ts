import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { createRedactor } from "../../../src/sanitize/secrets.ts";
import { listUpstreamTools } from "../../../src/tools/upstream/list-upstream-tools.ts";
import {
  discovery,
  error,
  events,
  handshake,
  linkTo,
  result,
  scriptUpstream,
} from "../../support/scripted-upstream.ts";
import { TARGET, type Method, type SentMessage } from "../../support/scripted-upstream.ts";

const tool = (name: string) => ({ name, inputSchema: { type: "object" } });
const page =
  (...names: string[]): Method =>
  () =>
    result({ tools: names.map(tool) });

const list = (script: Record<string, Method>) => {
  const upstream = scriptUpstream(script);
  return { ...upstream, listed: listUpstreamTools(TARGET, linkTo(upstream)) };
};

const handshakeOf =
  (sessionId: string): Method =>
  ({ message: { id } }) =>
    Response.json(
      { jsonrpc: "2.0", id, ...result({ protocolVersion: "2025-11-25" }) },
      { headers: { "mcp-session-id": sessionId } },
    );

const namesOf = async (listed: ReturnType<typeof listUpstreamTools>) =>
  (await listed).tools.map(({ definition }) => definition["name"]);

describe("secrets", () => {
  const target = { ...TARGET, redactor: createRedactor(["s3cret-value", "48213377"]) };
  const listOf = (...tools: object[]) => {
    const upstream = scriptUpstream(modern(() => result({ tools })));
    return listUpstreamTools(target, linkTo(upstream));
  };

  it("are taken out of tools and their schemas, which else stay as they came", async () => {
    const leaking = {
      name: "a",
      description: "Sends s3cret-value.",
      inputSchema: { type: "object", properties: { n: { const: 48213377 } } },
      outputSchema: { type: "object", title: "s3cret-value" },
    };
    const { tools } = await listOf(leaking, { name: "b", inputSchema: { maxLength: 1 } });
    const inputSchema = { type: "object", properties: { n: { const: "[redacted]" } } };
    const outputSchema = { type: "object", title: "[redacted]" };
    expect(tools).toEqual([
      {
        definition: { name: "a", description: "Sends [redacted].", inputSchema, outputSchema },
        inputSchema: JSON.stringify(inputSchema),
        outputSchema: JSON.stringify(outputSchema),
      },
      { definition: { name: "b", inputSchema: { maxLength: 1 } }, inputSchema: '{"maxLength":1}' },
    ]);
  });

  it("are not told by a version", async () => {
    const upstream = scriptUpstream({ initialize: handshake(`${"x".repeat(36)}s3cret-value`) });
    await expect(listUpstreamTools(target, linkTo(upstream))).rejects.toThrow(/known here: x{36}\[red\.$/);
  });
});

describe("the era", () => {
  it("is the modern one where server/discover says so", async () => {
    const { listed, methods, sent } = list({ "server/discover": discovery, "tools/list": page("a") });
    expect((await listed).session).toEqual({ era: "modern", revision: "2026-07-28" });
    expect(methods()).toEqual(["server/discover", "tools/list"]);
    const [, { headers, params } = {} as SentMessage] = sent;
    expect([headers.get("mcp-protocol-version"), headers.get("mcp-method")]).toEqual(["2026-07-28", "tools/list"]);
    expect(params["_meta"]).toEqual({
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "toolgate", version: "0.1.0" },
      "io.modelcontextprotocol/clientCapabilities": {},
    });
  });

  it.each<[string, Method]>([
    ["does not know the method", () => error(-32601, "Method not found")],
    ["wants a session first", () => Response.json({ error: { code: -32000, message: "No session" } }, { status: 400 })],
    ["answers with text", () => new Response("What?", { status: 405 })],
    ["speaks other versions", () => result({ supportedVersions: ["2027-01-01", "2025-11-25"] })],
  ])("is the legacy one where the server %s", async (_, discover) => {
    const script = { "server/discover": discover, initialize: handshake("2025-06-18"), "tools/list": page("a") };
    const { listed, methods, sent } = list(script);
    expect((await listed).session).toEqual({ era: "legacy", revision: "2025-06-18", sessionId: "s1" });
    expect(methods()).toEqual(["server/discover", "initialize", "notifications/initialized", "tools/list"]);
    const told = sent
      .slice(2)
      .map(({ headers }) => [headers.get("mcp-session-id"), headers.get("mcp-protocol-version")]);
    expect(told).toEqual([
      ["s1", "2025-06-18"],
      ["s1", "2025-06-18"],
    ]);
  });

  it("is none where the server speaks a version that nobody knows", async () => {
    const { listed } = list({ initialize: handshake("2031-01-01") });
    await expect(listed).rejects.toThrow("Upstream up wants a protocol version that is not known here: 2031-01-01.");
  });
});

const endlessComments = (): Response => {
  const chunk = new TextEncoder().encode(`: ${"x".repeat(65_536)}\n\n`);
  return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }), {
    headers: { "content-type": "text/event-stream" },
  });
};

const modern = (tools: Method) => ({ "server/discover": discovery, "tools/list": tools });

const endless =
  (last: number): Method =>
  ({ params }) => {
    const at = Number(params["cursor"] ?? 1);
    return result({ tools: [tool(`t${at}`)], ...(at < last && { nextCursor: String(at + 1) }) });
  };

const many = (count: number): Method => page(...Array.from({ length: count }, (_, at) => `t${at}`));

describe("a session id", () => {
  it.each([LIMITS.upstreamSessionIdChars - 1, LIMITS.upstreamSessionIdChars])(
    "may have %i characters",
    async (chars) => {
      const sessionId = "s".repeat(chars);
      const { listed } = list({ initialize: handshakeOf(sessionId), "tools/list": page("a") });
      expect((await listed).session).toEqual({ era: "legacy", revision: "2025-11-25", sessionId });
    },
  );

  it("may have no more, and may be absent", async () => {
    const tooLong = "s".repeat(LIMITS.upstreamSessionIdChars + 1);
    await expect(list({ initialize: handshakeOf(tooLong) }).listed).rejects.toThrow("session ids longer than 2048");
    const { listed } = list({ initialize: () => result({ protocolVersion: "2025-03-26" }), "tools/list": page("a") });
    expect((await listed).session).toEqual({ era: "legacy", revision: "2025-03-26" });
  });
});

describe("the list", () => {
  it("has all pages, and schemas as they came", async () => {
    const pages: Record<string, string> = {
      undefined:
        '{"tools":[{"name":"a","inputSchema":{ "type":"object", "n": 1.0, "2":0, "1":0 }}],"nextCursor":"more"}',
      more: '{"tools":[{"name":"b","inputSchema":{"type":"object"},"outputSchema":{"type" : "array"}}, 7]}',
    };
    const { listed } = list({
      "server/discover": discovery,
      "tools/list": ({ params, message }) =>
        new Response(`{"jsonrpc":"2.0","id":"${String(message["id"])}","result":${pages[String(params["cursor"])]}}`, {
          headers: { "content-type": "application/json" },
        }),
    });
    expect((await listed).tools.map(({ inputSchema, outputSchema }) => [inputSchema, outputSchema])).toEqual([
      ['{"type":"object","n":1.0,"2":0,"1":0}', undefined],
      ['{"type":"object"}', '{"type":"array"}'],
    ]);
  });

  it("may come as a stream, with other messages before it", async () => {
    const { listed } = list({
      "server/discover": discovery,
      "tools/list": ({ message: { id } }) =>
        events(
          ": hello\n\n",
          { jsonrpc: "2.0", method: "notifications/message" },
          { jsonrpc: "2.0", id, ...result({ tools: [tool("a")] }) },
        ),
    });
    expect(await namesOf(listed)).toEqual(["a"]);
  });

  it.each([LIMITS.upstreamPages - 1, LIMITS.upstreamPages])("may have %i pages and no more", async (pages) => {
    expect(await namesOf(list(modern(endless(pages))).listed)).toHaveLength(pages);
    await expect(list(modern(endless(LIMITS.upstreamPages + 1))).listed).rejects.toThrow(
      "Upstream up has a list that does not end: expected at most 50 pages.",
    );
  });

  it("ends where a cursor comes again", async () => {
    const { listed, sent } = list({
      "server/discover": discovery,
      "tools/list": () => result({ tools: [], nextCursor: "x" }),
    });
    await expect(listed).rejects.toThrow("does not end");
    expect(sent).toHaveLength(3);
  });

  it("may have so many tools", async () => {
    expect(await namesOf(list(modern(many(LIMITS.upstreamTools))).listed)).toHaveLength(LIMITS.upstreamTools);
    await expect(list(modern(many(LIMITS.upstreamTools + 1))).listed).rejects.toThrow(
      "lists too much: at most 500 tools",
    );
  });

  it.each<[string, Method, string]>([
    ["an error", () => error(-32000, "No \u202elist\n today"), "Upstream up answered with an error: No list today"],
    ["a status", () => new Response("no", { status: 503 }), "Upstream up answered with status 503."],
    [
      "a refusal",
      () => new Response("no", { status: 401 }),
      "Upstream up refused this server's credentials (status 401).",
    ],
    ["no list", () => result({ tools: 7 }), "Upstream up answered tools/list without a list of tools."],
    ["an empty stream", () => events(), "Upstream up ended its answer without a result."],
    ["no JSON", () => events("data: {\n\n"), "Upstream up answered with something that is no JSON-RPC message."],
    ["HTML", () => new Response("<p>Hi"), "Upstream up ended its answer without a result."],
    [
      "deep JSON",
      () => events(`data: ${"[".repeat(65)}\n\n`),
      "Upstream up answered with JSON that is too much: nesting too deep: at most 64 levels.",
    ],
    [
      "a redirect elsewhere",
      () => new Response(null, { status: 307, headers: { location: "https://elsewhere.example/" } }),
      "Upstream up: The destination redirects a request with a body to another origin.",
    ],
    [
      "a broken connection",
      () => {
        throw new Error("connection reset");
      },
      "Upstream up can't be reached.",
    ],
  ])("is told to be none when the answer is %s", async (_, method, message) => {
    const { listed } = list({ "server/discover": discovery, "tools/list": method });
    await expect(listed).rejects.toThrow(message);
  });

  it("is read up to its limit of bytes", async () => {
    const { listed } = list({ "server/discover": discovery, "tools/list": endlessComments });
    await expect(listed).rejects.toThrow("Upstream up: The response is too large: the limit is 4194304 bytes.");
  });
});
