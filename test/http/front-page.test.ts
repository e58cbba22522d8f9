import { describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { allParts, composeWorker } from "../../src/compose.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import * as v from "valibot";
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { HOST, openGate } from "../support/app.ts";
import { countingEnv, testEnv } from "../support/counting-env.ts";

const JSON_ONLY = { headers: { accept: "application/json" } };

const named = (name: string, description = "Says hello. And more than that.") =>
  defineTool({ name, title: "A <b>title</b>", description, input: v.object({}), run: () => "hello" });

async function readPage(tools: Parameters<typeof openGate>[0], bindings: Parameters<typeof openGate>[1] = {}) {
  return (await openGate(tools, bindings).fetch("/", JSON_ONLY)).json<Record<string, unknown>>();
}

/** The style sheet's hash as the page that came would need it. */
async function hashOfStyle(html: string): Promise<string> {
  const [, style = ""] = /<style>([^<]*)<\/style>/.exec(html) ?? [];
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style));
  return `sha256-${new Uint8Array(digest).toBase64()}`;
}

describe("the page", () => {
  it("lets nothing in but its own style sheet, and runs nothing", async () => {
    const response = await openGate().fetch("/", { headers: { accept: "text/html,*/*;q=0.8" } });
    const html = await response.text();
    const { headers } = response;
    expect([
      headers.get("cache-control"),
      headers.get("referrer-policy"),
      headers.get("x-content-type-options"),
    ]).toEqual(["no-store", "no-referrer", "nosniff"]);
    expect({
      type: response.headers.get("content-type"),
      policy: response.headers.get("content-security-policy"),
    }).toEqual({
      type: "text/html; charset=utf-8",
      policy: `default-src 'none'; style-src '${await hashOfStyle(html)}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    });
    expect(html).not.toMatch(/<script|style=|\son\w+=|https?:\/\/(?!gate\.example|www\.w3\.org)/);
  });

  it.each([undefined, "*/*", "text/html", "application/json;q=0.5, text/html", ""])(
    "answers Accept %j",
    async (accept) => {
      const response = await openGate().fetch("/", accept === undefined ? {} : { headers: { accept } });
      expect([response.headers.get("content-type"), response.headers.get("vary")]).toEqual([
        "text/html; charset=utf-8",
        "accept",
      ]);
    },
  );

  it("names the endpoint that it was asked at", async () => {
    const html = await (await openGate().fetch("https://tools.example:8443/")).text();
    expect(html).toContain("<code>https://tools.example:8443/mcp</code>");
  });

  it("writes a tool's words as text", async () => {
    const html = await (
      await openGate([named("hi", `<img src=x onerror="alert(1)"> & 'more'`)], { PUBLIC_TOOL_LIST: "on" }).fetch("/")
    ).text();
    expect(html).toContain(
      "<dt>A &lt;b&gt;title&lt;/b&gt;<code>hi</code></dt><dd>&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &#39;more&#39;</dd>",
    );
  });
});

describe("HEAD", () => {
  it("has the page's headers and no body", async () => {
    const gate = openGate();
    const [head, get] = [await gate.fetch("/", { method: "HEAD" }), await gate.fetch("/")];
    expect([head.status, Object.fromEntries(head.headers), await head.text()]).toEqual([
      200,
      Object.fromEntries(get.headers),
      "",
    ]);
  });
});

describe("as JSON", () => {
  it("says what this is and how each client connects, with a placeholder for the key", async () => {
    const { connect, ...page } = await readPage([]);
    expect(page).toEqual({
      name: "toolgate",
      title: "toolgate",
      version: "0.1.0",
      endpoint: `${HOST}/mcp`,
      sse: `${HOST}/sse`,
      revisions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
      authentication: "An API key: `Authorization: Bearer <key>` or `X-API-Key: <key>`",
    });
    expect((connect as { client: string; text: string }[]).map(({ client, text }) => [client, text])).toEqual([
      [
        "Claude Code",
        `claude mcp add --transport http toolgate ${HOST}/mcp \\\n  --header "Authorization: Bearer YOUR_API_KEY"`,
      ],
      [
        "Cursor",
        JSON.stringify(
          {
            mcpServers: {
              toolgate: { url: `${HOST}/mcp`, headers: { Authorization: "Bearer ${env:TOOLGATE_KEY}" } },
            },
          },
          undefined,
          2,
        ),
      ],
      [
        "VS Code",
        JSON.stringify(
          {
            inputs: [{ type: "promptString", id: "toolgate-key", description: "API key", password: true }],
            servers: {
              toolgate: {
                type: "http",
                url: `${HOST}/mcp`,
                headers: { Authorization: "Bearer ${input:toolgate-key}" },
              },
            },
          },
          undefined,
          2,
        ),
      ],
      ["ChatGPT and claude.ai", `${HOST}/k/YOUR_URL_KEY/mcp`],
      [
        "curl",
        `curl -s ${HOST}/mcp \\\n  -H 'content-type: application/json' -H 'authorization: Bearer YOUR_API_KEY' \\\n  -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
      ],
    ]);
  });

  it("offers no way by URL where keys may not stand in one", async () => {
    const { connect } = await readPage([], { URL_KEYS: "off" });
    expect(JSON.stringify(connect)).not.toMatch(/ChatGPT|\/k\//);
  });
});

