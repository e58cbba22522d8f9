// Every kind of request, in the shares that a run sends them in.

import * as fc from "fast-check";
import type { Shot } from "../shot.ts";
import { adminShot } from "./admin-shots.ts";
import { LEGACY, REVISIONS } from "../../matrix/cells.ts";
import { changeFields, fieldChanges, type Field } from "./http-headers.ts";
import { oddText } from "./json.ts";
import { mcpPost, type Post } from "./mcp-messages.ts";

const ACCEPTS = ["application/json", "application/json, text/event-stream", "text/event-stream", "*/*"];

const fieldsOf = ({ headers }: Post, accept: string): Field[] => [
  ["authorization", "Bearer «key.a»"],
  ["content-type", "application/json"],
  ["accept", accept],
  ...headers,
];

const shotOf = (post: Post, headers: Field[], isChunked: boolean): Shot => ({
  kind: post.kind,
  method: "POST",
  path: "/mcp",
  headers,
  body: post.body,
  ...(post.isBinary && { isBinary: true }),
  ...(isChunked && { isChunked: true }),
});

const accept = fc.constantFrom(...ACCEPTS);
const isChunked = fc.integer({ min: 0, max: 19 }).map((number) => number === 0);

const plainPost: fc.Arbitrary<Shot> = fc
  .tuple(mcpPost, accept, isChunked)
  .map(([post, accepted, chunked]) => shotOf(post, fieldsOf(post, accepted), chunked));

const oddPost: fc.Arbitrary<Shot> = fc.tuple(mcpPost, accept, fieldChanges(1, 2)).map(([post, accepted, list]) => ({
  ...shotOf(post, changeFields(fieldsOf(post, accepted), list), false),
  kind: "odd headers",
}));

const KEYED: Field[] = [
  ["authorization", "Bearer «key.a»"],
  ["accept", "text/event-stream"],
];

const session = fc
  .constantFrom(...LEGACY)
  .map((revision): Field[] => [...KEYED, ["mcp-session-id", `«session.${revision}»`]]);

const getShot: fc.Arbitrary<Shot> = fc
  .tuple(session, fieldChanges(0, 2))
  .map(([fields, list]) => ({ kind: "GET /mcp", method: "GET", path: "/mcp", headers: changeFields(fields, list) }));

/** A session that the run opened to have it ended. */
const spareSession: Field[] = [...KEYED, ["mcp-session-id", "«session.spare»"]];
const deleteShot: fc.Arbitrary<Shot> = fc
  .oneof(
    fc.constant(spareSession),
    // All others are needed: what ends here was forged, or another key's.
    fc
      .constantFrom(
        "«session.b»",
        "«session.ended»",
        "«session.2025-11-25~flip70»",
        "«session.2025-11-25~cut90»",
        "x",
        "",
      )
      .map((id): Field[] => [...KEYED, ["mcp-session-id", id]]),
  )
  .map((headers) => ({ kind: "DELETE /mcp", method: "DELETE", path: "/mcp", headers }));

const PATHS = [
  "/k/«key.url»/mcp",
  "/k/«key.url»/mcp/",
  "/k/«key.a»/mcp",
  "/k/«key.url~flip20»/mcp",
  "/k//mcp",
  "/k/%00/mcp",
  "/k/%E0%A4%A/mcp",
  "/messages",
  "/messages?session=«channel»",
  "/messages?session=«channel~flip30»",
  "/messages?session=«cursor.a»",
  "/mcp/",
  "/mcp?api_key=«key.a»",
  "//mcp",
  "/MCP",
];
const elsewhereShot: fc.Arbitrary<Shot> = fc
  .tuple(mcpPost, accept, fc.constantFrom(...PATHS), fieldChanges(0, 1))
  .map(([post, accepted, path, list]) => ({
    ...shotOf(post, changeFields(fieldsOf(post, accepted), list), false),
    kind: "other paths",
    path,
  }));

