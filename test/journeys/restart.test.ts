import { expect, onTestFinished, test } from "vitest";
import { prepareMachine, startDevProcess, type DevProcess } from "./support/dev-process.ts";
import { openStream, type EventStream } from "./support/event-stream.ts";
import { openListener, type Listener } from "./support/listeners.ts";
import { calculate, openHttpSession, post, request, toolNames } from "./support/rpc.ts";
import { within } from "./support/within.ts";

const DROPPED_WITHIN_MS = 5_000;
const TIMEOUT_MS = 120_000;

// A start takes seconds: what can be seen after one kill is looked at together.

test(
  "a kill right after an answer loses nothing that was answered; sessions over WebSocket and /sse are dropped, and the next begin with it, and hear of changes",
  async () => {
    const machine = await prepareMachine();
    const before = await startDevProcess(machine);
    const endpoint = before.endpoint();
    const { key } = await before.mintKey();
    // A token takes a minute to flow in, more than the test takes.
    const spent = await before.mintKey({ limits: { perMinute: 1, burst: 10 } });
    const daily = await before.mintKey({ limits: { perMinute: 6_000, perDay: 30 } });
    const session = await openHttpSession(endpoint, key);
    const dropped = await openBoth(before);
    const ofTheDay = await Promise.all(Array.from({ length: 25 }, () => post(endpoint, daily.key, calculate("1"))));
    const paid = await Promise.all(Array.from({ length: 10 }, () => post(endpoint, spent.key, calculate("1"))));
    const revoked = await before.mintKey();
    await before.admin("DELETE", `/keys/${revoked.id}`);
    // Answered, but published only later: the kill comes in between.
    const version = await before.switchTool("tone", false);
    await before.kill();
    for (const { ended } of dropped) await within(DROPPED_WITHIN_MS, "end of the session", ended);

    const after = await startDevProcess(machine);
    const { body: catalogue } = await after.admin("GET", "/tools");
    const { body: list } = await post(endpoint, key, request("tools/list"), session);
    const { body: call } = await post(endpoint, key, request("tools/call", { name: "tone" }), session);
    const unpaid = await post(endpoint, spent.key, calculate("1"));
    const rest = await Promise.all(Array.from({ length: 25 }, () => post(endpoint, daily.key, calculate("1"))));
    const day = await after.admin("GET", `/keys/${daily.id}`);
    const admitted = [...ofTheDay, ...rest].filter(({ status }) => status === 200).length;
    const shut = await post(endpoint, revoked.key, request("ping"));
    const withoutTone = (await after.toolNames()).filter((name) => name !== "tone");
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
      tools: withoutTone,
      call: -32602,
      unpaid: 429,
      shut: 401,
      usedToday: 30,
      admitted: true,
    });

    const listeners = await openBoth(after);
    for (const listener of listeners) expect(await listener.list()).toEqual(withoutTone);
    const heard = listeners.map((listener) => listener.heard().length);
    await after.switchTool("tone", true);
    await Promise.all(listeners.map((listener, i) => listener.hear((heard[i] ?? 0) + 1)));
    for (const listener of listeners) expect(await listener.list()).toEqual(await after.toolNames());
  },
  TIMEOUT_MS,
);

test(
  "GET streams and a subscription opened again after a kill are told once of the change that it kept from them",
  async () => {
    const machine = await prepareMachine();
    const before = await startDevProcess(machine);
    const { key } = await before.mintKey();
    const session = await openHttpSession(before.endpoint(), key);
    const dropped = await openListener("subscriptions/listen", before);
    const stream = await listen(before.endpoint(), key, session);
    await before.switchTool("tone", false);
    const heard = await stream.next();
    // Another session, which begins with the list of this change.
    await post(before.endpoint(), key, request("tools/list"), session);
    const laterSession = await openHttpSession(before.endpoint(), key);
    const missed = await before.switchTool("calculate", false);
    await before.kill();
    await within(DROPPED_WITHIN_MS, "end of the subscription", dropped.ended);

    const after = await startDevProcess(machine);
    const streams = [
      await listen(after.endpoint(), key, { ...session, "last-event-id": heard?.id ?? "" }),
      await listen(after.endpoint(), key, laterSession),
    ];
    // Once these are told, the hub has nothing left to publish to those that come later.
    const told = await nextIds(streams);
    // A client without a session has no place to go on from: what happened within the last minute is news to it.
    const subscription = await openListener("subscriptions/listen", after);
    await subscription.hear(1);
    const { body: list } = await post(after.endpoint(), key, request("tools/list"), session);
    const lists = [toolNames(list), await subscription.list()];
    const next = await after.switchTool("calculate", true);
    const toldNext = await nextIds(streams);
    await subscription.hear(2);
    lists.push(await subscription.list());
    const withCalculate = (await after.toolNames()).filter((name) => name !== "tone");
    const without = withCalculate.filter((name) => name !== "calculate");
    expect({ told, toldNext, heard: subscription.heard().length, lists }).toEqual({
      told: [`v.${missed}`, `v.${missed}`],
      toldNext: [`v.${next}`, `v.${next}`],
      heard: 2,
      lists: [without, without, withCalculate],
    });
  },
  TIMEOUT_MS,
);

const openBoth = async (server: DevProcess): Promise<Listener[]> => [
  await openListener("WebSocket", server),
  await openListener("/sse", server),
];

const nextIds = (streams: EventStream[]): Promise<(string | undefined)[]> =>
  Promise.all(streams.map(async ({ next }) => (await next())?.id));

async function listen(endpoint: URL, key: string, headers: Record<string, string>): Promise<EventStream> {
  const stream = await openStream(endpoint, {
    headers: { authorization: `Bearer ${key}`, accept: "text/event-stream", ...headers },
  });
  onTestFinished(stream.close);
  return stream;
}