describe("the public list of tools", () => {
  it.each([undefined, "", "off", "true"])("is not there with PUBLIC_TOOL_LIST %j", async (setting) => {
    const bindings = setting === undefined ? {} : { PUBLIC_TOOL_LIST: setting };
    expect(await readPage([named("hi")], bindings)).not.toHaveProperty("tools");
  });

  it("has the first sentence of each, and not those that are disabled", async () => {
    const gate = openGate([named("hi"), named("tone")], { PUBLIC_TOOL_LIST: "on" });
    await gate.admin("PATCH", "/tools/tone", { enabled: false });
    const page = await (await gate.fetch("/", JSON_ONLY)).json();
    await gate.admin("PATCH", "/tools/tone", { enabled: true });
    expect(page).toMatchObject({ tools: [{ name: "hi", title: "A <b>title</b>", description: "Says hello." }] });
    expect(page).not.toHaveProperty("moreTools");
  });

  it.each([
    [LIMITS.publicTools - 1, LIMITS.publicTools - 1, undefined],
    [LIMITS.publicTools, LIMITS.publicTools, undefined],
    [LIMITS.publicTools + 1, LIMITS.publicTools, 1],
  ])("of %i tools names %i", async (count, shown, more) => {
    const tools = Array.from({ length: count }, (_, index) => named(`tool_${index}`));
    const page = await readPage(tools, { PUBLIC_TOOL_LIST: "on" });
    expect([(page["tools"] as unknown[]).length, page["moreTools"]]).toEqual([shown, more]);
  });

  it.each([
    [LIMITS.publicDescriptionChars - 1, (text: string) => text],
    [LIMITS.publicDescriptionChars, (text: string) => text],
    [LIMITS.publicDescriptionChars + 1, (text: string) => `${text.slice(0, LIMITS.publicDescriptionChars - 1)}…`],
  ])("has %i characters of a description", async (chars, expected) => {
    const text = "x".repeat(chars);
    const page = await readPage([named("hi", text)], { PUBLIC_TOOL_LIST: "on" });
    expect(page["tools"]).toEqual([{ name: "hi", title: "A <b>title</b>", description: expected(text) }]);
  });

  it("asks the registry once a minute at most, whoever comes", async () => {
    const { env, calls } = countingEnv({ ...testEnv, PUBLIC_TOOL_LIST: "on" });
    const { app } = composeWorker([named("hi")], allParts());
    const visit = async (): Promise<void> => {
      const ctx = createExecutionContext();
      await (await app.fetch(new Request(`${HOST}/`), env, ctx)).text();
      await waitOnExecutionContext(ctx);
    };
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      for (let visits = 0; visits < 20; visits++) await visit();
      const first = calls.length;
      vi.setSystemTime(Date.now() + LIMITS.publicToolsFloorMs - 1);
      await visit();
      const before = calls.length;
      vi.setSystemTime(Date.now() + 1);
      await visit();
      expect([first, before, calls.length]).toEqual([1, 1, 2]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is left out while the registry can't be reached", async () => {
    const broken = { idFromName: () => "id", get: () => ({ readSnapshot: () => Promise.reject(new Error("gone")) }) };
    const page = await readPage([named("hi")], {
      PUBLIC_TOOL_LIST: "on",
      TOOL_REGISTRY: broken as unknown as DurableObjectNamespace,
    });
    expect(page).not.toHaveProperty("tools");
  });
});

it("asks no object where the list is not public", async () => {
  const { env, calls } = countingEnv();
  const gate = openGate([named("hi")], env);
  await gate.fetch("/");
  await gate.fetch("/", JSON_ONLY);
  await gate.fetch("/healthz");
  expect(calls).toEqual([]);
});
