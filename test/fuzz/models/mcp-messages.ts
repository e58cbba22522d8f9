// Bodies of `POST /mcp` with the headers that belong to them.

import * as fc from "fast-check";
import { LEGACY, MODERN } from "../../matrix/cells.ts";
import { DIALECTS, tell, tellCall, type Dialect, type Told } from "./dialects.ts";
import {
  applyChanges,
  changes,
  damages,
  damageText,
  objectOf,
  oddJson,
  oddText,
  seldom,
  type Json,
  type JsonObject,
} from "./json.ts";
import { toolCall } from "./tool-calls.ts";

export interface Post {
  kind: string;
  headers: [string, string][];
  body: string;
  isBinary?: boolean;
}

export const dialect: fc.Arbitrary<Dialect> = fc.constantFrom(...DIALECTS);

const goodId: fc.Arbitrary<Json> = fc.oneof(
  fc.integer(),
  fc.string({ maxLength: 12 }),
  fc.constantFrom<Json>(0, -1, "", "1", "a".repeat(256), 2 ** 53 - 1, "\u2028", "\ud800", "__proto__"),
);
const oddId: fc.Arbitrary<Json> = fc.oneof(oddJson, fc.constantFrom<Json>(1.5, 2 ** 53, "a".repeat(257), null));
const anyId = fc.oneof({ weight: 9, arbitrary: goodId }, { weight: 1, arbitrary: oddId });

const CURSORS = [
  "«cursor.a»",
  "«cursor.b»",
  "«cursor.a~flip9»",
  "«cursor.a~cut20»",
  "«cursor.a~add»",
  "",
  "a".repeat(513),
];
const listParams: fc.Arbitrary<JsonObject> = fc.record(
  { cursor: fc.oneof({ weight: 4, arbitrary: fc.constantFrom<Json>(...CURSORS) }, { weight: 1, arbitrary: oddJson }) },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;

const VERSIONS = [...LEGACY, MODERN, "2099-01-01", "", "2025-11-25 "];
const initializeParams = fc.record({
  protocolVersion: fc.constantFrom<Json>(...VERSIONS),
  capabilities: fc.oneof(fc.constant<Json>({}), objectOf(oddJson)),
  clientInfo: fc.oneof(fc.constant<Json>({ name: "fuzz", version: "1" }), objectOf(oddJson)),
}) as fc.Arbitrary<JsonObject>;

const levelParams = fc.record({ level: fc.constantFrom<Json>("debug", "error", "emergency", "loud", 7) });

type Asked = [method: string, params: JsonObject];

const asked: fc.Arbitrary<Asked> = fc.oneof(
  { weight: 4, arbitrary: listParams.map((params): Asked => ["tools/list", params]) },
  { weight: 2, arbitrary: fc.constant<Asked>(["ping", {}]) },
  { weight: 2, arbitrary: initializeParams.map((params): Asked => ["initialize", params]) },
  {
    weight: 1,
    arbitrary: (levelParams as fc.Arbitrary<JsonObject>).map((params): Asked => ["logging/setLevel", params]),
  },
  { weight: 2, arbitrary: fc.constant<Asked>(["server/discover", {}]) },
  {
    weight: 1,
    arbitrary: objectOf(oddJson).map((more): Asked => [
      "subscriptions/listen",
      { notifications: { toolsListChanged: true, ...more } },
    ]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.oneof(
          oddText,
          fc.constantFrom("prompts/list", "resources/read", "tools", "tools/call/x", "constructor", "__proto__"),
        ),
        objectOf(oddJson),
      )
      .map((made): Asked => made),
  },
);

const NOTIFICATIONS = [
  "notifications/initialized",
  "notifications/cancelled",
  "notifications/progress",
  "notifications/roots/list_changed",
];
const notified: fc.Arbitrary<Asked> = fc.tuple(
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...NOTIFICATIONS) }, { weight: 1, arbitrary: oddText }),
  fc.record({ requestId: anyId, reason: oddJson }, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>,
);

/** Some calls come under a name of their own, not always a good one, and not always for the first time. */
const idempotent = seldom(
  fc.constant(null),
  fc.oneof(
    fc.nat(50).map((number) => `name-${number}`),
    oddText,
  ),
  12,
);

const callTold: fc.Arbitrary<Told> = fc.tuple(dialect, toolCall, anyId, idempotent).map(([spoken, call, id, name]) => {
  const told = tellCall(spoken, call, id);
  return name === null
    ? told
    : { ...told, headers: [...told.headers, ["idempotency-key", `"${name.replace(/[^\x20-\x7e]/g, "é")}"`]] };
});

const requestTold = fc
  .tuple(dialect, asked, anyId)
  .map(([spoken, [method, params], id]) => tell(spoken, method, params, id));
const notificationTold = fc.tuple(dialect, notified).map(([spoken, [method, params]]) => tell(spoken, method, params));
const responseTold: fc.Arbitrary<Told> = fc
  .tuple(dialect, fc.oneof(anyId, fc.constantFrom<Json>("q.MQ.1", "q.Ig.1", "q..")), fc.boolean(), objectOf(oddJson))
  .map(([spoken, id, isError, result]) => ({
    message: { jsonrpc: "2.0", id, ...(isError ? { error: { code: -1, message: "no", ...result } } : { result }) },
    headers: tell(spoken, "ping", {}).headers,
  }));

