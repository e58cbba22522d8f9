// What a module can reach: the hosts of its record through the guard, and nothing else, whatever it tries.

import { describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import type { EgressInit, ToolContext } from "../../../src/tools/context.ts";
import { createEgress } from "../../../src/tools/egress.ts";
import { compile, runBody } from "../../support/code-tool.ts";
import { toolContext } from "../../support/tool-context.ts";

const said = (text: unknown) => ({ content: [{ type: "text", text }] });
const HOSTS = ["api.example.com", "files.example.com:443", "db.example.com:8443"];

/** The guard before an outside world of scripted answers, and what was asked of it. */
function world(answer: (url: string) => Response = () => new Response("reached")) {
  const sent: { url: string; method: string; headers: [string, string][]; body?: unknown }[] = [];
  const fetcher = (async (url: string, { method, headers, body }: RequestInit = {}) => {
    sent.push({ url, method: method ?? "", headers: [...new Headers(headers)], ...(body && { body }) });
    return answer(url);
  }) as unknown as typeof fetch;
  const egress = createEgress({
    allow: "db.example.com:8443",
    ownHosts: ["gate.example", "gate.example:443"],
    fetcher,
  });
  const { signal } = new AbortController();
  const ctx: Partial<ToolContext> = { fetch: (url: string, init?: EgressInit) => egress(url, init, signal) };
  return { sent, ctx };
}

const fetchAndTell = (what: string): string =>
  `try { const r = await ${what}; return JSON.stringify([r.status, r.url, await r.text()]) } catch (e) { return e.name + ": " + e.message }`;

describe("a host of the record", () => {
  it.each([
    ["by the global fetch", "fetch('https://api.example.com/a?b#c')"],
    ["by ctx.fetch", "ctx.fetch(new URL('https://api.example.com/a?b#c'))"],
    ["by a Request", "fetch(new Request('https://api.example.com/a?b#c'))"],
  ])("is reached %s", async (_, what) => {
    const { sent, ctx } = world();
    const result = await runBody(fetchAndTell(what), { egress: HOSTS, ctx });
    expect([result, sent]).toEqual([
      said('[200,"https://api.example.com/a?b#c","reached"]'),
      [
        {
          url: "https://api.example.com/a?b#c",
          method: "GET",
          headers: [
            ["toolgate-hops", "1"],
            ["user-agent", "toolgate"],
          ],
        },
      ],
    ]);
  });

  it("may be listed with its port", async () => {
    const { ctx } = world();
    expect(await runBody(fetchAndTell("fetch('https://files.example.com/')"), { egress: HOSTS, ctx })).toEqual(
      said('[200,"https://files.example.com/","reached"]'),
    );
  });

  it("is sent a method, headers and a text", async () => {
    const { sent, ctx } = world();
    const init = `{ method: "put", headers: { "X-A": "1" }, body: JSON.stringify({ a: "é" }) }`;
    await runBody(fetchAndTell(`fetch('https://api.example.com/', ${init})`), { egress: HOSTS, ctx });
    expect(sent).toEqual([
      {
        url: "https://api.example.com/",
        method: "PUT",
        headers: expect.arrayContaining([
          ["content-type", "text/plain;charset=UTF-8"],
          ["x-a", "1"],
        ]),
        body: '{"a":"é"}',
      },
    ]);
  });

  it("may be one that the operator opened by its port", async () => {
    const { ctx } = world();
    expect(await runBody(fetchAndTell("fetch('https://db.example.com:8443/')"), { egress: HOSTS, ctx })).toEqual(
      said('[200,"https://db.example.com:8443/","reached"]'),
    );
  });

  it("answers with headers, bytes and no body where there is none", async () => {
    const headers = new Headers([
      ["x-a", "1"],
      ["set-cookie", "a=1"],
      ["set-cookie", "b=2"],
      ["content-length", "3"],
    ]);
    const { ctx } = world((url) =>
      url.endsWith("/none")
        ? new Response(null, { status: 304 })
        : new Response(new Uint8Array([0, 255, 128]), { status: 404, headers }),
    );
    const body = `const r = await fetch("https://api.example.com/");
      const none = await fetch("https://api.example.com/none");
      return JSON.stringify([r.status, [...r.headers], [...new Uint8Array(await r.arrayBuffer())], none.status, none.body])`;
    const told = [
      ["set-cookie", "a=1"],
      ["set-cookie", "b=2"],
      ["x-a", "1"],
    ];
    expect(await runBody(body, { egress: HOSTS, ctx })).toEqual(
      said(JSON.stringify([404, told, [0, 255, 128], 304, null])),
    );
  });

  it.each([
    [
      "a body that is no text",
      "fetch('https://api.example.com/', { method: 'POST', body: new Uint8Array([255]) })",
      "TypeError: ",
    ],
    [
      "redirects that are not followed",
      "fetch('https://api.example.com/', { redirect: 'manual' })",
      "TypeError: fetch: redirects are checked and followed",
    ],
    ["what is no URL", "fetch('/a')", "TypeError: "],
    [
      "a signal that fired",
      "fetch('https://api.example.com/', { signal: AbortSignal.abort(new Error('mine')) })",
      "Error: mine",
    ],
    [
      "a header of the platform's",
      "fetch('https://api.example.com/', { headers: { 'cf-worker': 'x' } })",
      "ToolError: Request header refused",
    ],
    [
      "a header that counts hops",
      "fetch('https://api.example.com/', { headers: { 'toolgate-hops': '0' } })",
      "ToolError: Request header refused",
    ],
  ])("is not sent %s", async (_, what, message) => {
    const { sent, ctx } = world();
    expect([await runBody(fetchAndTell(what), { egress: HOSTS, ctx }), sent]).toEqual([
      said(expect.stringContaining(message)),
      [],
    ]);
  });

  it("is sent a body up to the limit", async () => {
    const { sent, ctx } = world();
    const post = (chars: number) =>
      runBody(fetchAndTell(`fetch('https://api.example.com/', { method: 'POST', body: '\\n'.repeat(${chars}) })`), {
        egress: HOSTS,
        ctx,
      });
    expect([await post(LIMITS.bodyBytes), await post(LIMITS.bodyBytes + 1), sent.length]).toEqual([
      said('[200,"https://api.example.com/","reached"]'),
      said(`ToolError: fetch: the body is too long: the limit is ${LIMITS.bodyBytes} characters.`),
      1,
    ]);
  });

  it("is asked so often in a call and no more", async () => {
    const { sent, ctx } = world();
    const body = `let n = 0; try { for (;;) { await fetch("https://api.example.com/"); n++ } } catch (e) { return n + " " + e.message }`;
    expect([await runBody(body, { egress: HOSTS, ctx }), sent.length]).toEqual([
      said(`${LIMITS.moduleFetches} fetch: a call makes at most ${LIMITS.moduleFetches} requests.`),
      LIMITS.moduleFetches,
    ]);
  });

  it("is spoken of to the model when it can't be reached and the module does nothing about it", async () => {
    const { ctx } = world(() => {
      throw new Error("no route");
    });
    await expect(runBody("await fetch('https://api.example.com/')", { egress: HOSTS, ctx })).rejects.toEqual(
      expect.objectContaining({ name: "ToolError", message: "The destination could not be reached." }),
    );
  });
});

describe("everything else is refused", () => {
  const REFUSED = /^ToolError: Destination not allowed: /;

  it.each([
    ["a host that is not listed", "https://other.example.com/"],
    ["another port of a listed host", "https://api.example.com:8443/"],
    ["a listed host without TLS", "http://api.example.com/"],
    ["a host that ends like a listed one", "https://evil-api.example.com/"],
    ["a listed host as user name", "https://api.example.com@evil.example.com/"],
    ["this server", "https://gate.example/mcp"],
    ["the metadata service", "http://169.254.169.254/latest/meta-data/"],
    ["the metadata service in disguise", "https://0xa9fea9fe/"],
    ["loopback", "http://127.0.0.1:8787/"],
    ["a file", "file:///etc/passwd"],
    ["data", "data:text/plain,hello"],
  ])("%s", async (_, url) => {
    const { sent, ctx } = world();
    const result = await runBody(fetchAndTell(`fetch(${JSON.stringify(url)})`), { egress: HOSTS, ctx });
    expect([result, sent]).toEqual([said(expect.stringMatching(REFUSED)), []]);
  });

  it.each([
    "https://gate.example/",
    "https://169.254.169.254/",
    "http://127.0.0.1/",
    "http://[::ffff:169.254.169.254]/",
  ])("%s, even when it is listed", async (url) => {
    const { sent, ctx } = world();
    const { host } = new URL(url);
    const result = await runBody(fetchAndTell(`fetch(${JSON.stringify(url)})`), { egress: [host], ctx });
    expect([result, sent]).toEqual([said(expect.stringMatching(REFUSED)), []]);
  });

  it.each(["https://other.example.com/", "http://169.254.169.254/", "https://gate.example/", "http://127.0.0.1:8787/"])(
    "a redirect to %s",
    async (location) => {
      const { sent, ctx } = world(() => new Response(null, { status: 302, headers: { location } }));
      const result = await runBody(fetchAndTell("fetch('https://api.example.com/')"), { egress: HOSTS, ctx });
      expect([result, sent.length]).toEqual([
        said(expect.stringMatching(/^ToolError: Destination not allowed: redirect 1: /)),
        1,
      ]);
    },
  );

  it("all hosts, when the record lists none", async () => {
    const { sent, ctx } = world();
    const result = await runBody(fetchAndTell("fetch('https://api.example.com/')"), { ctx });
    expect([result, sent]).toEqual([said(expect.stringMatching(REFUSED)), []]);
  });

  it.each([
    ["a TCP connection", "(await import('cloudflare:sockets')).connect('api.example.com:443').opened"],
    [
      "a WebSocket",
      "new Promise((resolve, reject) => { const w = new WebSocket('wss://api.example.com'); w.onopen = resolve; w.onerror = (e) => reject(e.error ?? new Error('not permitted')) })",
    ],
    [
      "node:net",
      "import('node:net').then((net) => new Promise((resolve, reject) => net.connect(443, 'api.example.com', resolve).on('error', reject)))",
    ],
  ])("%s", async (_, what) => {
    const fetched = vi.fn();
    const body = `try { await ${what}; return "connected" } catch (e) { return e.message }`;
    const result = await runBody(body, { egress: HOSTS, ctx: { fetch: fetched } });
    expect([result, fetched.mock.calls]).toEqual([said(expect.stringContaining("not permitted")), []]);
  });

  it("a fetch while the module loads", async () => {
    const { sent, ctx } = world();
    const module = `let e; try { await fetch("https://api.example.com/") } catch (x) { e = x } export default () => e.message`;
    const result = await (await compile(module, { egress: HOSTS }))({}, toolContext(ctx));
    expect([result, sent]).toEqual([said("fetch: there is no call that it could be for"), []]);
  });

  it("a fetch of a call that is over", async () => {
    const { sent, ctx } = world();
    const module = `let before; export default (_, ctx) => {
      if (!before) { before = ctx; return "kept" }
      return before.fetch("https://api.example.com/").then(() => "reached", (e) => "refused");
    }`;
    const run = await compile(module, { egress: HOSTS });
    await run({}, toolContext(ctx));
    expect([await run({}, toolContext(ctx)), sent]).toEqual([said("refused"), []]);
  });
});
