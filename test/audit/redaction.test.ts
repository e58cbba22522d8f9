// What `AUDIT_ARGUMENTS = "clear"` keeps of arguments: whatever is sent, one line that hides nothing and tells no secret.

import { describe, expect, it } from "vitest";
import { noteArguments } from "../../src/audit/arguments-note.ts";
import { redactJson } from "../../src/audit/redaction.ts";
import { LIMITS } from "../../src/lib/limits.ts";

const kept = (value: unknown): unknown => JSON.parse(redactJson(JSON.stringify(value)));

/** An API key by its shape, which nobody minted. */
const KEY = `tg_k${"a2".repeat(7)}a_${"b3".repeat(20)}`;
const ADMIN_KEY = `tga_${"Ab3-_".repeat(8)}`;

describe("a secret", () => {
  it.each<[string, unknown, unknown]>([
    [
      "by its name",
      { password: "x", Pwd: 1, apiKey: ["x"], n: null },
      { password: "[redacted]", Pwd: "[redacted]", apiKey: "[redacted]", n: null },
    ],
    [
      "by a name with what nobody sees",
      { "pass\u200Bword": "x", "to\u0000ken": 1 },
      { "pass\u200Bword": "[redacted]", "to\u0000ken": "[redacted]" },
    ],
    ["deep down", { a: [{ b: { access_token: "x" } }] }, { a: [{ b: { access_token: "[redacted]" } }] }],
    ["that is not there", { token: null }, { token: null }],
    [
      "named beside it",
      [
        { name: "Authorization", value: "x" },
        { key: "cookie", Value: 7 },
      ],
      [
        { name: "Authorization", value: "[redacted]" },
        { key: "cookie", Value: "[redacted]" },
      ],
    ],
    ["that is an API key", [KEY, `a ${KEY}.`, { [KEY]: 1 }], ["[key]", "a [key].", { "[key]": 1 }]],
    [
      "that is an API key, broken up",
      [KEY.replace("_", "_\u200B"), `${KEY.slice(0, 9)}\u0007${KEY.slice(9)}`],
      ["[key]", "[key]"],
    ],
    ["that is an API key in a name, broken up", { [`x${KEY.slice(0, 9)}\u202E${KEY.slice(9)}`]: 1 }, { "x[key]": 1 }],
    ["that is a deployment's own key", [ADMIN_KEY, `key=${ADMIN_KEY.replace("_", "%5F")}`], ["[key]", "key=[key]"]],
    ["that is an API key in another spelling", [KEY.toUpperCase(), KEY.replaceAll("_", "%5f")], ["[key]", "[key]"]],
    [
      "after its name",
      [
        "https://h.example/?api_key=abc&q=1&token=d",
        '{"password": "hunter2", "q": 1}',
        "Server=x;Password=hunter2;Port=1",
      ],
      [
        "https://h.example/?api_key=[redacted]&q=1&token=[redacted]",
        '{"password": "[redacted]", "q": 1}',
        "Server=x;Password=[redacted];Port=1",
      ],
    ],
    ["in JSON inside JSON", JSON.stringify({ note: '{"token":"abc"}' }), '{"note":"{\\"token\\":\\"[redacted]\\"}"}'],
    ["by a short name", { creds: "x", pw: "y" }, { creds: "[redacted]", pw: "[redacted]" }],
    ["of a scheme", "curl -H 'Authorization: Bearer abcdef12345'", "curl -H 'Authorization: [redacted]'"],
    ["that is a JWT", "eyJhbGciOiJI.eyJzdWIi.c2ln x", "[redacted] x"],
    ["that is a private key", "-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- x", "[redacted] x"],
    ["that is a private key, cut off", "-----BEGIN PRIVATE KEY-----\nMII", "[redacted]"],
    ["in a URL", "postgres://user:hunter2@db.example/x", "postgres://[redacted]@db.example/x"],
    [
      "of a provider",
      "ghp_0123456789abcdef0123 sk-proj-0123456789ab sk_live_0123456789ab AKIA0123456789ABCDEF",
      "[redacted] [redacted] [redacted] [redacted]",
    ],
  ])("%s is not kept", (_, value, expected) => {
    expect(kept(value)).toEqual(expected);
  });

  it.each([
    "Bearer authentication explained",
    "basic instructions",
    "https://a.example/b:c@d",
    "sk-learn-is-a-library",
    "a tokenizer",
    "tg_short",
  ])("is not seen in %j", (text) => {
    expect(kept({ text })).toEqual({ text });
  });
});

it("what nobody sees is told in escapes, and means what it did", () => {
  const value = { "a\u202E": "\u001B[2J\u0085\u200B\u{E0041}\u2028\uD800x", b: "é🙂" };
  const text = redactJson(JSON.stringify(value));
  expect([/[^\x20-\x7Eé🙂]/u.test(text), JSON.parse(text)]).toEqual([false, value]);
});

it("names that prototypes have are data", () => {
  const text = '{"__proto__":{"password":"x"},"constructor":1}';
  expect(redactJson(text)).toBe('{"__proto__":{"password":"[redacted]"},"constructor":1}');
  expect("password" in {}).toBe(false);
});

it.each([
  ["-eyJaaaaaaaa", "-eyJaaaaaaaa"],
  ["-sk-", "-sk-"],
  ["token:", "token:"],
  ["token\\ = ", "token\\"],
  ["tga_", "[key]"],
  ["tg_k", "tg_k"],
  ["bearer ", "bearer "],
  ["a://b:c", "a://b:c"],
  [":a", ":a"],
  ["-----BEGIN PRIVATE KEY", "[redacted]"],
])("a megabyte of %j is read in no time to speak of, and cut", async (piece, start) => {
  const text = JSON.stringify({ a: piece.repeat(Math.floor(1_000_000 / piece.length)) });
  const { arguments: told = "" } = await noteArguments(text, "clear");
  expect([told.startsWith(`{"a":"${start}`), told.length <= LIMITS.auditArgumentsChars + 1]).toEqual([true, true]);
});

it("a secret at the place of the cut is gone before it is cut", async () => {
  const rest = LIMITS.auditArgumentsChars - '{"a":"'.length - 20;
  const { arguments: told = "" } = await noteArguments(JSON.stringify({ a: `${"x".repeat(rest)} ${KEY}` }), "clear");
  expect([told.includes(KEY.slice(0, 10)), told.includes("[key]")]).toEqual([false, true]);
});
