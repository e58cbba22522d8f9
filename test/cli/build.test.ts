// What a build that fails leaves to a running server.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { copyProject, NODE } from "./project-copy.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** Builds a Worker of sources that end too early. */
function buildBroken(env: Record<string, string>): { status: number | null; stderr: string } {
  const dir = mkdtempSync(join(tmpdir(), "toolgate-build-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const entry = join(dir, "broken.ts");
  writeFileSync(entry, "export const x = {\n");
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "src/cli/build.ts"), "worker"], {
    encoding: "utf8",
    env: { ...process.env, WORKER_ENTRY: entry, NO_COLOR: "1", ...env },
  });
  return { status, stderr };
}

test("fails, and says where the fault is", () => {
  const { status, stderr } = buildBroken({});
  expect(status).toBe(1);
  expect(stderr).toContain("broken.ts:1:20");
});

test.each([
  ["was built since the server started", 0, 0],
  ["was built before the server started", Date.now() + 3_600_000, 1],
])("what %s is served on, or not", (_, sinceMs, code) => {
  const { status, stderr } = buildBroken({ KEEP_BUILT_SINCE: String(sinceMs) });
  expect([status, stderr.includes("What was built before goes on being served.")]).toEqual([code, code === 0]);
});

test("names the fault of a console that doesn't build, and makes no Worker then", () => {
  const folder = copyProject();
  writeFileSync(join(folder, "src/console/yaml.ts"), "export const x = {\n");
  const { status, stderr } = spawnSync(NODE, ["src/cli/build.ts"], { cwd: folder, encoding: "utf8" });
  expect([status, stderr.includes("src/console/yaml.ts:2:0"), existsSync(join(folder, "dist/worker"))]).toEqual([
    1,
    true,
    false,
  ]);
});

test.each([
  [
    "breaks a rule",
    (tone: string) => tone.replace('name: "tone"', 'name: "to ne"'),
    'defineTool: name "to ne" must match',
  ],
  [
    "has another's name",
    (tone: string) => tone.replace('name: "tone"', 'name: "calculate"'),
    "two tools are named calculate",
  ],
  [
    "calls what is not there",
    (tone: string) => tone.replace("v.integer()", "v.wholeNumber()"),
    "src/tools/builtin/tone.ts:37:9: v.wholeNumber is not a function",
  ],
  [
    "names what is not there",
    (tone: string) => tone.replace("FADE_MS = 5", "FADE_MS = FIVE"),
    "src/tools/builtin/tone.ts:14:17: FIVE is not defined",
  ],
  [
    "imports a package that is not there",
    (tone: string) => tone.replace('from "valibot"', 'from "valibott"'),
    "Could not resolve 'valibott' in src/tools/builtin/tone.ts",
  ],
])("neither builds nor ends a running server where a tool in the code %s", (_, change, fault) => {
  const folder = copyProject();
  const build = (env: Record<string, string>) =>
    spawnSync(NODE, ["src/cli/build.ts", "worker"], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, NO_COLOR: "1", ...env },
    });
  const built = (): string => readFileSync(join(folder, "dist/worker/index.mjs"), "utf8");
  build({});
  const again = build({ KEEP_BUILT_SINCE: "0" });
  expect([again.status, again.stdout]).toEqual([0, "Built anew: the server reloads.\n"]);
  const before = built();
  const file = join(folder, "src/tools/builtin/tone.ts");
  writeFileSync(file, change(readFileSync(file, "utf8")));
  const alone = build({});
  expect([alone.status, alone.stderr, built()]).toEqual([1, expect.stringContaining(fault), before]);
  const kept = build({ KEEP_BUILT_SINCE: "0" });
  expect([kept.status, kept.stderr, built()]).toEqual([0, expect.stringContaining(fault), before]);
  expect(kept.stderr).toContain("What was built before goes on being served.");
});
