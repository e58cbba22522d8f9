import { expect, it } from "vitest";
import * as v from "valibot";
import { issueMessage, withoutReceived } from "../../src/lib/issue-message.ts";
import { ToolRecordSchema } from "../../src/tools/tool-record.ts";
import { UpstreamSchema } from "../../src/tools/upstream/upstream-record.ts";

const HTTP = { kind: "http", method: "GET", url: "https://api.example/" };
const tool = (source: unknown) => ({ description: "A.", inputSchema: {}, source });

it.each<[v.GenericSchema, unknown, string]>([
  [UpstreamSchema, "Bearer s3cret", "Invalid type: Expected Object but received a string"],
  [UpstreamSchema, { url: "u", headers: "Bearer s3cret" }, "Invalid type: Expected Object but received a string"],
  [UpstreamSchema, { url: "u", headers: { A: 31337 } }, "Invalid type: Expected string but received a number"],
  [UpstreamSchema, { url: "u", include: "s3cret" }, "Invalid type: Expected Array but received a string"],
  [UpstreamSchema, { url: "u", enabled: "s3cret" }, "Invalid type: Expected boolean but received a string"],
  [ToolRecordSchema, tool({ ...HTTP, headers: "$& s3cret" }), "Invalid type: Expected Object but received a string"],
  [ToolRecordSchema, tool({ ...HTTP, query: { key: 31337 } }), "Invalid type: Expected string but received a number"],
  [ToolRecordSchema, tool("s3cret"), "Invalid type: Expected Object but received a string"],
  [UpstreamSchema, { url: null }, "Invalid type: Expected string but received null"],
  [UpstreamSchema, { url: "u", other: 1 }, 'Invalid key: Expected never but received "other"'],
  [
    ToolRecordSchema,
    tool({ ...HTTP, method: "GOT" }),
    'Invalid type: Expected ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE") but received "GOT"',
  ],
])("a value of the wrong type is not quoted (%#)", (schema, value, message) => {
  const { issues = [] } = v.safeParse(schema, value, { abortPipeEarly: true });
  expect(issues.map(issueMessage)).toEqual([message]);
});

it.each([
  [
    'Invalid type: Expected ("asc" | "desc") but received "s3cret"',
    'Invalid type: Expected ("asc" | "desc") but received a string',
  ],
  ['Invalid type: Expected "a" but received "s3\n"cret"', 'Invalid type: Expected "a" but received a string'],
  ["Invalid length: Expected <=3 but received 5", "Invalid length: Expected <=3 but received a number"],
  ["Invalid type: Expected Object but received null", "Invalid type: Expected Object but received null"],
  ["Invalid type: Expected string but received Array", "Invalid type: Expected string but received Array"],
  ["expected base64", "expected base64"],
])("%j is told to the log as %j", (message, told) => {
  expect(withoutReceived(message)).toBe(told);
});
