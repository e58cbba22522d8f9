// Whatever a tool gives back, throws or does: one answer, in the words of the revision, over every transport.

import { describe, expect, it, onTestFinished } from "vitest";
import type { Message } from "../journeys/support/rpc.ts";
import { LEGACY, MODERN, TRANSPORTS, type Place } from "./cells.ts";
import { Client } from "./client.ts";
import { startMatrixServer } from "./server.ts";

const server = await startMatrixServer("nasty-worker.ts");

const FAILED = "! Tool failed (ref …)";
const TOO_LARGE = "! Tool failed: its result is larger than 4194304 bytes";
const TOO_DEEP = "! Tool failed: its result has nesting too deep: at most 64 levels";
const stopped = (name: string): string => `! Tool ${name} took longer than 100 ms and was stopped`;

/** What its caller is told, by tool; with `!` where it is an error. What is structured stands after an arrow. */
const TOLD: Record<string, string> = {
  returns_nothing: FAILED,
  returns_bigint: FAILED,
  returns_symbol: FAILED,
  returns_function: FAILED,
  returns_cycle: FAILED,
  returns_bigint_inside: FAILED,
  returns_not_a_number: '→ {"n":null,"m":null}',
  returns_functions_inside: '→ {"list":[null]}',
  returns_sparse_list: '→ {"list":[null,null,1]}',
  returns_sparse_content: FAILED,
  returns_dates_and_maps: '→ {"at":"1970-01-01T00:00:00.000Z","map":{},"bytes":{"0":0,"1":0}}',
  returns_throwing_getter: FAILED,
  returns_throwing_content: FAILED,
  returns_throwing_text: FAILED,
  returns_hostile_proxy: FAILED,
  returns_hostile_inside: FAILED,
  returns_hostile_meta: FAILED,
  returns_revoked_proxy: FAILED,
  returns_throwing_json: FAILED,
  returns_fickle_size: '→ {"value":""}',
  returns_fickle_kind: '→ {"value":""}',
  returns_fickle_hiding: '→ {"value":"clean"}',
  returns_huge_text: TOO_LARGE,
  returns_huge_structure: TOO_LARGE,
  returns_deep_structure: TOO_DEEP,
  returns_rather_deep_structure: TOO_DEEP,
  returns_deep_meta: TOO_DEEP,
  returns_unknown_type: FAILED,
  returns_number_for_text: FAILED,
  returns_object_for_text: FAILED,
  returns_string_object: FAILED,
  returns_bad_base64: FAILED,
  returns_split_mime_type: FAILED,
  returns_no_mime_type: FAILED,
  returns_own_names: "",
  throws_error: FAILED,
  throws_nothing: FAILED,
  throws_null: FAILED,
  throws_text: FAILED,
  throws_symbol: FAILED,
  throws_bigint: FAILED,
  throws_function: FAILED,
  throws_hostile_proxy: FAILED,
  throws_throwing_getter: FAILED,
  throws_promise: FAILED,
  throws_stack_overflow: FAILED,
  throws_cancelled: FAILED,
  throws_posing_cancelled: FAILED,
  throws_abort: FAILED,
  throws_tool_error: "! Try another day.",
  throws_tool_error_number: FAILED,
  throws_tool_error_object: FAILED,
  throws_tool_error_bigint: FAILED,
  throws_tool_error_symbol: FAILED,
  throws_tool_error_getter: FAILED,
  throws_posing_tool_error: FAILED,
  throws_huge_tool_error: "! 2000 x…",
  throws_hiding_tool_error: "! abcd\ufffd",
  settles_twice: "first",
  settles_then_throws: "first",
  settles_with_another: "another",
  settles_with_throwing_then: FAILED,
  settles_never: stopped("settles_never"),
  settles_late: stopped("settles_late"),
  settles_late_throwing: stopped("settles_late_throwing"),
  throws_on_abort: stopped("throws_on_abort"),
  stops_on_abort: stopped("stops_on_abort"),
  settles_on_abort: stopped("settles_on_abort"),
  leaves_a_rejection: "done",
  talks_after_the_end: "done",
  asks_after_the_end: "done",
  asks_nonsense: FAILED,
  talks_nonsense: "done",
  typed_fickle: '{"value":"first"} → {"value":"first"}',
  typed_hiding: '{"value":"ab"} → {"value":"ab"}',
  typed_deep: TOO_DEEP,
  typed_rather_deep: TOO_DEEP,
  typed_wrong: FAILED,
};

