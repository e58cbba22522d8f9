// The guard's own tests are in ../egress.test.ts; here is that HTTP tools have no way round it.

import { describe, expect, test } from "vitest";
import { answer, openHttpTool, source } from "../../support/http-tool.ts";

const INNER = [
  "http://169.254.169.254/",
  "https://169.254.169.254/",
  "http://[::ffff:169.254.169.254]/",
  "https://[::ffff:a9fe:a9fe]/",
  "http://0x7f.1/",
  "https://0x7f.1/",
  "http://2130706433/",
  "https://2130706433/",
  "http://localhost./",
  "https://localhost./",
  "http://metadata.google.internal/",
  "https://metadata.google.internal./",
  "https://tools.ours.dev/mcp",
  "https://TOOLS.ours.dev./mcp",
];
const WITH_USER = [
  "http://u:p@10.0.0.1/",
  "https://u:p@example.com/",
  "https://u:p@api.example.com/",
  "https://@10.0.0.1/",
];
const ELSEWHERE = ["https://evil.example/", "https://www.api.example.com/", "https://api.example.com:8443/"];

const REFUSED = /^Destination not allowed: /;

describe("HTTP tools", () => {
  test.each(INNER)("that were stored for %s reach nothing", async (url) => {
    const { sent, call } = openHttpTool(source({ url }), { answers: [] });
    await expect(call()).rejects.toThrow(REFUSED);
    expect(sent).toEqual([]);
  });

  test.each(WITH_USER)("that were stored for %s are not made", (url) => {
    expect(() => openHttpTool(source({ url }))).toThrow("HTTP tool: url: the URL holds a user name or password");
  });

  test.each([...INNER, ...WITH_USER, "file:///etc/passwd", "data:text/plain,x", ...ELSEWHERE])(
    "redirected to %s stay where they are",
    async (location) => {
      const { sent, call } = openHttpTool(source({ query: { key: "{{secret:KEY}}" } }), {
        answers: [answer(null, { location }, { status: 302 })],
        secrets: { KEY: "s3cret-s3cret" },
      });
      const error: unknown = await call().catch((error: unknown) => error);
      expect(String(error)).toMatch(/^ToolError: Destination not allowed: redirect 1: /);
      expect(String(error)).not.toMatch(/s3cret|evil|169\.254/);
      expect(sent.map(({ url }) => url)).toEqual(["https://api.example.com/?key=s3cret-s3cret"]);
    },
  );

  test("follow a redirect on their own host, with what only it may see", async () => {
    const of = source({ headers: { authorization: "Bearer {{secret:KEY}}" }, query: { key: "{{secret:KEY}}" } });
    const { sent, call } = openHttpTool(of, {
      answers: [
        answer(null, { location: "/there" }, { status: 307 }),
        answer("there", { "content-type": "text/plain" }),
      ],
      secrets: { KEY: "s3cret-s3cret" },
    });
    expect(await call()).toEqual({ content: [{ type: "text", text: "there" }] });
    // The secret of the query is not carried on: where a redirect leads is what it says.
    expect(sent[1]).toEqual({
      method: "GET",
      url: "https://api.example.com/there",
      headers: { authorization: "Bearer s3cret-s3cret" },
    });
  });

  test("take no other host from an argument", async () => {
    const of = source({ url: "https://api.example.com/{id}" });
    for (const id of [
      "//evil.example",
      "@evil.example",
      "\\\\evil.example",
      "https://evil.example",
      ":@evil.example",
    ]) {
      const { sent, call } = openHttpTool(of);
      await call({ id });
      expect(new URL(sent[0]?.url ?? "").host).toBe("api.example.com");
    }
  });
});
