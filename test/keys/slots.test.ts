import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { SlotAnswer, SlotRequest } from "../../src/keys/key-record.ts";
import { SlotPool, type Leave } from "../../src/keys/slot-pool.ts";
import { holdSlots, type SlotTable } from "../../src/keys/slot-table.ts";
import { LIMITS } from "../../src/lib/limits.ts";

const ask = (holder: string, running: number, idle = 0, seq = 1): SlotRequest => ({ v: 1, holder, seq, running, idle });

/** A key's object as far as its slots go, and every request recorded. */
function createObject(limit: number, clock: { nowMs: number }) {
  let table: SlotTable = {};
  const requests: SlotRequest[] = [];
  const hold = async (request: SlotRequest): Promise<SlotAnswer> => {
    requests.push(request);
    const held = holdSlots(table, request, limit, clock.nowMs);
    table = held.table;
    return { v: 1, slots: held.slots, limit };
  };
  return { hold, requests };
}

describe("holdSlots", () => {
  it("gives what is asked for as far as others leave it", () => {
    const first = holdSlots({}, ask("a", 3), 5, 0);
    expect(first.slots).toBe(3);
    const second = holdSlots(first.table, ask("b", 3), 5, 0);
    expect(second.slots).toBe(2);
    expect(holdSlots(second.table, ask("c", 1), 5, 0).slots).toBe(0);
    expect(holdSlots(second.table, ask("a", 2, 0, 2), 5, 0).slots).toBe(2);
  });

  it("frees what is not heard of", () => {
    const { table } = holdSlots({}, ask("a", 5), 5, 0);
    expect(holdSlots(table, ask("b", 1), 5, LIMITS.slotLifeMs - 1).slots).toBe(0);
    expect(holdSlots(table, ask("b", 1), 5, LIMITS.slotLifeMs).slots).toBe(1);
  });

  it("keeps a quarter for next calls, over all holders together, and not for long", () => {
    const first = holdSlots({}, ask("a", 1, 9), 8, 0);
    expect(first.slots).toBe(1 + 2);
    expect(holdSlots(first.table, ask("b", 1, 9), 8, 0).slots).toBe(1);
    expect(holdSlots(first.table, ask("b", 7), 8, 0).slots).toBe(5);
    expect(holdSlots(first.table, ask("b", 7), 8, LIMITS.leaseLifeMs).slots).toBe(7);
    expect(holdSlots({}, ask("a", 1, 9), 3, 0).slots).toBe(1);
  });

  it("takes no notice of a request that was overtaken", () => {
    const { table } = holdSlots({}, ask("a", 1, 0, 7), 5, 0);
    const late = holdSlots(table, ask("a", 4, 0, 6), 5, 0);
    expect(late).toEqual({ table, slots: 1 });
  });
});

function setUp(limit: number) {
  const clock = { nowMs: 1_000_000 };
  const object = createObject(limit, clock);
  const background: Promise<unknown>[] = [];
  const isolate = () => {
    const pool = new SlotPool();
    return (hold = object.hold) =>
      pool.enter(
        hold,
        (work) => background.push(work),
        () => clock.nowMs,
      );
  };
  const settle = async (): Promise<void> => {
    while (background.length > 0) await Promise.all(background.splice(0));
  };
  return { ...object, clock, isolate, settle };
}

const leave = (entered: Leave | "full" | "unavailable" | undefined): void => {
  if (typeof entered !== "function") throw new Error(`no slot: ${entered}`);
  entered();
};

const fail = async (): Promise<SlotAnswer> => {
  throw new Error("unreachable");
};

