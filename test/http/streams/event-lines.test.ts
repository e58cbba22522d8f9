// Whatever a message says: one event, one data line, and the same JSON for a strict and for a lax reader.

import { reset } from "cloudflare:test";
import * as v from "valibot";
import { afterEach, expect, it } from "vitest";
import { resource, text } from "../../../src/tools/content.ts";
import { defineTool } from "../../../src/tools/define-tool.ts";
import { ToolError } from "../../../src/tools/tool-error.ts";
import { call, edgeClient } from "../../support/stream-client.ts";

afterEach(() => reset());

const SPLIT = 'x\n\nevent: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n\r\r\r\n\u2028\u2029\u0085: y\nid: 7';

const tool = (name: string, sanitize: boolean, run: () => ReturnType<typeof resource>) =>
  defineTool({
    name,
    description: "Says what would be more than one event.",
    input: v.object({}),
    sanitize,
    run: (_, { reportProgress, log }) => {
      reportProgress(1, 2, SPLIT);
      log("error", { [SPLIT]: [SPLIT] }, SPLIT);
      return [text(SPLIT, { _meta: { [SPLIT]: SPLIT } }), run()];
    },
  });

const fail = (): never => {
  throw new ToolError(SPLIT);
};
const tools = [true, false].flatMap((sanitize) => [
  tool(`says_${sanitize}`, sanitize, () => resource({ uri: `file:///${SPLIT}`, text: SPLIT })),
  tool(`fails_${sanitize}`, sanitize, fail),
]);

/** As `EventSource` reads: lines end with CR, LF or both, an event with an empty one (HTML standard, 9.2.6). */
function readStrictly(stream: string): string[] {
  const events: string[] = [];
  let data: string[] = [];
  for (const line of stream.split(/\r\n|\r|\n/)) {
    if (line === "") {
      if (data.length > 0) events.push(data.join("\n"));
      data = [];
    } else if (line.startsWith("data:")) data.push(line.slice("data:".length).replace(/^ /, ""));
  }
  return events;
}

/** As many readers do. */
const readLaxly = (stream: string): string[] =>
  stream.split("\n\n").flatMap((block) => /^data: (.*)$/m.exec(block)?.[1] ?? []);

it.each(tools.flatMap(({ name }) => ["1", SPLIT].map((id) => [name, id] as const)))(
  "%s, under the id %j",
  async (name, id) => {
    const client = await edgeClient(tools);
    const headers = { ...(await client.initialize("2025-06-18")) };
    const response = await client.post(call(name, { _meta: { progressToken: SPLIT } }, id), headers);
    const stream = await response.text();
    const strict = readStrictly(stream);
    expect(strict).toEqual(readLaxly(stream));
    expect(stream).not.toMatch(/[\r\u0085\u2028\u2029]/);
    const messages = strict.map(
      (data) => JSON.parse(data) as { id?: unknown; method?: string; params?: { progressToken?: unknown } },
    );
    expect(messages.map((message) => message.method ?? message.id)).toEqual([
      "notifications/progress",
      "notifications/message",
      id,
    ]);
    expect(messages[0]?.params?.progressToken).toBe(SPLIT);
  },
);
