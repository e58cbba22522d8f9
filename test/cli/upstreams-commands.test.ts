// The commands for upstreams, against a server that answers as it is told to.

import { describe, expect, it } from "vitest";
import { runHere } from "./command-line.ts";
import { serveScript } from "./scripted-api.ts";

const URL = "https://up.example/mcp";

const toolgate = (args: string[], url: string) =>
  runHere(["upstreams", ...args], {
    TOOLGATE_ADMIN_KEY: "tga_only-for-this-test",
    TOOLGATE_URL: url,
  });

const OK = { state: "ok", refreshedAt: "2026-12-01T03:32:05.791Z", tools: 2, skipped: [], warnings: [] };
const UP = { name: "up", url: URL, version: 7, status: OK };

describe("upstreams", () => {
  it("add says what is sent with each request, and what is served", async () => {
    const { url, asked } = await serveScript({ "PUT /admin/v1/upstreams/up": [201, UP] });
    const header = "authorization: Bearer {{secret:TOKEN}}";
    const options = [
      "--header",
      header,
      "--include",
      "a*",
      "--include",
      "b",
      "--exclude",
      "c",
      "--timeout-ms",
      "5000",
      "--trace-context",
      "--off",
    ];
    expect(await toolgate(["add", "up", URL, ...options], url)).toEqual({
      code: 0,
      stderr: "",
      stdout: "up: 2 tools are served. Catalogue version 7\n",
    });
    expect(asked.map(({ body }) => body)).toEqual([
      {
        url: URL,
        headers: { authorization: "Bearer {{secret:TOKEN}}" },
        include: ["a*", "b"],
        exclude: ["c"],
        timeoutMs: 5000,
        traceContext: true,
        enabled: false,
      },
    ]);
  });

  it("add repeats nothing of a header that it can't read", async () => {
    const { url, asked } = await serveScript({});
    const stderr = "error: upstreams add: expected --header NAME:TEXT, received none with a colon.\n";
    expect(await toolgate(["add", "up", URL, "--header", "s3cret-value"], url)).toMatchObject({ code: 2, stderr });
    expect(asked).toEqual([]);
  });

  it("list them with what is wrong", async () => {
    const failing = {
      name: "down",
      url: URL,
      status: { ...OK, state: "failing", reason: "Upstream down can't be reached." },
    };
    const skipped = { ...UP, status: { ...OK, skipped: [{ tool: "x", reason: "no" }], excluded: ["y", "z"] } };
    const { url } = await serveScript({ "GET /admin/v1/upstreams": { upstreams: [failing, skipped] } });
    expect((await toolgate(["list"], url)).stdout.split("\n")).toEqual([
      "NAME  STATE    TOOLS  SKIPPED  EXCLUDED  LISTED                URL                     REASON",
      "down  failing  2                         2026-12-01 03:32 UTC  https://up.example/mcp  Upstream down can't be reached.",
      "up    ok       2      1        2         2026-12-01 03:32 UTC  https://up.example/mcp",
      "",
    ]);
  });

  it("list none", async () => {
    const { url } = await serveScript({ "GET /admin/v1/upstreams": { upstreams: [] } });
    expect((await toolgate(["list"], url)).stdout).toBe("No upstreams yet. Add one with:  upstreams add NAME URL\n");
  });

  it("refresh names what is not served, and fails where the upstream does", async () => {
    const skipped = [{ tool: "odd", reason: "inputSchema: expected an object" }];
    const failing = { ...UP, status: { ...OK, state: "failing", reason: "Upstream up answered with status 500." } };
    const { url } = await serveScript({
      "POST /admin/v1/upstreams/up/refresh": {
        ...UP,
        status: {
          ...OK,
          tools: 1,
          skipped,
          excluded: ["y", "z"],
          warnings: [{ tool: "up_a", level: "warning" }, { level: "info" }],
        },
      },
      "POST /admin/v1/upstreams/down/refresh": { ...failing, name: "down" },
    });
    const [good, bad] = [await toolgate(["refresh", "up"], url), await toolgate(["refresh", "down"], url)];
    expect([good.code, good.stdout.split("\n")]).toEqual([
      0,
      [
        "up: 1 tool is served. Catalogue version 7",
        "Not served:",
        "  odd: inputSchema: expected an object",
        "Excluded: y, z",
        "Lint has 1 warning on up_a: see  tools lint NAME",
        "",
      ],
    ]);
    expect([bad.code, bad.stdout]).toEqual([1, "down is failing: Upstream up answered with status 500.\n"]);
  });

  it("add says that it was added where the listing fails", async () => {
    const status = { state: "failing", reason: "no answer" };
    const { url } = await serveScript({ "PUT /admin/v1/upstreams/up": [201, { name: "up", url: URL, status }] });
    const stdout = "up is added, but failing: no answer\n";
    expect(await toolgate(["add", "up", URL], url)).toEqual({ code: 1, stderr: "", stdout });
  });

  it("add names the secrets that are not set", async () => {
    const { url } = await serveScript({ "PUT /admin/v1/upstreams/up": { ...UP, unsetSecrets: ["A", "B"] } });
    expect((await toolgate(["add", "up", "https://up.example/mcp"], url)).stdout).toBe(
      "up: 2 tools are served. Catalogue version 7\nSet these secrets (secrets set NAME): A, B\n",
    );
  });

  it("remove", async () => {
    const { url } = await serveScript({ "DELETE /admin/v1/upstreams/up": { name: "up", version: 8 } });
    expect((await toolgate(["remove", "up"], url)).stdout).toBe("up and its tools are gone. Catalogue version 8\n");
  });
});
