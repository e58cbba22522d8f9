// How much a call may say and ask while it runs, and how much of it its client may leave unread.

import { reset } from "cloudflare:test";
import * as v from "valibot";
import { afterEach, describe, expect, it, vi } from "vitest";
import { EventStream } from "../../../src/http/event-stream.ts";
import { LIMITS } from "../../../src/lib/limits.ts";
import { text } from "../../../src/tools/content.ts";
import type { ToolContext } from "../../../src/tools/context.ts";
import { defineTool, type Tool } from "../../../src/tools/define-tool.ts";
import { elicit, type FormSchema } from "../../../src/tools/input-request.ts";
import { narrow } from "../../support/narrow.ts";
import { SseReader } from "../../support/sse-reader.ts";
import { call, edgeClient, modern } from "../../support/stream-client.ts";

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const FORM: FormSchema = { type: "object", properties: {} };

const tool = (run: (ctx: ToolContext) => string | Promise<string>): Tool =>
  defineTool({ name: "talks", description: "Talks.", input: v.object({}), run: (_, ctx) => run(ctx) });

interface Heard {
  method?: string;
  params?: { data?: string };
  result?: { content: unknown };
}

/** All that a client hears of a call, which reads nothing before the call is over. */
async function hear(run: (ctx: ToolContext) => string): Promise<Heard[]> {
  const client = await edgeClient([tool(run)]);
  const response = await client.post(call("talks"), { "mcp-protocol-version": "2025-06-18" });
  await new Promise((resolve) => setTimeout(resolve, 20));
  return (await new SseReader(response).restMessages()) as Heard[];
}

const lengthOf = (data: string): number =>
  JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "error", data } }).length;

/** A stream of which nobody reads `sizes`, in bytes. */
function leave(...sizes: number[]): boolean {
  const stream = new EventStream(new AbortController().signal);
  const frame = "data: \n\n".length;
  for (const size of sizes) stream.send({ data: "x".repeat(size - frame) });
  const { aborted } = stream.ended;
  stream.close();
  return aborted;
}

/** What the log has of news that were dropped. */
function watchDropped(): unknown[] {
  const lines: unknown[] = [];
  vi.spyOn(console, "warn").mockImplementation((line: string) => void lines.push(JSON.parse(line)));
  return lines;
}

const questions = (count: number, message = "?") =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`q${index}`, elicit(message, FORM)]));

const asking =
  (asked: ReturnType<typeof questions>) =>
  async ({ requireInput }: ToolContext): Promise<string> => {
    await requireInput(asked);
    return "asked";
  };

// The questions themselves, one of them, its params and the form are four levels.
const deep = (levels: number): ReturnType<typeof questions> => ({
  q: elicit("?", {
    ...FORM,
    properties: JSON.parse(
      `{"p":${'{"p":'.repeat(levels - 6)}{}${"}".repeat(levels - 6)}}`,
    ) as FormSchema["properties"],
  }),
});

const twice = async ({ requireInput }: ToolContext): Promise<string> => {
  await requireInput({ one: elicit("?", FORM) });
  await requireInput({ two: elicit("?", FORM) });
  return "asked";
};

describe("what a client leaves unread", () => {
  const OPEN = ": open\n\n".length;

  it("may be so much and one message more, and ends the stream beyond that", () => {
    narrow({ streamBytes: 1_000 });
    expect(leave(1_000 - OPEN, 50)).toBe(false);
    expect(leave(1_000 - OPEN, 50, 50)).toBe(true);
    expect(leave(1_001 - OPEN)).toBe(false);
    expect(leave(1_001 - OPEN, 50)).toBe(true);
    expect(leave(5_000)).toBe(false);
  });

  it("takes no answer from it, however much its call says before", async () => {
    const heard = await hear(({ log }) => {
      for (let line = 0; line < 100; line++) log("error", "\u2028".repeat(250_000));
      return "x".repeat(LIMITS.resultBytes - 100);
    });
    expect(heard.length).toBe(1 + Math.floor(LIMITS.callNewsChars / lengthOf("\u2028".repeat(250_000))));
    expect(heard.at(-1)?.result?.content).toEqual([text("x".repeat(LIMITS.resultBytes - 100))]);
  });
});

