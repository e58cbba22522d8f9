import { expect, it } from "vitest";
import { MODERN_SESSION } from "../../../src/tools/upstream/connect.ts";
import type { UpstreamTarget } from "../../../src/tools/upstream/exchange.ts";
import { SessionCache } from "../../../src/tools/upstream/session-cache.ts";
import { createRedactor } from "../../../src/sanitize/secrets.ts";
import { narrow } from "../../support/narrow.ts";

const target = (name: string, headers: Record<string, string> = {}): UpstreamTarget => ({
  name,
  url: `https://${name}.example/mcp`,
  headers,
  redactor: createRedactor([]),
});

it("keeps so many sessions, and gives up the one used longest ago", () => {
  narrow({ upstreamSessions: 2 });
  const cache = new SessionCache();
  const isKept = (): boolean[] => ["a", "b", "c"].map((name) => cache.get(target(name)) !== undefined);
  for (const name of ["a", "b"]) cache.set(target(name), MODERN_SESSION);
  expect(isKept()).toEqual([true, true, false]);
  cache.set(target("c"), MODERN_SESSION);
  expect(isKept()).toEqual([false, true, true]);
});

it("shares none between other credentials, and forgets one that is over but no newer one", () => {
  const cache = new SessionCache();
  const session = { ...MODERN_SESSION };
  cache.set(target("a", { authorization: "one" }), session);
  expect(cache.get(target("a", { authorization: "two" }))).toBeUndefined();
  cache.drop(target("a", { authorization: "one" }), MODERN_SESSION);
  expect(cache.get(target("a", { authorization: "one" }))).toBe(session);
  cache.drop(target("a", { authorization: "one" }), session);
  expect(cache.get(target("a", { authorization: "one" }))).toBeUndefined();
});
