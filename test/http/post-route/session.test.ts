import { expect, it } from "vitest";
import { revisionNamed } from "../../../src/protocol/revisions.ts";
import { sealSession } from "../../../src/protocol/session-id.ts";
import {
  COMPLETE,
  errorOf,
  MODERN,
  notification,
  openCaller,
  openGate,
  request,
  resultOf,
  LIST_TTL,
} from "../../support/app.ts";
import type { Gate, Caller } from "../../support/app.ts";

const SECRET = "the signing secret of these tests";

const sealFor = (key: string, expiresInMs: number): Promise<string> =>
  sealSession(
    { current: SECRET },
    {
      keyId: key.split("_")[1] ?? "",
      revision: revisionNamed("2025-06-18"),
      client: { name: "client", version: "1" },
      version: 0,
      changes: 0,
      abilities: { form: false, url: false, sampling: false, roots: false },
      expiresAtMs: Date.now() + expiresInMs,
    },
  );

/** The text with the character at `index` changed. */
const spoil = (text: string, index: number): string =>
  text.slice(0, index) + (text[index] === "A" ? "B" : "A") + text.slice(index + 1);

type MakeId = (caller: Gate & Caller) => Promise<string> | string;

const NOT_FOUND: [string, MakeId][] = [
  ["unknown", () => "deadbeef"],
  ["empty", () => ""],
  ["too long", () => "x".repeat(100_000)],
  ["another key's", async ({ caller, mint }) => caller(await mint()).openSession("2025-11-25")],
  ["spoilt in its payload", async ({ openSession }) => spoil(await openSession("2025-11-25"), 10)],
  [
    "spoilt in its MAC",
    async ({ openSession }) => openSession("2025-11-25").then((id) => spoil(id, id.indexOf(".") + 1)),
  ],
  ["without its MAC", async ({ openSession }) => (await openSession("2025-11-25")).split(".")[0] ?? ""],
  ["with more behind it", async ({ openSession }) => `${await openSession("2025-11-25")}.x`],
  ["over since a millisecond", ({ key }) => sealFor(key, -1)],
];

it.each(NOT_FOUND)("answers 404 for a session id that is %s", async (_, makeId) => {
  const caller = await openCaller(undefined, { SIGNING_SECRET: SECRET });
  const headers = { "mcp-session-id": await makeId(caller), "mcp-protocol-version": "2025-06-18" };
  const error = "Session not found: it is unknown or over. Send initialize again";
  expect(await caller.post(request("ping"), headers)).toEqual({ status: 404, body: errorOf(404, 1, error) });
  const uncorrelated = { status: 404, body: errorOf(404, null, error) };
  expect(await caller.post(notification("notifications/initialized"), headers)).toEqual(uncorrelated);
  expect(await caller.post([request("ping")], { ...headers, "mcp-protocol-version": undefined })).toEqual(uncorrelated);
});

it("takes a session until its end", async () => {
  const { key, post } = await openCaller(undefined, { SIGNING_SECRET: SECRET });
  const headers = { "mcp-session-id": await sealFor(key, 60_000) };
  expect(await post(request("ping"), headers)).toEqual({ status: 200, body: resultOf({}) });
});

it("needs no session", async () => {
  const { ask } = await openCaller();
  expect(await ask("2025-11-25", "ping")).toEqual({ status: 200, body: resultOf({}) });
});

it("does not look at a session id in the modern era", async () => {
  const { ask } = await openCaller([]);
  const answer = { status: 200, body: resultOf({ ...COMPLETE, tools: [], ttlMs: LIST_TTL, cacheScope: "public" }) };
  expect(await ask(MODERN, "tools/list", {}, { "mcp-session-id": "deadbeef" })).toEqual(answer);
});

it("speaks what the session settled, whatever a later header says", async () => {
  const { openSession, post } = await openCaller();
  const batches = { "mcp-session-id": await openSession("2025-03-26"), "mcp-protocol-version": "2025-11-25" };
  expect(await post([request("ping")], batches)).toEqual({ status: 200, body: [resultOf({})] });
  const none = { "mcp-session-id": await openSession("2025-11-25") };
  expect(await post([request("ping")], none)).toEqual({ status: 400, body: errorOf(-32600, null) });
});

it("holds in another isolate, and through a rotation of the signing secret", async () => {
  const { key, openSession } = await openCaller(undefined, { SIGNING_SECRET: SECRET });
  const headers = { "mcp-session-id": await openSession("2025-11-25") };
  const rotated = openGate(undefined, { SIGNING_SECRET: "the next one", SIGNING_SECRET_PREVIOUS: SECRET });
  expect(await rotated.caller(key).post(request("ping"), headers)).toEqual({ status: 200, body: resultOf({}) });
});