const told: fc.Arbitrary<[string, Told]> = fc.oneof(
  { weight: 8, arbitrary: callTold.map((made): [string, Told] => ["tools/call", made]) },
  { weight: 5, arbitrary: requestTold.map((made): [string, Told] => ["request", made]) },
  { weight: 1, arbitrary: notificationTold.map((made): [string, Told] => ["notification", made]) },
  { weight: 1, arbitrary: responseTold.map((made): [string, Told] => ["response", made]) },
);

const whole: fc.Arbitrary<Post> = told.map(([kind, { message, headers }]) => ({
  kind,
  headers,
  body: JSON.stringify(message),
}));

const altered: fc.Arbitrary<Post> = fc.tuple(told, changes(1)).map(([[, { message, headers }], list]) => ({
  kind: "altered message",
  headers,
  body: JSON.stringify(applyChanges(message, list)),
}));

const broken: fc.Arbitrary<Post> = fc.tuple(told, damages).map(([[, { message, headers }], list]) => ({
  kind: "damaged JSON",
  headers,
  body: damageText(JSON.stringify(message), list),
}));

const BATCHING: Dialect = { revision: "2025-03-26", by: "header" };

/** What a batch may hold: the handshake would have it refused as a whole. */
const member: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 10, arbitrary: fc.tuple(toolCall, anyId).map(([call, id]) => tellCall(BATCHING, call, id).message) },
  {
    weight: 3,
    arbitrary: fc.tuple(listParams, anyId).map(([params, id]) => tell(BATCHING, "tools/list", params, id).message),
  },
  { weight: 2, arbitrary: anyId.map((id) => tell(BATCHING, "ping", {}, id).message) },
  { weight: 1, arbitrary: fc.tuple(oddText, anyId).map(([method, id]) => tell(BATCHING, method, {}, id).message) },
  { weight: 1, arbitrary: notified.map(([method, params]) => tell(BATCHING, method, params).message) },
);

/** Up to as many messages as a batch may hold. */
const fullBatch: fc.Arbitrary<Post> = fc
  .tuple(fc.array(member, { minLength: 10, maxLength: 20 }), seldom(fc.constant([]), changes(1), 6))
  .map(([members, list]) => ({
    kind: "full batch",
    headers: tell(BATCHING, "ping", {}).headers,
    body: JSON.stringify(applyChanges(members, list)),
  }));

const batch: fc.Arbitrary<Post> = fc
  .tuple(
    fc.constantFrom<Dialect>(
      { revision: "2025-03-26", by: "session" },
      { revision: "2025-03-26", by: "header" },
      { revision: "2025-03-26", by: "nothing" },
      ...DIALECTS,
    ),
    fc.array(
      fc.oneof(
        { weight: 6, arbitrary: told },
        {
          weight: 1,
          arbitrary: oddJson.map((value): [string, Told] => ["odd", { message: value as JsonObject, headers: [] }]),
        },
      ),
      { maxLength: 21, size: "small" },
    ),
    seldom(fc.constant([]), changes(1), 3),
  )
  .map(([spoken, items, list]) => ({
    kind: "batch",
    headers: tell(spoken, "ping", {}).headers,
    body: JSON.stringify(
      applyChanges(
        items.map(([, { message }]) => message),
        list,
      ),
    ),
  }));

const BOMBS = [
  "[".repeat(65),
  `${"[".repeat(64)}${"]".repeat(64)}`,
  `${'{"a":'.repeat(65)}1${"}".repeat(65)}`,
  "[".repeat(50_000),
  `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[${"0,".repeat(10_001)}0]}}`,
  `{"jsonrpc":"2.0","id":1,"method":"ping","params":{${Array.from({ length: 10_001 }, (_, at) => `"k${at}":0`).join(",")}}}`,
  `[${'{"jsonrpc":"2.0","id":1,"method":"ping"},'.repeat(2_000)}1]`,
  '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}}}}}',
  '{"jsonrpc":"2.0","id":1e0,"method":"ping"}',
  '{"jsonrpc":"2.0","id":1.0,"method":"ping"}',
  '{"jsonrpc":"2.0","id":-0,"method":"ping"}',
  "",
  " ",
  "null",
  "1",
  '"text"',
  "\ufeff{}",
];

const bomb: fc.Arbitrary<Post> = fc.tuple(dialect, fc.constantFrom(...BOMBS)).map(([spoken, body]) => ({
  kind: "bomb",
  headers: tell(spoken, "ping", {}).headers,
  body,
}));

const rawBytes: fc.Arbitrary<Post> = fc.tuple(dialect, fc.uint8Array({ maxLength: 60 })).map(([spoken, bytes]) => ({
  kind: "raw bytes",
  headers: tell(spoken, "ping", {}).headers,
  body: Buffer.from(bytes).toString("latin1"),
  isBinary: true,
}));

export const mcpPost: fc.Arbitrary<Post> = fc.oneof(
  { weight: 50, arbitrary: whole },
  { weight: 18, arbitrary: altered },
  { weight: 12, arbitrary: broken },
  { weight: 6, arbitrary: batch },
  { weight: 18, arbitrary: fullBatch },
  { weight: 1, arbitrary: bomb },
  { weight: 4, arbitrary: rawBytes },
);
