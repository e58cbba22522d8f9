import { expect, it } from "vitest";
import * as v from "valibot";
import { KeyInputSchema } from "../../src/keys/key-input.ts";
import { describeIssue } from "../../src/lib/describe-issue.ts";
import { withoutReceived } from "../../src/lib/issue-message.ts";
import { ToolRecordSchema } from "../../src/tools/tool-record.ts";
import { UpstreamSchema } from "../../src/tools/upstream/upstream-record.ts";

const HTTP = { kind: "http", method: "GET", url: "https://api.example/" };
const tool = (source: unknown) => ({ description: "A.", inputSchema: {}, source });

const key = (more: object) => ({ name: "x", ...more });

it.each<[v.GenericSchema, unknown, string]>([
  [UpstreamSchema, "Bearer s3cret", "body: expected an object, received a string"],
  [UpstreamSchema, { url: "u", headers: "Bearer s3cret" }, "headers: expected an object, received a string"],
  [UpstreamSchema, { url: "u", headers: { A: 31337 } }, "headers.A: expected a string, received a number"],
  [UpstreamSchema, { url: "u", include: "s3cret" }, "include: expected an array, received a string"],
  [UpstreamSchema, { url: "u", enabled: "s3cret" }, "enabled: expected true or false, received a string"],
  [ToolRecordSchema, tool({ ...HTTP, headers: "$& s3cret" }), "source.headers: expected an object, received a string"],
  [
    ToolRecordSchema,
    tool({ ...HTTP, query: { key: 31337 } }),
    "source.query.key: expected a string, received a number",
  ],
  [ToolRecordSchema, tool("s3cret"), "source: expected an object, received a string"],
  [UpstreamSchema, { url: null }, "url: expected a string, received null"],
])("a value of the wrong type is not quoted (%#)", (schema, value, message) => {
  expect(tell(schema, value)).toEqual([message]);
});

it.each<[v.GenericSchema, unknown, string]>([
  [
    UpstreamSchema,
    { url: "u", other: 1 },
    "other: unknown name: expected url, headers, include, exclude, timeoutMs, traceContext, enabled",
  ],
  [UpstreamSchema, {}, "url: expected a string, received none"],
  [UpstreamSchema, { url: "u", timeoutMs: 0.5 }, "timeoutMs: expected a whole number from 1 to 300000, received 0.5"],
  [
    ToolRecordSchema,
    tool({ ...HTTP, method: "GOT" }),
    'source.method: expected "GET", "HEAD", "POST", "PUT", "PATCH" or "DELETE", received "GOT"',
  ],
  [
    ToolRecordSchema,
    tool({ ...HTTP, urll: "x" }),
    `source.urll: unknown name: expected kind, method, url, query, headers, body, result, traceContext`,
  ],
  [
    ToolRecordSchema,
    tool({ kind: "http", url: "u" }),
    'source.method: expected "GET", "HEAD", "POST", "PUT", "PATCH" or "DELETE", received none',
  ],
  [ToolRecordSchema, tool({ kind: "htpp" }), 'source.kind: expected "http" or "code", received "htpp"'],
  [ToolRecordSchema, { ...tool(HTTP), description: "" }, "description: expected at least 1 character, received 0"],
  [KeyInputSchema, key({ scopes: ["foo"] }), 'scopes.0: expected "mcp", "admin:read" or "admin", received "foo"'],
  [KeyInputSchema, key({ scopes: [] }), "scopes: expected at least 1 item, received 0"],
  [KeyInputSchema, key({ limits: {} }), "limits.perMinute: expected a whole number from 1 to 1000000, received none"],
  [
    KeyInputSchema,
    key({ limits: { perminute: 5, perMinute: 5 } }),
    "limits.perminute: unknown name: expected perMinute, burst, perDay, concurrent, streams, tools",
  ],
  [
    KeyInputSchema,
    key({ limits: { perMinute: 5, tools: { "a*": { perMinute: 0 } } } }),
    "limits.tools.a*.perMinute: expected a whole number from 1 to 1000000, received 0",
  ],
  [
    KeyInputSchema,
    key({ expiresAt: "x".repeat(100) }),
    `expiresAt: expected an ISO 8601 time such as 2030-01-31T12:00:00Z, received "${"x".repeat(64)}…"`,
  ],
  [
    KeyInputSchema,
    key({ expiresAt: "2030-02-31T00:00:00Z" }),
    'expiresAt: expected a day that is in the calendar, received "2030-02-31T00:00:00Z"',
  ],
  [
    KeyInputSchema,
    key({ expiresAt: "2020-02-01T00:00:00Z" }),
    'expiresAt: expected a time in the future, received "2020-02-01T00:00:00Z"',
  ],
  [v.picklist(["a", "b"], "expected a or b"), "c", 'body: expected a or b, received "c"'],
])("what was expected and what came is told (%#)", (schema, value, message) => {
  expect(tell(schema, value)).toEqual([message]);
});

function tell(schema: v.GenericSchema, value: unknown): string[] {
  const { issues = [] } = v.safeParse(schema, value, { abortPipeEarly: true });
  return issues.map((issue) => describeIssue(issue, schema, "body"));
}

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
