import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { OtlpExporter } from "../../src/telemetry/otlp-exporter.ts";
import type { Operation } from "../../src/telemetry/operation.ts";

const ENV = { OTLP_ENDPOINT: "https://otlp.example/base", OTLP_HEADERS: "authorization=Bearer s3cret" } as Env;
const CALL: Operation = {
  span: { traceId: "t", spanId: "s", isSampled: true },
  startedAtMs: 1,
  endedAtMs: 2,
  method: "tools/list",
  revision: "2025-11-25",
  transport: "http",
};

interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
}

type Answer = (url: string) => Response | Promise<Response>;

const taken: Answer = () => Response.json({});

/** An exporter before a collector that answers in turn; the last answer is for all that follow. */
function open(...answers: Answer[]) {
  const posts: Post[] = [];
  const background: Promise<unknown>[] = [];
  const exporter = new OtlpExporter({ name: "toolgate", version: "1.2.3" }, async (input, init) => {
    const request = new Request(input, init);
    posts.push({ url: request.url, headers: Object.fromEntries(request.headers), body: await request.text() });
    expect(request.redirect).toBe("manual");
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    return (answer ?? taken)(request.url);
  });
  const settle = async (): Promise<void> => {
    while (background.length > 0) await background.shift();
  };
  const record = (operation: Operation = CALL, env: Env = ENV, flushMs = 0): void =>
    exporter.record(operation, flushMs, env, (work) => void background.push(work));
  return { posts, record, settle, background };
}

const pathsOf = (posts: readonly Post[]): string[] => posts.map(({ url }) => new URL(url).pathname);
const spanCount = (post: Post | undefined): number => (post?.body.match(/"spanId"/g) ?? []).length;

/** Losses by reason as the measurements of a batch tell them. */
function lossesIn(posts: readonly Post[]): Record<string, number>[] {
  return posts
    .filter(({ url }) => url.endsWith("/v1/metrics"))
    .map(({ body }) => {
      const { resourceMetrics } = JSON.parse(body) as {
        resourceMetrics: [{ scopeMetrics: [{ metrics: { sum?: { dataPoints: LossPoint[] } }[] }] }];
      };
      const points = resourceMetrics[0].scopeMetrics[0].metrics.flatMap(({ sum }) => sum?.dataPoints ?? []);
      return Object.fromEntries(
        points.map(({ attributes, asInt }) => [attributes[0].value.stringValue, Number(asInt)]),
      );
    });
}

interface LossPoint {
  asInt: string;
  attributes: [{ value: { stringValue: string } }];
}

let logged: string[] = [];
beforeEach(() => {
  logged = [];
  vi.spyOn(console, "error").mockImplementation((line) => void logged.push(String(line)));
  return () => vi.restoreAllMocks();
});

describe("a batch", () => {
  it("has what gathered, with the collector's headers", async () => {
    const { posts, record, settle } = open();
    for (let index = 0; index < 3; index++) record(CALL, ENV, 1);
    await settle();
    expect(pathsOf(posts)).toEqual(["/base/v1/traces", "/base/v1/metrics"]);
    expect(posts[0]?.headers).toEqual({ "content-type": "application/json", authorization: "Bearer s3cret" });
    expect(spanCount(posts[0])).toBe(3);
  });

  it("of measurements alone is sent where no span is sampled", async () => {
    const { posts, record, settle } = open();
    record({ ...CALL, span: { ...CALL.span, isSampled: false } });
    await settle();
    expect(pathsOf(posts)).toEqual(["/base/v1/metrics"]);
  });

  it.each([
    [LIMITS.otlpBatchSpans - 1, 1],
    [LIMITS.otlpBatchSpans, 2],
  ])("of %i spans has %i requests begin to send", async (spans, senders) => {
    const nowMs = Date.now();
    vi.spyOn(Date, "now").mockImplementation(() => nowMs);
    const { record, background, settle, posts } = open();
    for (let index = 0; index < spans; index++) record(CALL, ENV, 1);
    expect(background.length).toBe(senders);
    await settle();
    expect(posts.reduce((sum, post) => sum + spanCount(post), 0)).toBe(spans);
  });
});

