import { expect, it } from "vitest";
import { openGate } from "../support/app.ts";

// What comes with any asset.
const OF_ASSETS = ["etag", "cf-cache-status", "content-length"];

it.each(["/console", "/console/", "/console/index.html"])(
  "serves the console at %s under its headers",
  async (path) => {
    const response = await openGate().fetch(path);
    const headers = Object.fromEntries([...response.headers].filter(([name]) => !OF_ASSETS.includes(name)));
    expect([response.status, headers, (await response.text()).slice(0, 15)]).toEqual([
      200,
      {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-cache",
        "content-security-policy": [
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "connect-src 'self' wss://gate.example",
          "img-src 'self' data: blob:",
          "media-src data: blob:",
          "base-uri 'none'",
          "form-action 'none'",
          "frame-ancestors 'none'",
          "require-trusted-types-for 'script'",
        ].join("; "),
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      },
      "<!doctype html>",
    ]);
  },
);

it.each([
  ["/console/console.js", "text/javascript; charset=utf-8"],
  ["/console/console.css", "text/css; charset=utf-8"],
])("serves %s, and says when it is the same still", async (path, type) => {
  const { fetch } = openGate();
  const first = await fetch(path);
  await first.body?.cancel();
  const etag = first.headers.get("etag") ?? "";
  const second = await fetch(path, { headers: { "if-none-match": etag } });
  expect([first.status, first.headers.get("content-type"), second.status]).toEqual([200, type, 304]);
});

it("serves files to nobody by another path", async () => {
  const { fetch } = openGate();
  const statuses = await Promise.all(
    ["/index.html", "/console.js", "/console/nothing.js", "/assets/console/console.js"].map(
      async (path) => (await fetch(path)).status,
    ),
  );
  expect(statuses).toEqual([404, 404, 404, 404]);
});

it("has no console where its files are not bound", async () => {
  const response = await openGate([], { ASSETS: undefined }).fetch("/console/");
  expect(response.status).toBe(404);
});
