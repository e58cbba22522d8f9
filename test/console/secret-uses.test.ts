import { expect, test } from "vitest";
import type { ToolView } from "../../src/console/api/tools-api.ts";
import type { UpstreamView } from "../../src/console/api/upstreams-api.ts";
import { findUses } from "../../src/console/views/secrets/secret-uses.ts";

const tool = (name: string, source: object) => ({ name, source }) as ToolView;

test("a secret's uses are the tools and upstreams that name it, an upstream once for all of its tools", () => {
  const headers = { authorization: "Bearer {{secret:A}}", "x-more": "{{secret:A}} {{secret:B_2}}" };
  const uses = findUses(
    [
      tool("http", {
        kind: "http",
        url: "https://x.example/{{secret:NOT_HERE}}",
        query: { q: "{{secret:C}}" },
        headers,
      }),
      tool("code", { kind: "code", secrets: ["C"] }),
      tool("up_x", { kind: "upstream", upstream: "up", headers }),
      tool("own", { kind: "builtin" }),
    ],
    [{ name: "up", headers } as unknown as UpstreamView],
  );
  expect(Object.fromEntries(uses)).toEqual({
    A: [
      { kind: "tool", name: "http" },
      { kind: "upstream", name: "up" },
    ],
    B_2: [
      { kind: "tool", name: "http" },
      { kind: "upstream", name: "up" },
    ],
    C: [
      { kind: "tool", name: "http" },
      { kind: "tool", name: "code" },
    ],
  });
});
