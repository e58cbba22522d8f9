// The running side of a call's relay, before a relay that is out of reach for a while.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { CallLink } from "../../src/sessions/call-link.ts";
import type { CallRelayStub, RelayedMessage, RelayEvent } from "../../src/sessions/call-relay-contract.ts";

const overloaded = (): Error => Object.assign(new Error("overloaded"), { overloaded: true });

/** A relay that has too much to do for the next so many calls of each method, and what it was given since. */
function busyRelay(busy: { open?: number; append?: number; nextEvent?: number }) {
  const left = { open: 0, append: 0, nextEvent: 0, ...busy };
  const kept: RelayedMessage[] = [];
  const heard: number[] = [];
  const work = (method: keyof typeof left): void => {
    if (left[method]-- > 0) throw overloaded();
  };
  const stub: Partial<CallRelayStub> = {
    open: async () => work("open"),
    append: async (messages) => {
      work("append");
      kept.push(...messages);
    },
    nextEvent: async (seq): Promise<RelayEvent> => {
      heard.push(seq);
      work("nextEvent");
      return seq === 0
        ? { v: 1, kind: "answered", question: 1, response: {}, seq: 7 }
        : { v: 1, kind: "cancelled", seq };
    },
  };
  return { kept, heard, reach: () => stub as CallRelayStub };
}

describe("CallLink", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    [LIMITS.relayTries - 1, true],
    [LIMITS.relayTries, false],
  ])("keeps a message although its relay was too busy %i times: %s", async (append, isKept) => {
    const { kept, reach } = busyRelay({ append });
    const link = new CallLink(reach, 1);
    link.append(1, "one", true);
    await vi.advanceTimersByTimeAsync(LIMITS.relayTries * LIMITS.relayRetryMs);
    await link.flush();
    expect(kept).toEqual(isKept ? [{ seq: 1, text: "one" }] : []);
  });

  it("asks nothing where nobody would hear the answer", async () => {
    const { reach } = busyRelay({ open: LIMITS.relayTries });
    const sent: string[] = [];
    const signal = new AbortController().signal;
    const asked = new CallLink(reach, 1).ask("elicitation/create", {}, signal, (message) => sent.push(message));
    const failed = expect(asked).rejects.toThrow("the call's relay can't be reached");
    await vi.advanceTimersByTimeAsync(LIMITS.relayTries * LIMITS.relayRetryMs);
    await failed;
    expect(sent).toEqual([]);
  });

  it("listens again, from what it heard last, as long as the call runs", async () => {
    const { heard, reach } = busyRelay({ nextEvent: 2 });
    const link = new CallLink(reach, 1);
    const listened = link.listen();
    await vi.advanceTimersByTimeAsync(2 * LIMITS.relayRetryMs);
    await listened;
    expect([heard, link.cancelled.aborted]).toEqual([[0, 0, 0, 7], true]);
  });

  it.each([
    [LIMITS.relayFailures - 1, true],
    [LIMITS.relayFailures, false],
  ])("gives up to listen after a bound: of %i failures it hears what comes then, %s", async (nextEvent, isHeard) => {
    const { reach } = busyRelay({ nextEvent });
    const link = new CallLink(reach, 1);
    const listened = link.listen().catch(() => undefined);
    await vi.advanceTimersByTimeAsync(LIMITS.relayFailures * LIMITS.relayRetryMs);
    await listened;
    expect(link.cancelled.aborted).toBe(isHeard);
  });
});
