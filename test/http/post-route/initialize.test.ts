import { expect, it } from "vitest";
import {
  CLIENT,
  errorOf,
  META,
  MODERN,
  modernHeaders,
  openCaller,
  openGate,
  request,
  resultOf,
} from "../../support/app.ts";
import type { Caller, HeaderFields } from "../../support/app.ts";
import { countingEnv } from "../../support/counting-env.ts";

const NAME = { name: "toolgate", version: "0.1.0" };
const TITLED = { ...NAME, title: "toolgate" };

const initialize = (protocolVersion: unknown) =>
  request("initialize", { protocolVersion, capabilities: {}, clientInfo: CLIENT });

async function shakeHands({ send }: Caller, message: object, headers?: HeaderFields) {
  const response = await send(message, headers);
  return { status: response.status, session: response.headers.has("mcp-session-id"), body: await response.json() };
}

it.each([
  ["2024-11-05", "2024-11-05", NAME],
  ["2025-03-26", "2025-03-26", NAME],
  ["2025-06-18", "2025-06-18", TITLED],
  ["2025-11-25", "2025-11-25", TITLED],
  ["2026-07-28", "2025-11-25", TITLED],
  ["2099-01-01", "2025-11-25", TITLED],
  ["1.0", "2025-11-25", TITLED],
  ["", "2025-11-25", TITLED],
])("asked for %j agrees on %s", async (asked, protocolVersion, serverInfo) => {
  const caller = await openCaller();
  expect(await shakeHands(caller, initialize(asked))).toEqual({
    status: 200,
    session: true,
    body: resultOf({ protocolVersion, capabilities: { tools: { listChanged: true }, logging: {} }, serverInfo }),
  });
});

it.each<HeaderFields>([
  { "mcp-protocol-version": MODERN },
  { "mcp-protocol-version": "2099-01-01" },
  { "mcp-protocol-version": "2024-11-05" },
  { "mcp-method": "initialize" },
  { "mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "x" },
  { "mcp-session-id": "deadbeef" },
])("does not look at %j", async (headers) => {
  const caller = await openCaller();
  expect(await shakeHands(caller, initialize("2025-06-18"), headers)).toEqual({
    status: 200,
    session: true,
    body: resultOf({
      protocolVersion: "2025-06-18",
      capabilities: { tools: { listChanged: true }, logging: {} },
      serverInfo: TITLED,
    }),
  });
});

it("does not exist in the modern era", async () => {
  const caller = await openCaller();
  const message = request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: CLIENT,
    _meta: META,
  });
  expect(await shakeHands(caller, message, modernHeaders("initialize"))).toEqual({
    status: 404,
    session: false,
    body: errorOf(-32601, 1, "Method not found: initialize"),
  });
});

it.each([undefined, null, 20250618, ["2025-06-18"]])("refuses the version %j and opens no session", async (version) => {
  const caller = await openCaller();
  const body = errorOf(-32602, 1, 'Invalid params: "protocolVersion" must be a string');
  expect(await shakeHands(caller, initialize(version))).toEqual({ status: 200, session: false, body });
});

it("takes whatever a client says of itself", async () => {
  const caller = await openCaller();
  for (const clientInfo of [undefined, null, "x", [], { name: 1 }, { name: "é".repeat(10_000), version: "\n" }]) {
    const message = request("initialize", { protocolVersion: "2025-06-18", clientInfo });
    expect((await shakeHands(caller, message)).session).toBe(true);
  }
});

it("gives every session an id of its own, in visible ASCII", async () => {
  const { openSession } = await openCaller();
  const ids = [await openSession("2025-11-25"), await openSession("2025-11-25")];
  expect(new Set(ids).size).toBe(2);
  for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]{64,1024}$/);
});

it("stores nothing: a hundred sessions only read, and pay with the key's leases", async () => {
  const { env, calls } = countingEnv();
  const caller = openGate([], env).caller(await openGate().mint({ limits: { perMinute: 6_000 } }));
  for (let session = 0; session < 100; session++) await caller.openSession("2025-06-18");
  const others = calls.filter(({ method }) => method !== "lease" && method !== "readSnapshot");
  expect([others, calls.length < 20]).toEqual([[], true]);
});

it("opens a session for no other method", async () => {
  const { openSession, send } = await openCaller();
  const headers = { "mcp-session-id": await openSession("2025-11-25") };
  const response = await send(request("ping"), headers);
  expect([response.status, response.headers.has("mcp-session-id")]).toEqual([200, false]);
});
