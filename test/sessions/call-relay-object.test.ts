import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { callRelayStub } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import type { CallRelayStub } from "../../src/sessions/call-relay-contract.ts";
import { testEnv } from "../support/counting-env.ts";

const relay = (): CallRelayStub => callRelayStub(testEnv, { keyId: "k", sessionId: "s", requestId: 1 });
const stub = (): DurableObjectStub => relay() as unknown as DurableObjectStub;

const answer = (question: number) => ({ v: 1, kind: "answered", question, response: { result: {} } }) as const;

describe("CallRelay", () => {
  afterEach(async () => {
    vi.useRealTimers();
    await reset();
  });

  it("keeps a call's messages through evictions, for who comes back for them", async () => {
    await relay().open();
    await relay().append([{ seq: 1, text: "one" }], false);
    await evictDurableObject(stub());
    await relay().append([{ seq: 2, text: "two" }], true);
    await evictDurableObject(stub());
    const both = [
      { seq: 1, text: "one" },
      { seq: 2, text: "two" },
    ];
    expect(await relay().read(0)).toEqual({ v: 1, messages: both, done: true });
    expect(await relay().read(1)).toEqual({ v: 1, messages: [{ seq: 2, text: "two" }], done: true });
    expect(await relay().read(2)).toEqual({ v: 1, messages: [], done: true });
  });

  it("gives back a message that no single row could hold", async () => {
    const text = `!${"😀".repeat(1.5 * LIMITS.relayPartChars)}`;
    await relay().open();
    await relay().append([{ seq: 1, text }], true);
    expect((await relay().read(0))?.messages).toEqual([{ seq: 1, text }]);
  });

  it("wakes readers when there is something to read", async () => {
    await relay().open();
    const page = relay().read(0);
    await relay().append([{ seq: 1, text: "late" }], true);
    expect(await page).toEqual({ v: 1, messages: [{ seq: 1, text: "late" }], done: true });
  });

  it("hears of what the client does, in order, also before it listens", async () => {
    await relay().open();
    const answered = { v: 1, kind: "answered", question: 1, response: { result: {} } } as const;
    expect(await relay().deliver(answered)).toBe(true);
    expect(await relay().nextEvent(0)).toEqual({ ...answered, seq: 1 });
    const next = relay().nextEvent(1);
    await relay().deliver({ v: 1, kind: "cancelled" });
    expect(await next).toEqual({ v: 1, kind: "cancelled", seq: 2 });
  });

  it("forgets nothing that a client did when it is evicted, until that is heard", async () => {
    await relay().open();
    const answers = [1, 2].map((question) => ({ v: 1, kind: "answered", question, response: {} }) as const);
    for (const answer of answers) await relay().deliver(answer);
    await evictDurableObject(stub());
    const heard = [await relay().nextEvent(0), await relay().nextEvent(0)];
    await evictDurableObject(stub());
    heard.push(await relay().nextEvent(1));
    expect(heard).toEqual([1, 1, 2].map((seq) => ({ ...answers[seq - 1], seq })));
  });

  it("tells who listens again after the end that nothing more comes", async () => {
    await relay().open();
    await relay().append([{ seq: 1, text: "one" }], true);
    await evictDurableObject(stub());
    expect(await relay().nextEvent(0)).toEqual({ v: 1, kind: "closed" });
  });

  it.each([
    [LIMITS.relayAnswers - 1, LIMITS.relayAnswers - 1],
    [LIMITS.relayAnswers, LIMITS.relayAnswers],
    [LIMITS.relayAnswers + 1, LIMITS.relayAnswers],
  ])("keeps of %i answers %i, and a cancellation besides", async (sent, kept) => {
    await relay().open();
    for (let question = 1; question <= sent; question++) {
      await relay().deliver({ v: 1, kind: "answered", question, response: {} });
    }
    await relay().deliver({ v: 1, kind: "cancelled" });
    expect(await relay().nextEvent(kept)).toEqual({ v: 1, kind: "cancelled", seq: kept + 1 });
  });

  it("keeps a cancellation for a call that opens its relay a moment later", async () => {
    expect(await relay().deliver({ v: 1, kind: "cancelled" })).toBe(false);
    await relay().open();
    expect(await relay().nextEvent(0)).toEqual({ v: 1, kind: "cancelled", seq: 1 });
  });

  it.each([
    [LIMITS.earlyCancelMs - 1, "cancelled"],
    [LIMITS.earlyCancelMs, "answered"],
  ])(
    "keeps such a cancellation for a call that opens its relay %i ms later: it hears that it was %s",
    async (ms, kind) => {
      vi.useFakeTimers({ toFake: ["Date"] });
      await relay().deliver({ v: 1, kind: "cancelled" });
      vi.setSystemTime(Date.now() + ms);
      await relay().open();
      await relay().deliver(answer(1));
      expect((await relay().nextEvent(0)).kind).toBe(kind);
    },
  );

  it("holds so many answers that nobody took yet, the first ones, and a cancellation besides", async () => {
    await relay().open();
    for (let question = 1; question <= LIMITS.relayAnswers + 1; question++) await relay().deliver(answer(question));
    await relay().deliver({ v: 1, kind: "cancelled" });
    const taken: unknown[] = [];
    for (let heard = 0; heard <= LIMITS.relayAnswers; heard++) taken.push(await relay().nextEvent(heard));
    expect(taken).toEqual([
      ...Array.from({ length: LIMITS.relayAnswers }, (_, index) => ({ ...answer(index + 1), seq: index + 1 })),
      { v: 1, kind: "cancelled", seq: LIMITS.relayAnswers + 1 },
    ]);
  });

  it.each([
    [LIMITS.relayPageChars, [1, 2]],
    [LIMITS.relayPageChars + 1, [1]],
  ])("gives %i characters in a page of these messages", async (chars, seqs) => {
    await relay().open();
    // More than one part, which are no messages of their own.
    const first = 1.2 * LIMITS.relayPartChars;
    await relay().append(
      [
        { seq: 1, text: "x".repeat(first) },
        { seq: 2, text: "x".repeat(chars - first) },
      ],
      true,
    );
    expect((await relay().read(0))?.messages.map(({ seq }) => seq)).toEqual(seqs);
  });

  it("lives so long after its last message, within the time between two changes of its alarm", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const openedAtMs = Date.now();
    const alarmAfter = async (ms: number): Promise<number> => {
      vi.setSystemTime(openedAtMs + ms);
      await relay().append([{ seq: ms, text: "x" }], false);
      return runInDurableObject(stub(), async (_, { storage }) => ((await storage.getAlarm()) ?? 0) - openedAtMs);
    };
    await relay().open();
    expect(await alarmAfter(LIMITS.relayAlarmMs - 1)).toBe(LIMITS.relayLifeMs);
    expect(await alarmAfter(LIMITS.relayAlarmMs)).toBe(LIMITS.relayLifeMs + LIMITS.relayAlarmMs);
  });

  it("gives pages of bounded size, in order and to the end", async () => {
    await relay().open();
    const messages = Array.from({ length: 5 }, (_, index) => ({ seq: index + 1, text: "x".repeat(400_000) }));
    await relay().append(messages, true);
    const seen: number[] = [];
    for (let done = false; !done;) {
      const page = await relay().read(seen.at(-1) ?? 0);
      seen.push(...(page?.messages ?? []).map(({ seq }) => seq));
      done = page?.done ?? true;
      expect(page?.messages.length).toBeLessThan(5);
    }
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });

  it("lets only so many follow it: the newest", async () => {
    await relay().open();
    const first = relay().read(0);
    const others = Array.from({ length: LIMITS.relayReaders }, () => relay().read(0));
    expect(await first).toBeUndefined();
    await relay().append([{ seq: 1, text: "one" }], true);
    for (const page of await Promise.all(others)) expect(page?.messages).toEqual([{ seq: 1, text: "one" }]);
  });

  it("stores nothing for a call that never opened it, whatever is delivered", async () => {
    expect(await relay().deliver({ v: 1, kind: "cancelled" })).toBe(false);
    await relay().append([{ seq: 1, text: "stray" }], false);
    expect(await relay().read(0)).toBeUndefined();
    await runInDurableObject(stub(), (_, { storage }) => {
      expect([...storage.kv.list()]).toEqual([]);
    });
  });

  it("is forgotten by its alarm, and lets go of who waits", async () => {
    await relay().open();
    await relay().append([{ seq: 1, text: "one" }], false);
    const [page, event] = [relay().read(1), relay().nextEvent(0)];
    await relay().deliver({ v: 1, kind: "cancelled" });
    expect(await event).toEqual({ v: 1, kind: "cancelled", seq: 1 });
    expect(await runDurableObjectAlarm(stub())).toBe(true);
    await page;
    expect(await relay().read(0)).toBeUndefined();
  });

  it("begins anew for a request id that is used again", async () => {
    await relay().open();
    await relay().append([{ seq: 1, text: "old" }], true);
    await relay().open();
    await relay().append([{ seq: 1, text: "new" }], false);
    expect((await relay().read(0))?.messages).toEqual([{ seq: 1, text: "new" }]);
  });
});
