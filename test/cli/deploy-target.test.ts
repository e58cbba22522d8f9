// Which of the places that wrangler names after a deployment is called.

import { describe, expect, it } from "vitest";
import { readDeploySettings } from "../../src/cli/deploy-settings.ts";
import { deploy } from "../../src/cli/deploy-steps.ts";

describe("the address that is called", () => {
  it.each([
    [["https://toolgate.ada.workers.dev"], "https://toolgate.ada.workers.dev"],
    [["tools.example.com (custom domain)"], "https://tools.example.com"],
    [["tools.example.com (custom domain - zone name: example.com)"], "https://tools.example.com"],
    [["example.com/* (zone name: example.com)", "tools.example.com (custom domain)"], "https://tools.example.com"],
    [["schedule: 0 * * * *", "https://toolgate.ada.workers.dev/"], "https://toolgate.ada.workers.dev"],
  ])("of %j is %s", async (targets, origin) => {
    expect(await smokeTargetsOf(targets)).toEqual([origin]);
  });

  it.each([
    ["tools.example.com/mcp*"],
    ["tools.example.com (zone name: example.com)"],
    ["tools.example.com"],
    ["*.example.com (custom domain)"],
    ["https://workers.dev.example.com"],
    ["https://other.example/#.workers.dev"],
    ["see https://toolgate.ada.workers.dev"],
  ])("is not %s, nor a link that wrangler prints", async (target) => {
    await expect(smokeTargetsOf([target])).rejects.toThrow("name the URL with --url");
  });
});

/** The origins that would be called after a deployment with these targets. */
async function smokeTargetsOf(targets: string[]): Promise<string[]> {
  const called: string[] = [];
  const secrets = JSON.stringify(["SIGNING_SECRET", "SECRETS_KEY", "ADMIN_KEY_HASH"].map((name) => ({ name })));
  const stdout = "See https://developers.cloudflare.com/workers\nhttps://docs.workers.dev";
  await deploy(readDeploySettings([], {}), {
    wrangler: async ([command]) => {
      const said = command === "whoami" ? '{"loggedIn":true}' : command === "secret" ? secrets : stdout;
      return { code: 0, stdout: said, stderr: "", records: [{ type: "deploy", targets }] };
    },
    say: () => undefined,
    smoke: async ({ origin }) => {
      called.push(origin);
      return {};
    },
  });
  return called;
}