/** What comes before an answer where there is a way for it. */
const progress = (more: object): string => `notifications/progress ${JSON.stringify({ progressToken: "t", ...more })}`;
const SAID: Record<string, string[]> = {
  talks_after_the_end: [progress({ progress: 1 })],
  talks_nonsense: [
    progress({ progress: 1, total: 2 }),
    progress({ progress: 3, message: "x" }),
    progress({ progress: 5 }),
  ],
};

const HAS_STRUCTURE: readonly string[] = [LEGACY[2], LEGACY[3], MODERN];

function tell({ result, error }: Message): string {
  if (error !== undefined) return JSON.stringify(error);
  const {
    content = [],
    isError = false,
    structuredContent,
  } = result as {
    content?: { text?: unknown }[];
    isError?: boolean;
    structuredContent?: unknown;
  };
  const texts = content.map(({ text }) => (typeof text === "string" ? text : JSON.stringify(text)));
  const structure = structuredContent === undefined ? [] : [`→ ${JSON.stringify(structuredContent)}`];
  return [...(isError ? ["!"] : []), ...texts, ...structure]
    .join(" ")
    .replace(/\(ref [a-z2-7]{12}\)/, "(ref …)")
    .replace(/x{1000,}/, ({ length }) => `${length} x`);
}

/** What is structured is not told where the revision has no word for it. */
const toldIn = ({ revision }: Place): Record<string, string> =>
  HAS_STRUCTURE.includes(revision)
    ? TOLD
    : Object.fromEntries(Object.entries(TOLD).map(([name, said]) => [name, said.replace(/ ?→ .*$/, "")]));

async function open(place: Place): Promise<Client> {
  const { key } = await server.mintKey({ limits: { perMinute: 100_000 } });
  const client = await new Client({ ...place, server: server.url, key, capabilities: { elicitation: {} } }).connect();
  onTestFinished(() => client.wire.drop());
  await client.greet();
  return client;
}

const STREAMABLE = TRANSPORTS.filter((transport) => transport !== "http+sse");
const places: Place[] = [
  { revision: LEGACY[0], transport: "http+sse" },
  ...[LEGACY[1], LEGACY[3], MODERN].flatMap((revision) =>
    STREAMABLE.map((transport) => ({ revision, transport }) as Place),
  ),
];

describe("a tool that does what none should", () => {
  it.each(places)("has one answer in $revision over $transport", async (place) => {
    const client = await open(place);
    const told: Record<string, string> = {};
    const said: Record<string, string[]> = {};
    const ids: string[] = [];
    for (const name of Object.keys(TOLD)) {
      ids.push(name);
      const { answer, before } = await client.call(name, {}, { id: name, meta: { progressToken: "t" } });
      told[name] = tell(answer);
      const news = before.filter(({ method }) => method === "notifications/progress");
      if (news.length > 0) said[name] = news.map(({ method, params }) => `${method} ${JSON.stringify(params)}`);
    }
    // Whatever is on its way after an answer has come by the time that this has.
    await client.call("settles_late");
    const answers = client.received.filter(({ method, id }) => method === undefined && ids.includes(String(id)));
    expect({ told, said, answers: answers.map(({ id }) => id), asked: client.asked, faults: client.faults }).toEqual({
      told: toldIn(place),
      said: place.transport === "json" ? {} : saidIn(place),
      answers: ids,
      asked: [],
      faults: [],
    });
    expect(JSON.stringify(client.received)).not.toContain("hunter2");
  });

  it.each(STREAMABLE)("has one answer in a batch over %s", async (transport) => {
    const client = await open({ revision: LEGACY[1], transport });
    const names = Object.keys(TOLD);
    const told: Record<string, string> = {};
    for (let from = 0; from < names.length; from += 20) {
      const ids = names.slice(from, from + 20);
      const isAnswer = ({ id, method }: Message): boolean => method === undefined && ids.includes(String(id));
      await client.sendBatch(ids.map((id) => ({ id, method: "tools/call", params: { name: id } })));
      const answers = await client.until("the batch's answers", (all) => {
        const found = all.filter(isAnswer);
        return found.length >= ids.length ? found : undefined;
      });
      for (const answer of answers) told[String(answer.id)] = tell(answer);
    }
    expect([told, client.faults]).toEqual([toldIn({ revision: LEGACY[1], transport }), []]);
    expect(JSON.stringify(client.received)).not.toContain("hunter2");
  });
});

/** Progress has a message since 2025-03-26. */
const saidIn = ({ revision }: Place): Record<string, string[]> =>
  revision === LEGACY[0]
    ? Object.fromEntries(
        Object.entries(SAID).map(([name, news]) => [name, news.map((line) => line.replace(',"message":"x"', ""))]),
      )
    : SAID;
