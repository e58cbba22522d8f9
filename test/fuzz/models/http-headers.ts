// Headers of a request to the endpoint, as they should be, and what takes their place.

import * as fc from "fast-check";
import { LEGACY, MODERN } from "../../matrix/cells.ts";
import { oddText, seldom } from "./json.ts";

export type Field = [name: string, value: string];

/** Visible and not so visible characters that HTTP lets through in a value. */
const fieldText = fc.oneof(
  oddText.map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, "¿")),
  fc.string({ maxLength: 20 }),
);

const OF: Record<string, string[]> = {
  accept: [
    "application/json",
    "text/event-stream",
    "application/json, text/event-stream",
    "text/event-stream, application/json;q=0",
    "*/*",
    "text/html",
    "application/json;q=0",
    "application/*;q=0.5",
    ",",
    "application/json;q=nan",
  ],
  "content-type": [
    "application/json",
    "application/json; charset=utf-8",
    "application/json;charset=utf-16",
    "text/plain",
    "application/jsonx",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "",
  ],
  "content-encoding": ["gzip", "identity", "br, gzip", ""],
  origin: [
    "http://127.0.0.1",
    "http://localhost:1",
    "https://evil.example",
    "null",
    "file://",
    "",
    "http://127.0.0.1.evil.example",
  ],
  "last-event-id": [
    "v.0",
    "v.1.1",
    "v.999999999999999",
    "v.9999999999999999",
    "c.MQ.0",
    "c.MQ.99999999",
    "c..1",
    "x",
    "",
  ],
  "idempotency-key": ['"a"', '"b", "c"', "bare", '"' + "a".repeat(129) + '"', '""', '"é"', "?1", '"a";p=1'],
  "mcp-protocol-version": [...LEGACY, MODERN, "2099-01-01", "", " ", "2025-11-25, 2025-06-18"],
  "mcp-session-id": [
    "«session.2025-11-25»",
    "«session.2025-03-26»",
    "«session.b»",
    "«session.ended»",
    "«session.2025-06-18~flip50»",
    "«session.2025-06-18~cut60»",
    "«session.2025-06-18~add»",
    "«cursor.a»",
    "x",
    "",
    "a".repeat(1_537),
  ],
  authorization: [
    "Bearer «key.a»",
    "bearer  «key.a»",
    "Bearer «key.b»",
    "Bearer «key.narrow»",
    "Bearer «key.discovery»",
    "Bearer «key.revoked»",
    "Bearer «key.url»",
    "Bearer «key.slow»",
    "Bearer «key.reader»",
    "Bearer «key.a~flip20»",
    "Bearer «key.a~cut30»",
    "Bearer «key.a~add»",
    "Bearer",
    "Bearer ",
    "Basic YTpi",
    "«key.a»",
    "Bearer «admin»",
    `Bearer ${"t".repeat(8_000)}`,
    "Bearer tg_" + "a".repeat(100),
  ],
  "x-api-key": ["«key.a»", "«key.b»", "«key.a~flip8»", "", " "],
  "mcp-method": ["tools/call", "tools/list", "ping", "", "TOOLS/CALL"],
  "mcp-name": ["add", "echo", "=?base64?YWRk?=", "=?base64?!?=", "=?base64?", ""],
  "mcp-param-region": ["eu", "=?base64?ZXU=?=", "=?BASE64?ZXU=?=", ""],
  "mcp-param-level": ["1", "1.0", "01", "0x1", "1e0", "-"],
  "toolgate-hops": ["0", "1", "2", "-1", "x", "1e9"],
  traceparent: ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-0-0-0", "x"],
  "x-request-id": ['x\t{"level":"admin"}', "a".repeat(4_000)],
  cookie: ["a=b"],
  "x-forwarded-for": ["127.0.0.1, 10.0.0.1"],
  "cf-connecting-ip": ["203.0.113.7", "2001:db8::1", "::", "x", ":::::::::"],
  "sec-websocket-protocol": ["mcp", "mcp, mcp.auth.«key.b»"],
};

export interface FieldChange {
  name: string;
  value: string;
  change: "set" | "add" | "drop";
}

const NAMES = Object.keys(OF);

const changeOf: fc.Arbitrary<FieldChange> = fc
  .record({
    name: fc.constantFrom(...NAMES),
    pick: fc.nat(100),
    text: seldom(fc.constant(""), fieldText, 7),
    change: fc.constantFrom("set", "set", "set", "add", "drop"),
  })
  .map(({ name, pick, text, change }) => {
    const values = OF[name] ?? [];
    return { name, change, value: text === "" ? (values[pick % values.length] ?? "") : text };
  });

export const fieldChanges = (least: number, most: number): fc.Arbitrary<FieldChange[]> =>
  fc.array(changeOf, { minLength: least, maxLength: most });

/** Fields with some of them changed. */
export const changeFields = (from: Field[], list: readonly FieldChange[]): Field[] =>
  list.reduce((sofar: Field[], { name, value, change }) => {
    const others = change === "add" ? sofar : sofar.filter(([each]) => each !== name);
    return change === "drop" ? others : [...others, [name, value]];
  }, from);
