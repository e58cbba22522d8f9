// Which upstreams are this server itself, as `npm start` serves it.

import { reset } from "cloudflare:test";
import { afterEach, expect, it } from "vitest";
import { ADMIN_KEY, openGate, readAnswer } from "../../support/app.ts";

afterEach(() => reset());

it.each([
  ["http://127.0.0.1:8939/mcp", /^url: URL refused: the scheme must be https; .*EGRESS_ALLOW=127\.0\.0\.1:8939 /],
  ["http://localhost:8931/mcp", "url: URL refused: it is this server itself"],
  ["http://[::1]:8931/mcp", "url: URL refused: it is this server itself"],
  ["http://127.0.0.1:8931/mcp", "url: URL refused: it is this server itself"],
])("of a local server is told apart from the server itself by its port: %s", async (url, detail) => {
  const said = typeof detail === "string" ? detail : expect.stringMatching(detail);
  const gate = openGate([], { ALLOWED_HOSTS: "127.0.0.1,localhost,[::1]" });
  const answer = await gate.fetch("http://127.0.0.1:8931/admin/v1/upstreams/up", {
    method: "PUT",
    headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ url }),
  });
  expect(await readAnswer(answer)).toMatchObject({ status: 400, body: { detail: said } });
});