describe("SlotPool", () => {
  it.each([1, 3, 8])("lets %i calls of one isolate run and tells the others to come again", async (limit) => {
    const { isolate, settle } = setUp(limit);
    const enter = isolate();
    const entered = await Promise.all(Array.from({ length: limit + 5 }, () => enter()));
    expect(entered.filter((slot) => slot === "full")).toHaveLength(5);
    leave(entered.find((slot) => typeof slot === "function"));
    await settle();
    expect(typeof (await enter())).toBe("function");
    expect(await enter()).toBe("full");
  });

  it("lets no more run in several isolates", async () => {
    const { isolate } = setUp(5);
    const enters = [isolate(), isolate(), isolate()];
    const entered = await Promise.all(enters.flatMap((enter) => [enter(), enter(), enter(), enter()]));
    expect(entered.filter((slot) => typeof slot === "function")).toHaveLength(5);
  });

  it("believes no answer that a later one overtook", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { hold, isolate, clock, settle } = setUp(1);
    const [enter, elsewhere] = [isolate(), isolate()];
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const late = enter(async (request) => {
      const answer = await hold(request);
      await held;
      return answer;
    });
    await vi.advanceTimersByTimeAsync(LIMITS.leaseTimeoutMs);
    expect(await late).toBe("unavailable");
    clock.nowMs += LIMITS.leaseTimeoutMs;
    leave(await enter());
    // What it told of its end is there: the slot is free for somebody else.
    await vi.advanceTimersByTimeAsync(0);
    expect(typeof (await elsewhere())).toBe("function");
    release();
    await settle();
    expect(await enter()).toBe("full");
  });

  it.each<[string, (answer: SlotAnswer) => Promise<SlotAnswer>]>([
    ["is lost", fail],
    ["never comes", () => new Promise(() => undefined)],
  ])("gives back the slot of a call that ended though the answer %s", async (_, lose) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { hold, isolate, clock } = setUp(1);
    const [enter, elsewhere] = [isolate(), isolate()];
    let isLost = false;
    const holdUnheard = async (request: SlotRequest): Promise<SlotAnswer> => {
      const answer = await hold(request);
      return isLost ? lose(answer) : answer;
    };
    const entered = await enter(holdUnheard);
    isLost = true;
    leave(entered);
    await vi.advanceTimersByTimeAsync(LIMITS.leaseTimeoutMs);
    clock.nowMs += LIMITS.leaseTimeoutMs;
    expect(typeof (await elsewhere())).toBe("function");
    expect(await enter()).toBe("full");
  });

  it("asks nobody for a call that follows another, where the limit leaves room to keep a slot", async () => {
    const { isolate, requests, settle } = setUp(4);
    const enter = isolate();
    leave(await enter());
    await settle();
    for (let call = 0; call < 20; call++) {
      const asked = requests.length;
      const entering = enter();
      // It is told in the background that the slot is used.
      expect(requests.slice(asked).map(({ running }) => running)).toEqual([1]);
      leave(await entering);
      await settle();
    }
  });

  it("does not wait to be heard where it keeps a slot", async () => {
    const { isolate, settle } = setUp(4);
    const enter = isolate();
    leave(await enter());
    await settle();
    leave(await enter(() => new Promise(() => undefined)));
  });

  it("keeps the slot of a call that takes long, and loses that of one that was cut off", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const { isolate, clock, settle } = setUp(1);
      const [here, there] = [isolate(), isolate()];
      const slot = await here();
      for (let step = 0; step < 6; step++) {
        clock.nowMs += LIMITS.slotRenewMs;
        vi.advanceTimersByTime(LIMITS.slotRenewMs);
        await settle();
        expect(await there()).toBe("full");
        clock.nowMs += LIMITS.denialFloorMs;
      }
      // Its context is gone, and with it what said that it runs.
      vi.clearAllTimers();
      clock.nowMs += LIMITS.slotLifeMs;
      expect(typeof (await there())).toBe("function");
      leave(slot);
    } finally {
      vi.useRealTimers();
    }
  });

  it("says so when the object can't be asked, and asks again", async () => {
    const { isolate } = setUp(2);
    const enter = isolate();
    expect(await enter(fail)).toBe("unavailable");
    expect(typeof (await enter())).toBe("function");
  });

  it("does not ask for every call while all slots are taken", async () => {
    const { isolate, requests } = setUp(1);
    const [here, there] = [isolate(), isolate()];
    await here();
    const asked = requests.length;
    for (let call = 0; call < 100; call++) expect(await there()).toBe("full");
    expect(requests.length).toBe(asked + 1);
  });
});
