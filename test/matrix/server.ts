// The matrix's Worker, bundled as it would be for a deploy and served on a loopback port.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { createTestHarness } from "wrangler";
import { createAdmin, type Admin } from "../journeys/support/admin.ts";
import { writeConfig } from "../journeys/support/config.ts";
import { mintSecret } from "../journeys/support/server.ts";

export interface MatrixServer extends Admin {
  url: URL;
}

/** Starts it for one test file and ends it with the file; `main` is another Worker of the folder. */
export async function startMatrixServer(main = "worker.ts"): Promise<MatrixServer> {
  const dir = await mkdtemp(join(tmpdir(), "toolgate-matrix-"));
  const configPath = await writeConfig(dir, join(import.meta.dirname, "worker", main));
  const adminKey = mintSecret();
  const secrets = { SIGNING_SECRET: mintSecret(), ADMIN_KEY: adminKey };
  const harness = createTestHarness({ workers: [{ configPath, secrets }] });
  afterAll(async () => {
    await harness.close();
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  });
  const { url } = await harness.listen();
  return { ...createAdmin(url, adminKey), url };
}
