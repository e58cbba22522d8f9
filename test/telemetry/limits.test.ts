// What a collector may do to an isolate: hang, fail, answer at length, lead elsewhere. At and beyond each bound.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import type { Operation } from "../../src/telemetry/operation.ts";
import { OtlpExporter } from "../../src/telemetry/otlp-exporter.ts";

const ENV = { OTLP_ENDPOINT: "https://otlp.example", OTLP_HEADERS: "authorization=Bearer s3cret" } as Env;
const CALL: Operation = {
  span: { traceId: "t", spanId: "s", isSampled: false },
  startedAtMs: 1,
  endedAtMs: 2,
  method: "tools/list",
  revision: "2025-11-25",
  transport: "http",
};

const logged: string[] = [];
beforeEach(() => {
  logged.length = 0;
  vi.spyOn(console, "error").mockImplementation((line) => void logged.push(String(line)));
});
afterEach(() => vi.restoreAllMocks());

/** Sends two batches, and answers what was tried and what the second tells of the first. */
async function sendTwice(answer: (init: RequestInit) => Response | Promise<Response>) {
  const sent: { url: string; body: string }[] = [];
  const background: Promise<unknown>[] = [];
  const exporter = new OtlpExporter({ name: "toolgate", version: "1" }, async (input, init = {}) => {
    sent.push({ url: String(input), body: String(init.body) });
    return answer(init);
  });
  for (let batch = 0; batch < 2; batch++) {
    exporter.record(CALL, 0, ENV, (work) => void background.push(work));
    while (background.length > 0) await background.shift();
  }
  const told = /"toolgate\.telemetry\.lost".*?"asInt":"(\d+)"/.exec(sent.at(-1)?.body ?? "")?.[1];
  return { urls: sent.map(({ url }) => url), lost: Number(told ?? 0) };
}

const METRICS = "https://otlp.example/v1/metrics";
const times = (count: number): string[] => Array.from({ length: count }, () => METRICS);

/** Has pauses be over at once; what was waited for. */
function skipPauses(): number[] {
  const pauses: number[] = [];
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms: number) => {
    pauses.push(ms);
    queueMicrotask(run);
    return 0;
  }) as never);
  return pauses;
}

const hang = ({ signal }: RequestInit): Promise<Response> =>
  new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason as Error);
  });

const stalled = (): Response =>
  new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) }), {
    status: 500,
  });

const secretive = (): Response => new Response("Bearer s3cret", { status: 400, statusText: "s3cret" });

describe("a collector", () => {
  it("that hangs is given up after a time, twice, and what was for it is counted", async () => {
    const pauses = skipPauses();
    const timeouts: number[] = [];
    vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      timeouts.push(ms);
      return AbortSignal.abort(new DOMException("timed out", "TimeoutError"));
    });
    expect(await sendTwice(hang)).toEqual({ urls: times(4), lost: 1 });
    expect([pauses, timeouts]).toEqual([
      [LIMITS.otlpRetryMs, LIMITS.otlpRetryMs],
      Array.from({ length: 4 }, () => LIMITS.otlpTimeoutMs),
    ]);
  });

  it("that answers and then stalls is not waited for", async () => {
    skipPauses();
    expect(await sendTwice(stalled)).toEqual({ urls: times(2), lost: 1 });
  });

  it.each([
    [500, 2],
    [501, 2],
    [503, 4],
    [429, 4],
  ])("that answers %i is asked %i times for two batches", async (status, asked) => {
    skipPauses();
    expect(await sendTwice(() => new Response("no", { status }))).toEqual({ urls: times(asked), lost: 1 });
  });

  it.each([301, 302, 303, 307, 308])(
    "that leads elsewhere by %i is not followed, with its headers or without",
    async (status) => {
      const redirects: unknown[] = [];
      const away = ({ redirect }: RequestInit): Response => {
        redirects.push(redirect);
        return new Response(null, { status, headers: { location: "http://169.254.169.254/" } });
      };
      expect(await sendTwice(away)).toEqual({ urls: times(2), lost: 1 });
      expect(redirects).toEqual(["manual", "manual"]);
    },
  );

  it.each([
    [LIMITS.otlpAnswerBytes, 3],
    [LIMITS.otlpAnswerBytes + 1, 0],
  ])("that says in %i bytes what it did not take is believed that %i were lost", async (bytes, lost) => {
    const said = JSON.stringify({ partialSuccess: { rejectedDataPoints: "3", errorMessage: "" } });
    const text = said.replace('""', JSON.stringify("x".repeat(bytes - said.length)));
    expect(text.length).toBe(bytes);
    const answer = (): Response => new Response(text, { headers: { "content-type": "application/json" } });
    expect(await sendTwice(answer)).toEqual({ urls: times(2), lost });
  });

  it.each([
    ["is endless", () => new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) })],
    ["is no JSON", () => "{"],
    ["is nothing", () => "null"],
    ["counts what can't be counted", () => '{"partialSuccess":{"rejectedDataPoints":-1e999,"rejectedSpans":[1]}}'],
    ["breaks off", () => new ReadableStream({ pull: () => Promise.reject(new Error("reset")) })],
  ])("whose answer %s has taken all", async (_, body) => {
    const answer = (): Response => new Response(body(), { headers: { "content-type": "application/json" } });
    expect(await sendTwice(answer)).toEqual({ urls: times(2), lost: 0 });
  });

  it("is told of in the log by its host alone", async () => {
    skipPauses();
    await sendTwice(secretive);
    const told = logged.map((line) => JSON.parse(line) as { event: string; ref: string });
    expect([told.map(({ event, ref }) => `${event} ${ref}`), logged.join().includes("s3cret")]).toEqual([
      ["telemetry_unsent otlp.example", "telemetry_unsent otlp.example"],
      false,
    ]);
  });
});
