// A name that nothing has: what came, and the name that was meant.

import { expect, it } from "vitest";
import { runHere } from "./command-line.ts";
import { serveScript, type Script } from "./scripted-api.ts";

const toolgate = (args: string[], url: string) => runHere(args, { TOOLGATE_ADMIN_KEY: "tga_test", TOOLGATE_URL: url });

const LISTS: Script = {
  "GET /admin/v1/tools": { tools: [{ name: "one" }, { name: "ten" }] },
  "GET /admin/v1/upstreams": { upstreams: [{ name: "files" }] },
  "GET /admin/v1/secrets": { secrets: [{ name: "TOKEN" }] },
  "GET /admin/v1/keys": { keys: [{ id: "kaaaaaaaa", name: "cursor" }] },
};
const MISSING: [number, object] = [404, { code: "not_found", detail: "There is none" }];
const REFUSAL = "error: There is none (not_found)\n";

it.each([
  [["tools", "show", "tne"], "GET /admin/v1/tools/tne", "Did you mean one?\n"],
  [["tools", "lint", "oen"], "POST /admin/v1/tools/oen/lint", "Did you mean one?\n"],
  [["upstreams", "refresh", "fils"], "POST /admin/v1/upstreams/fils/refresh", "Did you mean files?\n"],
  [["secrets", "delete", "TOKN"], "DELETE /admin/v1/secrets/TOKN", "Did you mean TOKEN?\n"],
  [["keys", "revoke", "kaaaaaaab"], "DELETE /admin/v1/keys/kaaaaaaab", "Did you mean kaaaaaaaa?\n"],
  [["keys", "show", "cursor"], "GET /admin/v1/keys/cursor", "Did you mean kaaaaaaaa, the key of that name?\n"],
  [["tools", "show", "calculate"], "GET /admin/v1/tools/calculate", ""],
  // The tool is there, its version is not.
  [["tools", "history", "ten", "--version", "9"], "GET /admin/v1/tools/ten/history/9", ""],
])("%j", async (args, call, advice) => {
  const { url } = await serveScript({ ...LISTS, [call]: MISSING });
  expect(await toolgate(args, url)).toEqual({ code: 1, stdout: "", stderr: REFUSAL + advice });
});

it("stands without the list", async () => {
  const { url } = await serveScript({ "GET /admin/v1/tools/tne": MISSING });
  expect((await toolgate(["tools", "show", "tne"], url)).stderr).toBe(REFUSAL);
});

it("asks for no list at any other refusal", async () => {
  const { url, asked } = await serveScript({ ...LISTS, "GET /admin/v1/tools/tne": [503, { detail: "Not now" }] });
  expect((await toolgate(["tools", "show", "tne"], url)).stderr).toBe("error: Not now\n");
  expect(asked.map(({ call }) => call)).toEqual(["GET /admin/v1/tools/tne"]);
});
