import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { KINDS, type Caller } from "./support/clients.ts";
import { startFixtureServer } from "./support/server.ts";
import { within } from "./support/within.ts";

const CANCELLED_WITHIN_MS = 3_000;
/** Longer than a call may be silent before its answer becomes a stream. */
const LONG_SILENCE_MS = 2_100;
/** 304 bytes below the limit for what a result is wrapped in. */
const LONGEST_BYTES = 4_194_000;

const server = await startFixtureServer();

test.each(KINDS)("tells $client of progress, in order, before the answer", async ({ open }) => {
  const caller = await open(server);
  const heard: unknown[] = [];
  const { content } = await caller.call("climb", { stairs: 3 }, { onprogress: (progress) => heard.push(progress) });
  expect(content).toEqual([{ type: "text", text: "Climbed 3 stairs." }]);
  expect(heard).not.toEqual([]);
  // The SDKs drop a report that is read in one go with the answer.
  expect(heard).toEqual(
    [1, 2, 3].slice(0, heard.length).map((stair) => ({ progress: stair, total: 3, message: `stair ${stair}` })),
  );
});

test.each(KINDS)("sends $client the logs of a call before its answer", async ({ open }) => {
  const logs: unknown[] = [];
  const caller = await open(server, { onLog: (params) => logs.push(params) });
  await caller.call("climb", { stairs: 2 }, { logLevel: "info" });
  expect(logs).toEqual([
    { level: "info", logger: "stairs", data: { stair: 1 } },
    { level: "warning", logger: "stairs", data: { stair: 2 } },
  ]);
});

test.each(KINDS.filter(({ era }) => era === "modern"))("sends $client no logs unasked", async ({ open }) => {
  const logs: unknown[] = [];
  const caller = await open(server, { onLog: (params) => logs.push(params) });
  await caller.call("climb", { stairs: 1 });
  expect(logs).toEqual([]);
});

test.each(KINDS)("ends a call that $client cancels while it runs, and goes on answering", async ({ open }) => {
  expect(await cancelAfter(5, await open(server))).toBe("cancelled");
});

test.each(KINDS)("ends a call that $client cancels as soon as it runs, and goes on answering", async ({ open }) => {
  expect(await cancelAfter(1, await open(server))).toBe("cancelled");
});

test.each(KINDS)("brings $client about the longest answer there may be, at once", async ({ open }) => {
  expect(await textOf(await open(server), "story", { bytes: LONGEST_BYTES })).toHaveLength(LONGEST_BYTES);
});

test.each(KINDS)("brings $client about the longest answer there may be, after progress", async ({ open }) => {
  const story = { bytes: LONGEST_BYTES, way: "slowly" };
  expect(await textOf(await open(server), "story", story)).toHaveLength(LONGEST_BYTES);
});

test.each(KINDS)("tells the model of $client that an answer is too long", async ({ open }) => {
  expect(await textOf(await open(server), "story", { bytes: LONGEST_BYTES + 304 })).toBe(
    "Tool failed: its result is larger than 4194304 bytes",
  );
});

test("brings an answer after a long silence to every client", async () => {
  const texts = KINDS.map(async ({ open }) => textOf(await open(server), "quiet", { ms: LONG_SILENCE_MS }));
  expect(await Promise.all(texts)).toEqual(KINDS.map(() => `Waited ${LONG_SILENCE_MS} ms.`));
});

test("brings an answer to every client, though the call lets go of those that can come back", async () => {
  const story = { bytes: 1_000, way: "later" };
  const texts = KINDS.map(async ({ open }) => textOf(await open(server), "story", story));
  expect((await Promise.all(texts)).map((text) => text.length)).toEqual(KINDS.map(() => 1_000));
});

/** Cancels a call at its nth report; what became of it for the client, once the tool knows of it too. */
async function cancelAfter(reports: number, caller: Caller): Promise<string> {
  const label = randomUUID();
  const cancel = new AbortController();
  const due = Promise.withResolvers<void>();
  let heard = 0;
  const onprogress = (): void => {
    if (++heard === reports) due.resolve();
  };
  const outcome = caller.call("wait", { label }, { signal: cancel.signal, onprogress }).then(
    () => "answered",
    () => "cancelled",
  );
  await within(CANCELLED_WITHIN_MS, "progress of the call", due.promise);
  cancel.abort();
  await vi.waitFor(async () => expect(await textOf(caller, "was_cancelled", { label })).toBe("yes"), {
    timeout: CANCELLED_WITHIN_MS,
    interval: 50,
  });
  return outcome;
}

async function textOf(caller: Caller, name: string, args: Record<string, unknown>): Promise<string> {
  const { content } = await caller.call(name, args, { onprogress: () => undefined });
  const [first] = content as { text: string }[];
  return first?.text ?? "";
}
