import { expect, test } from "vitest";
import type { KeyView } from "../../src/console/api/keys-api.ts";
import {
  faultsOfKey,
  hasFaults,
  newKeyDraft,
  toKeyChange,
  toKeyDraft,
  toNewKey,
} from "../../src/console/views/keys/key-draft.ts";

const VIEW: KeyView = {
  id: "kaaaaaaaaaaaaaaa",
  name: "one",
  status: "active",
  urlKey: false,
  scopes: ["mcp"],
  createdAt: "2030-01-01T00:00:00.000Z",
  expiresAt: "2031-01-01T00:00:00.000Z",
  limits: {
    perMinute: 60,
    burst: 60,
    perDay: 500,
    tools: { "fetch_*": { perMinute: 6, burst: 2 }, tone: { perMinute: 1, burst: 1 } },
  },
  tools: { deny: ["qr_*"] },
};

test("a new key says what was filled in, and no more", () => {
  const draft = newKeyDraft();
  expect([
    toNewKey({ ...draft, name: " one " }),
    toNewKey({
      ...draft,
      name: "two",
      scopes: ["mcp", "admin:read"],
      burst: "5",
      perDay: "100",
      toolLimits: [{ glob: "fetch_*", perMinute: "6", burst: "" }],
      deny: "a_*\n b_*",
      urlKey: true,
    }),
  ]).toEqual([
    { name: "one", scopes: ["mcp"], limits: { perMinute: 60 } },
    {
      name: "two",
      scopes: ["mcp", "admin:read"],
      limits: { perMinute: 60, burst: 5, perDay: 100, tools: { "fetch_*": { perMinute: 6 } } },
      tools: { deny: ["a_*", "b_*"] },
      urlKey: true,
    },
  ]);
});

test("a change says what is another than before, and clears with null", () => {
  const before = toKeyDraft(VIEW);
  expect([
    toKeyChange(before, { ...before, scopes: [...before.scopes] }),
    toKeyChange(before, { ...before, perMinute: "90", perDay: "", expiresAt: "", deny: "", discovery: true }),
    toKeyChange(before, { ...before, name: "other", allow: "tone", scopes: ["admin"] }),
    toKeyChange(before, {
      ...before,
      toolLimits: [
        { glob: "fetch_*", perMinute: "6", burst: "" },
        { glob: "new_*", perMinute: "3", burst: "1" },
      ],
    }),
  ]).toEqual([
    {},
    { limits: { perMinute: 90, perDay: null }, tools: { deny: null }, expiresAt: null, discovery: true },
    { name: "other", scopes: ["admin"], tools: { allow: ["tone"] } },
    {
      limits: { tools: { tone: null, "fetch_*": { perMinute: 6, burst: null }, "new_*": { perMinute: 3, burst: 1 } } },
    },
  ]);
});

test("a form's faults are told before anything is sent", () => {
  const draft = { ...newKeyDraft(), name: "one" };
  const limit = { glob: "a", perMinute: "1", burst: "" };
  expect([
    faultsOfKey(draft),
    faultsOfKey({ ...draft, name: " ", scopes: [], perMinute: "", perDay: "1.5" }),
    faultsOfKey({ ...draft, toolLimits: [{ ...limit, perMinute: "0" }] }),
    faultsOfKey({ ...draft, toolLimits: [limit, { ...limit, glob: " a" }] }),
  ]).toEqual([
    { numbers: {} },
    {
      name: expect.any(String),
      scopes: expect.any(String),
      numbers: { perMinute: expect.any(String), perDay: expect.any(String) },
    },
    { numbers: {}, toolLimits: expect.stringContaining("whole number") },
    { numbers: {}, toolLimits: expect.stringContaining("same glob") },
  ]);
  expect([
    hasFaults({ numbers: {} }),
    hasFaults({ numbers: { burst: "x" } }),
    hasFaults({ numbers: {}, name: "x" }),
  ]).toEqual([false, true, true]);
});