const METHODS = ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "POST"];
const PLACES = [
  "/",
  "/healthz",
  "/register",
  "/.well-known/oauth-authorization-server",
  "/.well-known/oauth-protected-resource/mcp",
  "/favicon.ico",
  "/admin",
  "/admin/v1",
  "/admin/v1/../v1/keys",
  "/console/",
  "/%",
  "/sse",
  "/messages",
  "/mcp",
  "/k/x/sse",
];
const placeShot: fc.Arbitrary<Shot> = fc
  .tuple(
    fc.constantFrom(...METHODS),
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...PLACES) },
      { weight: 1, arbitrary: oddText.map((text) => `/${encodeURI(text.toWellFormed())}`) },
    ),
    fieldChanges(0, 2),
  )
  .map(([method, path, list]) => ({ kind: "places", method, path, headers: changeFields([["accept", "*/*"]], list) }));

const streamShot: fc.Arbitrary<Shot> = fieldChanges(0, 1).map((list) => ({
  kind: "GET /sse",
  method: "GET",
  path: "/sse",
  headers: changeFields(KEYED, list),
}));

const LONG = 1_048_576;
const longShot: fc.Arbitrary<Shot> = fc
  .tuple(
    fc.constantFrom(LONG - 1, LONG, LONG + 1, LONG + 70_000),
    fc.boolean(),
    fc.constantFrom("Bearer «key.a»", "Bearer «key.a~flip9»"),
  )
  .map(([bytes, chunked, authorization]) => {
    const [head, tail] = [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"complain","arguments":{"message":"',
      '"}}}',
    ];
    return {
      kind: "long body",
      method: "POST",
      path: "/mcp",
      headers: [
        ["authorization", authorization],
        ["content-type", "application/json"],
      ] as Field[],
      body: head + "a".repeat(bytes - head.length - tail.length) + tail,
      ...(chunked && { isChunked: true }),
    };
  });

const RAW = [
  "GET / HTTP/1.1\r\n\r\n",
  "POST /mcp HTTP/1.1\r\nhost: x\r\ncontent-length: x\r\n\r\n",
  "POST /mcp HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
  "POST /mcp HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
  "POST /mcp HTTP/1.1\r\nhost: x\r\nauthorization: Bearer «key.a»\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
  "GET /mcp HTTP/9.9\r\nhost: x\r\n\r\n",
  "get /mcp HTTP/1.1\r\nhost: x\r\n\r\n",
  "GET http://other.example/mcp HTTP/1.1\r\nhost: x\r\n\r\n",
  "GET /mcp HTTP/1.1\r\nhost: a b\r\n\r\n",
  "GET /mcp HTTP/1.1\r\nhost: x\r\nno colon\r\n\r\n",
  "GET /mcp HTTP/1.1\r\nhost: x\r\nauthorization: Bearer «key.a»\0\r\n\r\n",
  `GET /${"a".repeat(70_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
  `GET / HTTP/1.1\r\nhost: x\r\n${"x: y\r\n".repeat(20_000)}\r\n`,
];
const rawShot: fc.Arbitrary<Shot> = fc
  .oneof(
    fc.constantFrom(...RAW),
    fc.uint8Array({ minLength: 1, maxLength: 80 }).map((bytes) => `${Buffer.from(bytes).toString("latin1")}\r\n\r\n`),
  )
  .map((body) => ({ kind: "raw HTTP", method: "GET", path: "", headers: [], body, isRaw: true }));

/** What a post says, on a socket: each message has its place there, too. */
const frameShot: fc.Arbitrary<Shot> = fc.tuple(mcpPost, fc.constantFrom(...REVISIONS)).map(([{ body }, revision]) => ({
  kind: "frame",
  method: "GET",
  path: "/mcp",
  headers: [],
  // A subscription is answered when it ends.
  body: body.replaceAll("subscriptions/listen", "subscriptions/lists"),
  socket: revision,
}));

export const shot: fc.Arbitrary<Shot> = fc.oneof(
  { weight: 600, arbitrary: plainPost },
  { weight: 180, arbitrary: oddPost },
  { weight: 140, arbitrary: adminShot },
  { weight: 60, arbitrary: frameShot },
  { weight: 30, arbitrary: elsewhereShot },
  { weight: 20, arbitrary: placeShot },
  { weight: 10, arbitrary: getShot },
  { weight: 8, arbitrary: deleteShot },
  { weight: 4, arbitrary: rawShot },
  { weight: 2, arbitrary: streamShot },
  { weight: 1, arbitrary: longShot },
);
