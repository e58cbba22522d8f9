import { describe, expect, it } from "vitest";
import type { Env } from "../../src/env.ts";
import { errorOf, openGate, readAnswer, unreadStream } from "../support/app.ts";

const HEALTHY = { status: 200, body: { status: "ok", name: "toolgate", version: "0.1.0" } };
const refused = (what: "host" | "origin") => ({
  status: 403,
  body: errorOf(403, null, `Forbidden: this ${what} is not allowed`),
});

const look = async (url: string, origin: string | undefined, bindings: Partial<Env> = {}) =>
  readAnswer(await openGate([], bindings).fetch(url, { headers: origin === undefined ? {} : { origin } }));

describe("Origin", () => {
  const ALLOWED_ORIGINS = "https://app.example, http://tools.example:8080 https://three.example";

  it.each([
    ["https://gate.example/healthz", undefined],
    ["https://gate.example/healthz", "https://gate.example"],
    ["https://gate.example:8443/healthz", "https://gate.example:8443"],
    ["https://gate.example/healthz", "https://app.example"],
    ["https://gate.example/healthz", "http://tools.example:8080"],
    ["https://gate.example/healthz", "https://three.example"],
    ["http://localhost:8787/healthz", "http://localhost:8787"],
    ["http://localhost:8787/healthz", "http://127.0.0.1:6274"],
    ["http://127.0.0.1:8787/healthz", "http://localhost:3000"],
    ["http://[::1]:8787/healthz", "https://[::1]"],
  ])("%s may be asked from %s", async (url, origin) => {
    expect(await look(url, origin, { ALLOWED_ORIGINS })).toEqual(HEALTHY);
  });

  it.each([
    ["https://gate.example/healthz", "https://evil.example"],
    ["https://gate.example/healthz", "http://gate.example"],
    ["https://gate.example/healthz", "https://gate.example:8443"],
    ["https://gate.example/healthz", "https://gate.example.evil.example"],
    ["https://gate.example/healthz", "https://sub.gate.example"],
    ["https://gate.example/healthz", "https://app.example:444"],
    ["https://gate.example/healthz", "http://app.example"],
    ["https://gate.example/healthz", "https://app.example/"],
    ["https://gate.example/healthz", "https://app.example,https://gate.example"],
    ["https://gate.example/healthz", "null"],
    ["https://gate.example/healthz", ""],
    ["https://gate.example/healthz", "http://localhost:3000"],
    ["https://gate.example/healthz", "http://127.0.0.1"],
    ["http://localhost:8787/healthz", "http://localhost.evil.example"],
    ["http://localhost:8787/healthz", "https://evil.example"],
    ["http://localhost:8787/healthz", "http://127.0.0.2"],
    ["http://localhost:8787/healthz", "null"],
    ["http://localhost:8787/healthz", "chrome-extension://localhost"],
    ["http://localhost:8787/healthz", "capacitor://localhost"],
    ["http://localhost:8787/healthz", "http://evil.example@localhost"],
    ["http://localhost:8787/healthz", "http://localhost:3000/path"],
  ])("%s must not be asked from %j", async (url, origin) => {
    expect(await look(url, origin, { ALLOWED_ORIGINS })).toEqual(refused("origin"));
  });

  it("counts on every route, before anything is read", async () => {
    const gate = openGate();
    for (const path of ["/mcp", "/k/key/mcp", "/admin/v1/keys", "/register", "/nowhere"]) {
      const init = { method: "POST", headers: { origin: "https://evil.example" }, body: unreadStream() };
      expect(await readAnswer(await gate.fetch(path, init))).toEqual(refused("origin"));
    }
  });
});

describe("Host", () => {
  const ALLOWED_HOSTS = "gate.example, localhost:8787 127.0.0.1";

  it.each([
    "https://gate.example/healthz",
    "https://gate.example:8443/healthz",
    "https://GATE.example/healthz",
    "http://localhost:8787/healthz",
    "http://127.0.0.1:1234/healthz",
  ])("%s is served", async (url) => {
    expect(await look(url, undefined, { ALLOWED_HOSTS })).toEqual(HEALTHY);
  });

  it.each([
    "https://evil.example/healthz",
    "https://sub.gate.example/healthz",
    "https://gate.example.evil.example/healthz",
    "http://localhost:8788/healthz",
    "http://127.0.0.2/healthz",
  ])("%s is not", async (url) => {
    expect(await look(url, undefined, { ALLOWED_HOSTS })).toEqual(refused("host"));
    expect(await look(url, new URL(url).origin, { ALLOWED_HOSTS })).toEqual(refused("host"));
  });
});
