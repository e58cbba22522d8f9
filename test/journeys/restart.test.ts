import { expect, onTestFinished, test } from "vitest";
import { prepareMachine, startDevProcess } from "./support/dev-process.ts";
import { calculate, openHttpSession, post, request, toolNames } from "./support/rpc.ts";
import { toSocketUrl } from "./support/server.ts";
import { openSession, type Socket } from "./support/socket.ts";

const CHANGE_WITHIN_MS = 2_000;

test("a kill right after an answer loses nothing that was answered", async () => {
  const machine = await prepareMachine();
  const before = await startDevProcess(machine);
  const endpoint = new URL("/mcp", before.url);
  const { key } = await before.mintKey();
  // A token takes a minute to flow in, more than the test takes.
  const spent = await before.mintKey({ limits: { perMinute: 1, burst: 10 } });
  const daily = await before.mintKey({ limits: { perMinute: 6_000, perDay: 30 } });
  const session = await openHttpSession(endpoint, key);
  const ofTheDay = await Promise.all(Array.from({ length: 25 }, () => post(endpoint, daily.key, calculate("1"))));
  const paid = await Promise.all(Array.from({ length: 10 }, () => post(endpoint, spent.key, calculate("1"))));
  const revoked = await before.mintKey();
  await before.admin("DELETE", `/keys/${revoked.id}`);
  const version = await before.switchTool("tone", false);
  await before.kill();

  const after = await startDevProcess(machine);
  const { body: catalogue } = await after.admin("GET", "/tools");
  const { body: list } = await post(endpoint, key, request("tools/list"), session);
  const { body: call } = await post(endpoint, key, request("tools/call", { name: "tone" }), session);
  const unpaid = await post(endpoint, spent.key, calculate("1"));
  const rest = await Promise.all(Array.from({ length: 25 }, () => post(endpoint, daily.key, calculate("1"))));
  const day = await after.admin("GET", `/keys/${daily.id}`);
  const admitted = [...ofTheDay, ...rest].filter(({ status }) => status === 200).length;
  const shut = await post(endpoint, revoked.key, request("ping"));
  expect({
    paid: paid.map(({ status }) => status),
    version: Number(catalogue["version"]) >= version,
    tools: toolNames(list),
    call: call.error?.code,
    unpaid: unpaid.status,
    shut: shut.status,
    usedToday: day.body["usedToday"],
    // What was prepaid when the runtime was killed is forfeited: a twentieth of what was left.
    admitted: admitted >= 28 && admitted <= 30,
  }).toEqual({
    paid: Array.from({ length: 10 }, () => 200),
    version: true,
    tools: (await after.toolNames()).filter((name) => name !== "tone"),
    call: -32602,
    unpaid: 429,
    shut: 401,
    usedToday: 30,
    admitted: true,
  });
});

test("sockets are dropped by a kill, and those opened after it hear of changes again", async () => {
  const machine = await prepareMachine();
  const before = await startDevProcess(machine);
  const { key } = await before.mintKey();
  const offer = { headers: { authorization: `Bearer ${key}` } };
  const endpoint = toSocketUrl(new URL("/mcp", before.url));
  const dropped = await openSession(endpoint, offer);
  // Answered, but published only later: the kill comes in between.
  await before.switchTool("tone", false);
  await before.kill();
  expect(await dropped.closed).toMatchObject({ code: 1006 });

  const after = await startDevProcess(machine);
  const socket = await openSession(endpoint, offer);
  onTestFinished(() => socket.close());
  const heard = changesHeard(socket);
  await after.switchTool("tone", true);
  await socket.until("list_changed", () => (changesHeard(socket) > heard ? true : undefined), CHANGE_WITHIN_MS);
  expect(toolNames(await socket.ask("tools/list"))).toContain("tone");
});

const changesHeard = ({ received }: Socket): number =>
  received.filter(({ method }) => method === "notifications/tools/list_changed").length;
