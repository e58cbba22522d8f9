// Upstreams under a condition, and those that are this server itself.

import { reset } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { registryStub } from "../../../src/env.ts";
import { openGate, readAnswer, type Gate } from "../../support/app.ts";
import { testEnv } from "../../support/counting-env.ts";
import { discovery, result, scriptUpstream, UPSTREAM_URL } from "../../support/scripted-upstream.ts";

const registry = () => registryStub(testEnv);
const versionOf = async (): Promise<number> => (await registry().readSnapshot(-1)).version;

const tool = (name: string) => ({ name, description: `${name}.`, inputSchema: { type: "object" } });
let tools: object[];

beforeEach(() => {
  tools = [tool("a"), tool("b")];
  const script = scriptUpstream({ "server/discover": discovery, "tools/list": () => result({ tools }) });
  vi.spyOn(globalThis, "fetch").mockImplementation(script.fetcher);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const put = async (gate: Gate, name: string, record: object) =>
  readAnswer(await gate.admin("PUT", `/upstreams/${name}`, record));
const names = async (gate: Gate): Promise<string[]> => {
  const { body } = await readAnswer(await gate.admin("GET", "/tools"));
  return (body as { tools: { name: string }[] }).tools.map(({ name }) => name);
};

it("an upstream changes and goes only at the version that its operator knows of, if one is named", async () => {
  const gate = openGate([]);
  const edit = async (method: string, ifMatch: string | undefined) => {
    const body = method === "PUT" ? { url: UPSTREAM_URL } : undefined;
    const response = await gate.admin(method, "/upstreams/up", body, { "if-match": ifMatch });
    const { code } = await response.json<{ code?: string }>();
    return [response.status, code, response.headers.get("etag")];
  };
  const before = await versionOf();
  expect(await edit("PUT", `"${before + 1}"`)).toEqual([412, "version_mismatch", null]);
  expect(await edit("PUT", "7")).toEqual([400, "invalid_body", null]);
  expect((await registry().readUpstreams()).upstreams).toEqual([]);
  expect(await edit("PUT", `"${before}"`)).toEqual([201, undefined, `"${before + 1}"`]);
  expect(await edit("DELETE", `"${before}"`)).toEqual([412, "version_mismatch", null]);
  expect((await registry().readUpstreams()).upstreams).toHaveLength(1);
  expect(await edit("PUT", "*")).toEqual([200, undefined, `"${before + 1}"`]);
  expect(await edit("DELETE", `"${before + 1}"`)).toEqual([200, undefined, `"${before + 2}"`]);
});

it("an upstream that is this server by another name is failing, and its tools grow by none", async () => {
  const gate = openGate();
  const key = await gate.mint();
  vi.mocked(globalThis.fetch).mockImplementation((url, init) => gate.fetch(String(url), init as RequestInit));
  const before = await names(gate);
  const headers = { authorization: `Bearer ${key}` };
  for (const _ of [1, 2]) {
    const { body } = await put(gate, "self", { url: "https://other-name.example/mcp", headers });
    expect(body).toMatchObject({
      status: {
        state: "failing",
        reason: "It is this server itself, under another name, or one that has the same SIGNING_SECRET.",
        tools: 0,
      },
    });
  }
  expect(await names(gate)).toEqual(before);
});

it("servers of this kind alone are told what tools came through", async () => {
  tools = [tool("a"), { ...tool("b"), _meta: { "io.toolgate/passed": ["first"] } }];
  const gate = openGate([]);
  await put(gate, "up", { url: UPSTREAM_URL });
  const caller = gate.caller(await gate.mint());
  const metas = async (hops: string | undefined) => {
    const { body } = await caller.ask("2026-07-28", "tools/list", {}, { "toolgate-hops": hops });
    return (body as { result: { tools: { _meta?: object }[] } }).result.tools.map(({ _meta }) => _meta);
  };
  const own = expect.stringMatching(/^[\w-]{22}$/);
  expect(await metas(undefined)).toEqual([undefined, undefined]);
  expect(await metas("1")).toEqual([{ "io.toolgate/passed": [own] }, { "io.toolgate/passed": ["first", own] }]);
  expect(await metas(undefined)).toEqual([undefined, undefined]);
});
