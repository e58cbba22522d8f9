import { expect, onTestFinished, test } from "vitest";
import { prepareMachine, startDevProcess } from "./support/dev-process.ts";
import { openStream, type EventStream } from "./support/event-stream.ts";
import { openListener } from "./support/listeners.ts";
import { calculate, openHttpSession, post, request, toolNames } from "./support/rpc.ts";
import { within } from "./support/within.ts";

const DROPPED_WITHIN_MS = 5_000;

test("a kill right after an answer loses nothing that was answered", async () => {
  const machine = await prepareMachine();
  const before = await startDevProcess(machine);
  const endpoint = before.endpoint();
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

test.each(["WebSocket", "/sse"] as const)(
  "a session over %s is dropped by a kill; the next begins with what was answered, and hears of changes",
  async (way) => {
    const machine = await prepareMachine();
    const before = await startDevProcess(machine);
    const dropped = await openListener(way, before);
    // Answered, but published only later: the kill comes in between.
    await before.switchTool("tone", false);
    await before.kill();
    await within(DROPPED_WITHIN_MS, "end of the session", dropped.ended);

    const after = await startDevProcess(machine);
    const listener = await openListener(way, after);
    expect(await listener.list()).toEqual((await after.toolNames()).filter((name) => name !== "tone"));
    const heard = listener.heard().length;
    await after.switchTool("tone", true);
    await listener.hear(heard + 1);
    expect(await listener.list()).toEqual(await after.toolNames());
  },
);

test("GET streams opened again after a kill are told once of the change that it kept from them", async () => {
  const machine = await prepareMachine();
  const before = await startDevProcess(machine);
  const { key } = await before.mintKey();
  const session = await openHttpSession(before.endpoint(), key);
  const stream = await listen(before.endpoint(), key, session);
  await before.switchTool("tone", false);
  const heard = await stream.next();
  // Another session, which begins with the list of this change.
  await post(before.endpoint(), key, request("tools/list"), session);
  const laterSession = await openHttpSession(before.endpoint(), key);
  const missed = await before.switchTool("calculate", false);
  await before.kill();

  const after = await startDevProcess(machine);
  const streams = [
    await listen(after.endpoint(), key, { ...session, "last-event-id": heard?.id ?? "" }),
    await listen(after.endpoint(), key, laterSession),
  ];
  const told = await nextIds(streams);
  const { body: list } = await post(after.endpoint(), key, request("tools/list"), session);
  const next = await after.switchTool("calculate", true);
  expect({ told, tools: toolNames(list), toldNext: await nextIds(streams) }).toEqual({
    told: [`v.${missed}`, `v.${missed}`],
    tools: (await after.toolNames()).filter((name) => !["tone", "calculate"].includes(name)),
    toldNext: [`v.${next}`, `v.${next}`],
  });
});

test("a subscription opened after a kill is told once of the change that it kept from its client", async () => {
  const machine = await prepareMachine();
  const before = await startDevProcess(machine);
  const { key } = await before.mintKey();
  const session = await openHttpSession(before.endpoint(), key);
  const dropped = await openListener("subscriptions/listen", before);
  const missed = await before.switchTool("tone", false);
  await before.kill();
  await within(DROPPED_WITHIN_MS, "end of the subscription", dropped.ended);

  const after = await startDevProcess(machine);
  // Once this stream is told, the hub has nothing left to publish to those that come later.
  const stream = await listen(after.endpoint(), key, session);
  const told = await nextIds([stream]);
  // A client without a session has no place to go on from: what happened within the last minute is news to it.
  const subscription = await openListener("subscriptions/listen", after);
  await subscription.hear(1);
  const list = await subscription.list();
  const next = await after.switchTool("tone", true);
  told.push(...(await nextIds([stream])));
  await subscription.hear(2);
  const lists = [list, await subscription.list()];
  const all = await after.toolNames();
  expect({ told, heard: subscription.heard().length, lists }).toEqual({
    told: [`v.${missed}`, `v.${next}`],
    heard: 2,
    lists: [all.filter((name) => name !== "tone"), all],
  });
});

const nextIds = (streams: EventStream[]): Promise<(string | undefined)[]> =>
  Promise.all(streams.map(async ({ next }) => (await next())?.id));

async function listen(endpoint: URL, key: string, headers: Record<string, string>): Promise<EventStream> {
  const stream = await openStream(endpoint, {
    headers: { authorization: `Bearer ${key}`, accept: "text/event-stream", ...headers },
  });
  onTestFinished(stream.close);
  return stream;
}