describe("what the collector does not take", () => {
  it("is tried once more", async () => {
    const { posts, record, settle } = open(() => new Response(null, { status: 503 }), taken);
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void) => queueMicrotask(run)) as never);
    record({ ...CALL, span: { ...CALL.span, isSampled: false } });
    await settle();
    expect([pathsOf(posts), posts[0]?.body === posts[1]?.body, logged]).toEqual([
      ["/base/v1/metrics", "/base/v1/metrics"],
      true,
      [],
    ]);
  });

  it.each<[string, Answer, number]>([
    ["is refused for good", () => new Response("no", { status: 400 }), 2],
    ["leads elsewhere", () => new Response(null, { status: 302, headers: { location: "https://evil.example/" } }), 2],
    ["is overloaded twice", () => new Response(null, { status: 429 }), 4],
    ["can't be reached", () => Promise.reject(new Error("no route")), 4],
  ])("is lost, counted and told later when it %s", async (_, answer, requests) => {
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void) => queueMicrotask(run)) as never);
    let isBroken = true;
    const { posts, record, settle } = open(async (url) => (isBroken ? answer(url) : taken(url)));
    record();
    await settle();
    expect(posts).toHaveLength(requests);
    isBroken = false;
    record();
    await settle();
    // A span, and the one series that it was measured in.
    expect(lossesIn(posts).at(-1)).toEqual({ unsent: 2 });
    record();
    await settle();
    expect(lossesIn(posts).at(-1)).toEqual({});
    expect(logged.join()).not.toContain("s3cret");
  });

  it("in part is counted as it says", async () => {
    const { posts, record, settle } = open(() =>
      Response.json({ partialSuccess: { rejectedSpans: "2", errorMessage: "too old" } }),
    );
    record();
    await settle();
    record();
    await settle();
    expect(lossesIn(posts)).toEqual([{}, { rejected: 4 }]);
  });

  it("because it is misconfigured is counted too, and says what is wrong", async () => {
    const { posts, record, settle } = open();
    record(CALL, { OTLP_ENDPOINT: "http://otlp.example" } as Env);
    await settle();
    expect([posts, logged]).toEqual([[], [expect.stringContaining("OTLP_ENDPOINT must be an https URL")]]);
    record();
    await settle();
    expect(lossesIn(posts)).toEqual([{ unsent: 2 }]);
  });
});

describe("while the collector does not answer", () => {
  it.each([
    [LIMITS.otlpBufferSpans - 1, 0],
    [LIMITS.otlpBufferSpans, 0],
    [LIMITS.otlpBufferSpans + 1, 1],
  ])("%i spans are held but for %i", async (spans, lost) => {
    const { promise: stuck, resolve: release } = Promise.withResolvers<void>();
    let isStuck = true;
    const { posts, record, settle, background } = open(async (url) => {
      if (isStuck) await stuck;
      return taken(url);
    });
    // As many batches as may be on their way.
    for (let batch = 0; batch < LIMITS.otlpSending; batch++) {
      record();
      await vi.waitFor(() => expect(posts).toHaveLength(2 * (batch + 1)), { interval: 1 });
    }
    for (let index = 0; index < spans; index++) record();
    await Promise.resolve();
    expect(posts).toHaveLength(2 * LIMITS.otlpSending);
    isStuck = false;
    release();
    await settle();
    record();
    await settle();
    expect([background, posts.reduce((sum, post) => sum + spanCount(post), 0)]).toEqual([
      [],
      LIMITS.otlpSending + spans - lost + 1,
    ]);
    const told = lossesIn(posts).map(({ full = 0 }) => full);
    expect(told.reduce((sum, full) => sum + full, 0)).toBe(lost);
  });

  it("a batch whose request was cut off is given up in time, and counted", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      let isCut = true;
      const { posts, record, settle, background } = open(async (url) =>
        isCut ? new Promise<Response>(() => undefined) : taken(url),
      );
      for (let batch = 0; batch < LIMITS.otlpSending; batch++) record();
      await vi.waitFor(() => expect(posts).toHaveLength(2 * LIMITS.otlpSending), { interval: 1 });
      background.length = 0;
      isCut = false;
      record();
      await settle();
      expect(posts).toHaveLength(2 * LIMITS.otlpSending);
      vi.setSystemTime(Date.now() + 60_000);
      record();
      await settle();
      // A span and a series each.
      expect([posts.length, lossesIn(posts).at(-1)]).toEqual([
        2 * LIMITS.otlpSending + 2,
        { unsent: 2 * LIMITS.otlpSending },
      ]);
    } finally {
      vi.useRealTimers();
    }
  });
});
