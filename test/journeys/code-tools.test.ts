// Tools that came as code, over real sockets: with real clients, and with modules that try to get out.

import { createServer, type IncomingMessage } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { KINDS } from "./support/clients.ts";
import { leaveRedirectsToWorkers } from "./support/redirects.ts";
import { openHttpSession, post, request } from "./support/rpc.ts";
import { startCodeServer } from "./support/server.ts";

leaveRedirectsToWorkers();

interface Site {
  host: string;
  requests: IncomingMessage[];
}

/** Where every request to `/to/<url>` is redirected there. */
async function startSite(name: string): Promise<Site> {
  const requests: IncomingMessage[] = [];
  const site = createServer((incoming, response) => {
    requests.push(incoming);
    const to = incoming.url?.startsWith("/to/") ? decodeURIComponent(incoming.url.slice(4)) : undefined;
    if (to !== undefined) response.writeHead(302, { location: to });
    response.end(name);
  }).listen(0, "127.0.0.1");
  await once(site, "listening");
  afterAll(() => {
    site.closeAllConnections();
    site.close();
  });
  return { host: `127.0.0.1:${(site.address() as AddressInfo).port}`, requests };
}

const [listed, unlisted] = [await startSite("listed"), await startSite("unlisted")];
const server = await startCodeServer({ EGRESS_ALLOW: `${listed.host},${unlisted.host}` });

beforeEach(() => {
  listed.requests.length = 0;
  unlisted.requests.length = 0;
});

async function call(name: string, args: object = {}): Promise<unknown> {
  const { key } = await server.mintKey();
  const session = await openHttpSession(server.endpoint(), key);
  return (await post(server.endpoint(), key, request("tools/call", { name, arguments: args }), session)).body.result;
}

const said = (text: unknown) => ({ content: [{ type: "text", text }] });
const failed = (text: unknown) => ({ ...said(text), isError: true });

describe.each(KINDS)("$client", ({ open }) => {
  test("calls a code tool and hears of its progress", async () => {
    const progress: unknown[] = [];
    const client = await open(server);
    const result = await client.call("greet", { name: "Ada" }, { onprogress: (report) => void progress.push(report) });
    expect([result["structuredContent"], progress]).toEqual([
      { greeting: "Hello Ada", caller: "journey" },
      [expect.objectContaining({ progress: 1, total: 2 }), expect.objectContaining({ progress: 2, total: 2 })],
    ]);
  });
});

describe("a module reaches", () => {
  test("a host that its record lists, and says that it is one of ours", async () => {
    const init = { method: "POST", headers: { "x-a": "1" }, body: "text" };
    const result = await call("reach", { url: `http://${listed.host}/a`, init });
    const [incoming] = listed.requests;
    expect([
      result,
      incoming?.method,
      incoming?.url,
      incoming?.headers["x-a"],
      incoming?.headers["toolgate-hops"],
    ]).toEqual([said("listed"), "POST", "/a", "1", "1"]);
  });

  test.each([
    ["a host that is not listed", () => `http://${unlisted.host}/`],
    ["one by a redirect", () => `http://${listed.host}/to/${encodeURIComponent(`http://${unlisted.host}/`)}`],
    ["the metadata service", () => "http://169.254.169.254/latest/meta-data/"],
    ["it by a redirect", () => `http://${listed.host}/to/${encodeURIComponent("http://169.254.169.254/")}`],
    ["this server", () => new URL("/healthz", server.url).href],
    ["it by a redirect of a listed host", () => `http://${listed.host}/to/${encodeURIComponent(server.url.href)}`],
  ])("not %s", async (_, urlOf) => {
    expect([await call("reach", { url: urlOf() }), unlisted.requests]).toEqual([
      said(expect.stringMatching(/^ToolError: Destination not allowed: /)),
      [],
    ]);
  });

  test("nothing by a socket, not even a host that is listed", async () => {
    expect(await call("connect", { address: listed.host })).toEqual(said(expect.stringContaining("not permitted")));
  });
});

describe("a module has", () => {
  test("the secrets of its record alone", async () => {
    expect(await call("look")).toEqual(said('[{},{},["TOKEN"]]'));
  });

  test("no way to tell them", async () => {
    expect([await call("say"), await call("leak")]).toEqual([
      said("[redacted],[redacted]"),
      failed(expect.stringMatching(/^Tool failed \(ref [a-z2-7]{12}\)$/)),
    ]);
  });

  test("a state that its own calls share, whoever makes them, and no others", async () => {
    expect([await call("count"), await call("count"), await call("pollute"), await call("polluted")]).toEqual([
      said("1"),
      said("2"),
      said("1"),
      said("undefined"),
    ]);
  });
});

test("a module that never ends or ends its process fails its call alone", async () => {
  expect([await call("wait"), await call("exit"), await call("polluted")]).toEqual([
    failed("Tool wait took longer than 300 ms and was stopped"),
    failed(expect.stringMatching(/^Tool failed \(ref [a-z2-7]{12}\)$/)),
    said("undefined"),
  ]);
});
