// What `npm run bench` measures is the deployment with everything on: nothing of it is set otherwise, and each protection
// does its work there.

import { mkdtemp, rm } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "../bench/fan-out/workplace.ts";
import { keyHeaders, LIMITS } from "../bench/speed/keys.ts";
import { probes } from "../bench/speed/protections.ts";
import { ask } from "../bench/speed/requests.ts";
import { makeHome, startServer, type Home, type Running } from "../bench/speed/runtime.ts";
import { buildServer, TOOLGATE, type BuiltWorker } from "../bench/speed/servers.ts";
import { createAdmin } from "./support/admin.ts";

let dir: string;
let built: BuiltWorker;
let home: Home;
let running: Running;
let headers: Record<string, string>;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "toolgate-bench-"));
  const workplace = new Workplace();
  built = await buildServer(TOOLGATE, 3, join(dir, "worker"));
  home = makeHome(workplace, "protections", built);
  running = await startServer(workplace, home, built);
  headers = await keyHeaders(TOOLGATE, running, home);
}, 120_000);

afterAll(async () => {
  await running.stop();
  await rm(dir, { recursive: true, force: true });
});

it("is configured as a deployment is", () => {
  const toml = readFileSync("wrangler.toml", "utf8");
  const named = (pattern: RegExp): string[] => [...toml.matchAll(pattern)].map(([, name = ""]) => name);
  expect({ flags: built.compatibilityFlags, vars: built.vars, objects: Object.values(built.objects) }).toEqual({
    flags: ["global_fetch_strictly_public", "enable_request_signal"],
    vars: {
      ALLOWED_ORIGINS: "",
      ALLOWED_HOSTS: "",
      EGRESS_ALLOW: "",
      URL_KEYS: "on",
      AUDIT_ARGUMENTS: "hash",
      AUDIT_DAYS: "30",
      PUBLIC_TOOL_LIST: "off",
      OTLP_ENDPOINT: "",
      OTLP_SAMPLE: "1",
    },
    objects: named(/^class_name = "(.+)"$/gm),
  });
});

describe("is on", () => {
  it.each(probes({ authorization: "Bearer x" }).map(({ what }, index) => [what, index] as const))(
    "%s",
    async (_, index) => {
      const probe = probes(headers)[index];
      const response = await fetch(running.url, {
        method: "POST",
        headers: probe?.headers ?? {},
        body: probe?.body ?? "",
      });
      expect([response.status, await response.text()]).toEqual([
        probe?.status,
        expect.stringContaining(probe?.holds ?? ""),
      ]);
    },
  );

  it("the count of calls, and its headers", async () => {
    const { body, headers: sent } = ask("call", "modern", 1, headers);
    const response = await fetch(running.url, { method: "POST", headers: sent, body });
    expect(response.headers.get("ratelimit-policy")).toBe(`"calls";q=${LIMITS.perMinute};w=60`);
    expect(response.headers.get("ratelimit")).toMatch(/^"calls";r=\d+;t=\d+$/);
  });

  it("the audit trail, with a row for each call", async () => {
    const { admin } = createAdmin(running.url, home.secrets["ADMIN_KEY"] ?? "");
    const isThere = async (): Promise<boolean> => {
      const { body } = await admin("GET", "/audit?kind=call&tool=echo&outcome=ok");
      return JSON.stringify(body).includes("argumentsSha256");
    };
    let found = false;
    for (let tries = 0; !found && tries < 100; tries++) {
      found = await isThere();
      if (!found) await delay(100);
    }
    expect(found).toBe(true);
  });
});
