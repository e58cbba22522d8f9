// HTTP tools whose upstream is the one host that the test opened to them.

import { env } from "cloudflare:workers";
import * as v from "valibot";
import type { Env } from "../../../src/env.ts";
import { defineTool, type Tool } from "../../../src/tools/define-tool.ts";
import { compileHttpTool } from "../../../src/tools/http-tool/compile-http-tool.ts";
import { ResponseCache } from "../../../src/tools/http-tool/response-cache.ts";
import type { HttpSource } from "../../../src/tools/tool-record.ts";

const bindings = env as unknown as Env;
const UPSTREAM = bindings.EGRESS_ALLOW ? `http://${bindings.EGRESS_ALLOW}` : "https://upstream.example";

const cache = new ResponseCache();

const httpTool = (name: string, source: Partial<HttpSource> & { url: string }): Tool => {
  const run = compileHttpTool({ kind: "http", method: "GET", ...source }, { cache });
  return defineTool({ name, description: `${name} of an HTTP API.`, input: v.record(v.string(), v.unknown()), run });
};

export const fixtureHttpTools: Tool[] = [
  httpTool("http_read", {
    url: `${UPSTREAM}/users/{id}?v=2`,
    query: { q: "{q}", tag: "{tags}", key: "{{secret:UPSTREAM_KEY}}" },
    headers: { authorization: "Bearer {{secret:UPSTREAM_TOKEN}}", "x-note": "{note}" },
  }),
  httpTool("http_json", { url: `${UPSTREAM}/json`, method: "POST", body: { to: "{to}", text: "Dear {name}!", n: 1 } }),
  httpTool("http_form", {
    url: `${UPSTREAM}/form`,
    method: "PUT",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: { a: "{a}", list: "{list}" },
  }),
  httpTool("http_get", { url: `${UPSTREAM}/{path}`, headers: { "x-token": "{{secret:UPSTREAM_TOKEN}}" } }),
  httpTool("http_unset", { url: UPSTREAM, headers: { "x-token": "{{secret:NEVER_SET}}" } }),
  httpTool("http_post", { url: `${UPSTREAM}/{path}`, method: "POST" }),
];
