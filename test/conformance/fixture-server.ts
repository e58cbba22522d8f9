// The fixture Worker on a loopback port, bundled as it would be for a deploy, with secrets that nobody else knows.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createTestHarness } from "wrangler";
import { writeConfig } from "../journeys/support/config.ts";

// Else wrangler asks the internet where this machine is, and counts the start.
process.env["CLOUDFLARE_CF_FETCH_ENABLED"] = "false";
process.env["WRANGLER_SEND_METRICS"] = "false";

const FIXTURE_WORKER = join(import.meta.dirname, "fixture-worker.ts");
// The names that `npm start` serves on: what a DNS rebinding attack can't borrow.
const LOOPBACK_HOSTS = "127.0.0.1,localhost,[::1]";

export interface FixtureServer {
  /** An endpoint of its own for each caller: the suite sends no headers, so that the key is in the path. */
  mintEndpoint: (name: string) => Promise<string>;
  close: () => Promise<void>;
}

/** Starts it; `dir` is for what it needs on disk. */
export async function startFixtureServer(dir: string): Promise<FixtureServer> {
  const adminKey = mintSecret();
  const harness = createTestHarness({
    workers: [
      {
        configPath: await writeConfig(dir, FIXTURE_WORKER),
        vars: { ALLOWED_HOSTS: LOOPBACK_HOSTS },
        secrets: { SIGNING_SECRET: mintSecret(), ADMIN_KEY: adminKey },
      },
    ],
  });
  const { url } = await harness.listen();
  return { mintEndpoint: (name) => mintEndpoint(url, adminKey, name), close: () => harness.close() };
}

async function mintEndpoint(url: URL, adminKey: string, name: string): Promise<string> {
  const response = await fetch(new URL("/admin/v1/keys", url), {
    method: "POST",
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
    body: JSON.stringify({ name, urlKey: true, limits: { perMinute: 100_000 } }),
  });
  if (response.status !== 201) {
    throw new Error(`POST /admin/v1/keys: expected status 201, received ${response.status}: ${await response.text()}`);
  }
  const { key } = (await response.json()) as { key: string };
  return new URL(`/k/${key}/mcp`, url).href;
}

const mintSecret = (): string => randomBytes(32).toString("hex");
