import * as fc from "fast-check";
import { expect, it } from "vitest";
import { readEvents } from "../../src/console/mcp/event-stream.ts";

async function read(chunks: readonly Uint8Array<ArrayBuffer>[]): Promise<string[]> {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const events: string[] = [];
  for await (const event of readEvents(body)) events.push(event);
  return events;
}

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

it.each([
  ["an event", "data: a\n\n", ["a"]],
  ["lines of one event", "data: a\ndata:b\n\n", ["a\nb"]],
  ["comments and other fields", ": hello\nid: 1\nevent: message\ndata: a\n\n", ["a"]],
  ["line ends of all kinds", "data: a\r\n\r\ndata: b\r\rdata: c\n\n", ["a", "b", "c"]],
  ["an event without data", "id: 1\n\n", []],
  ["an event that is cut off", "data: a\n\ndata: b", ["a"]],
])("reads %s", async (_, text, events) => {
  expect(await read([encode(text)])).toEqual(events);
});

it("reads the same however the bytes arrive", async () => {
  const texts = fc.array(
    fc.string({ unit: "grapheme" }).filter((text) => !/[\r\n]/.test(text)),
    { maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(
      texts,
      fc.constantFrom("\n", "\r\n"),
      fc.integer({ min: 1, max: 7 }),
      async (events, end, size) => {
        const bytes = encode(events.map((event) => `data: ${event}${end}${end}`).join(""));
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.slice(at * size, (at + 1) * size),
        );
        expect(await read(chunks)).toEqual(events);
      },
    ),
  );
});