describe("what a call says", () => {
  const DROPPED = { level: "warn", event: "notification_dropped", method: "notifications/message" };

  it("may be so long, and is dropped beyond that", async () => {
    const dropped = watchDropped();
    const frame = lengthOf("");
    const most = "x".repeat(LIMITS.notificationChars - frame);
    const heard = await hear(({ log }) => {
      log("error", most);
      log("error", `${most}x`);
      return "done";
    });
    expect(heard.map(({ params, result }) => params?.data ?? result?.content)).toEqual([most, [text("done")]]);
    expect(dropped).toEqual([DROPPED]);
  });

  it("may be so much together, and what fits no more is dropped", async () => {
    const dropped = watchDropped();
    narrow({ callNewsChars: 3 * lengthOf("12345") });
    const heard = await hear(({ log }) => {
      for (const data of ["12345", "12345", "123456", "12345", "1"]) log("error", data);
      return "done";
    });
    expect(heard.map(({ params, result }) => params?.data ?? result?.content)).toEqual([
      "12345",
      "12345",
      "12345",
      [text("done")],
    ]);
    expect(dropped).toEqual([DROPPED, DROPPED]);
  });
});

/** What a modern client is told that calls a tool which asks so. */
async function ask(run: (ctx: ToolContext) => Promise<string>, more: object = {}) {
  const client = await edgeClient([tool(run)]);
  const { message, headers } = modern(
    "tools/call",
    { name: "talks", arguments: {}, ...more },
    { capabilities: { elicitation: {} } },
  );
  const { result, error } = await (
    await client.post(message, headers)
  ).json<{
    result?: { inputRequests?: object; requestState?: string; content?: [{ text: string }] };
    error?: { code: number; message: string };
  }>();
  return {
    asked: Object.keys(result?.inputRequests ?? {}).length,
    state: result?.requestState,
    said: result?.content?.[0].text,
    error,
  };
}

const FAILED = expect.stringMatching(/^Tool failed \(ref /);

const answered = (chars: number) =>
  ask(twice, { inputResponses: { one: { action: "accept", content: { a: "x".repeat(chars) } } } });

describe("what a call asks", () => {
  it("are so many questions at once, and no more", async () => {
    expect(await ask(asking(questions(LIMITS.inputRequests)))).toMatchObject({ asked: LIMITS.inputRequests });
    expect(await ask(asking(questions(LIMITS.inputRequests + 1)))).toMatchObject({ asked: 0, said: FAILED });
  });

  it("may be so long together, and no longer", async () => {
    const room = LIMITS.inputRequestsChars - JSON.stringify(questions(1, "")).length;
    expect(await ask(asking(questions(1, "x".repeat(room))))).toMatchObject({ asked: 1 });
    expect(await ask(asking(questions(1, "x".repeat(room + 1))))).toMatchObject({ asked: 0, said: FAILED });
  });

  it("may be so deep, and no deeper", async () => {
    expect(await ask(asking(deep(LIMITS.jsonDepth)))).toMatchObject({ asked: 1 });
    expect(await ask(asking(deep(LIMITS.jsonDepth + 1)))).toMatchObject({ asked: 0, said: FAILED });
  });

  it("is carried through its rounds up to a length, and refused beyond", async () => {
    const frame = (await answered(0)).state?.length ?? 0;
    // Base64: three characters of an answer are four of the state.
    const room = Math.floor((LIMITS.requestStateChars - frame) / 4) * 3;
    expect((await answered(room - 3)).state?.length).toBeLessThanOrEqual(LIMITS.requestStateChars);
    expect((await answered(room + 6)).error).toEqual({
      code: -32602,
      message: `Invalid params: the answers are too long: at most ${LIMITS.requestStateChars} characters in all`,
    });
  });
});
