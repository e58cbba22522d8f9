// keys rotate: how long the old secret goes on is said both ways, to the second.

import { expect, it } from "vitest";
import { runHere } from "./command-line.ts";
import { serveScript } from "./scripted-api.ts";

const toolgate = (args: string[]) => runHere(args, { TOOLGATE_ADMIN_KEY: "tga_test" });

const RECORD = { id: "kaaa", name: "local", status: "active", limits: { perMinute: 60, burst: 10 } };

it.each([
  [[], 3600],
  [["--overlap-seconds=0"], 0],
  [["--overlap=90s"], 90],
  [["--overlap", "1d2h3m4s"], 93_784],
  [["--overlap=0"], 0],
])("rotates a key with %j and shows the new secret once", async (options, overlapSeconds) => {
  const answer = { ...RECORD, key: "tg_kaaa_y", previousEndsAt: "2026-12-01T04:32:05.791Z" };
  const { url, asked } = await serveScript({ "POST /admin/v1/keys/kaaa/rotate": answer });
  const { stdout } = await toolgate(["keys", "rotate", "kaaa", ...options, "--url", url]);
  expect(asked[0]?.body).toEqual({ overlapSeconds });
  expect(stdout).toContain("Secret made. It is shown only this once:\n\n  tg_kaaa_y\n");
  expect(stdout).toContain("old secret until  2026-12-01 04:32 UTC\n");
});

it.each([
  ["90s", "1 minute 30 seconds"],
  ["1h", "1 hour"],
  ["25h1s", "1 day 1 hour 1 second"],
])("says when an overlap of %s ends, to the second", async (overlap, words) => {
  const previousEndsAt = "2026-12-01T04:32:05.791Z";
  const { url } = await serveScript({ "POST /admin/v1/keys/kaaa/rotate": { ...RECORD, key: "k", previousEndsAt } });
  const { stdout } = await toolgate(["keys", "rotate", "kaaa", "--overlap", overlap, "--url", url]);
  expect(stdout.split("\n").at(-2)).toBe(`The old secret works for ${words} more, until ${previousEndsAt}.`);
});

it("says that nothing overlaps", async () => {
  const { url } = await serveScript({ "POST /admin/v1/keys/kaaa/rotate": { ...RECORD, key: "k" } });
  const { stdout } = await toolgate(["keys", "rotate", "kaaa", "--overlap=0", "--url", url]);
  expect(stdout.split("\n").at(-2)).toBe("Earlier secrets have ended.");
});

it.each([
  [
    ["keys", "rotate", "kx", "--overlap-seconds=-1"],
    /^error: --overlap-seconds: expected a whole number of at least 0, received "-1"\./,
  ],
  [
    ["keys", "rotate", "kx", "--overlap=90"],
    /^error: --overlap: expected a time such as 90s, 10m or 1h, or 0, received "90"\./,
  ],
  [
    ["keys", "rotate", "kx", "--overlap=1m", "--overlap-seconds=1"],
    /^error: keys rotate: expected .*, received both\./,
  ],
])("refuses %j with exit code 2", async (args, message) => {
  const { code, stdout, stderr } = await toolgate(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(message);
});
