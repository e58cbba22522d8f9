// What operators send is refused or kept: no record may lose an entry because of its name.

import * as v from "valibot";
import { expect, it } from "vitest";
import { strictRecord } from "../../src/lib/strict-record.ts";
import { ImportOptionsSchema } from "../../src/openapi/import-options.ts";
import { HttpSourceSchema } from "../../src/tools/tool-record.ts";
import { UpstreamSchema } from "../../src/tools/upstream/upstream-record.ts";
import { KeyChangeSchema, KeyInputSchema } from "../../src/keys/key-input.ts";

const http = (more: object) => ({ kind: "http", method: "GET", url: "https://api.example.com/", ...more });

const SCHEMAS: [string, v.GenericSchema, (record: unknown) => unknown, unknown][] = [
  ["limits of tools", KeyInputSchema, (tools) => ({ name: "n", limits: { perMinute: 1, tools } }), { perMinute: 1 }],
  ["changed limits of tools", KeyChangeSchema, (tools) => ({ limits: { tools } }), { perMinute: 1 }],
  ["headers of a tool", HttpSourceSchema, (headers) => http({ headers }), "x"],
  ["a tool's query", HttpSourceSchema, (query) => http({ query }), "x"],
  ["headers of an upstream", UpstreamSchema, (headers) => ({ url: "https://a.example/", headers }), "x"],
  ["headers of an import", ImportOptionsSchema, (headers) => ({ headers }), "x"],
];

it.each(SCHEMAS)("refuses a name that would be lost: %s", (_, schema, wrap, value) => {
  const entries = (name: string): unknown => wrap(JSON.parse(text(name, value)));
  const verdicts = ["x", "__proto__", "constructor", "prototype"].map((name) => v.is(schema, entries(name)));
  expect(verdicts).toEqual([true, false, false, false]);
});

const text = (name: string, value: unknown): string => `{${JSON.stringify(name)}:${JSON.stringify(value)}}`;

it("says which names those are, and leaves what is no object to be refused as such", () => {
  const schema = strictRecord(v.string(), v.number());
  const told = [JSON.parse('{"__proto__":1}'), null, { a: 1 }].map(
    (value) => v.safeParse(schema, value, { abortPipeEarly: true }).issues?.map(({ message }) => message) ?? "good",
  );
  expect(told).toEqual([
    ["expected no entry named __proto__, constructor, prototype"],
    ["Invalid type: Expected Object but received null"],
    "good",
  ]);
});
