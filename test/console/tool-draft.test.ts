import { describe, expect, it } from "vitest";
import { newDraft, toDraft, toRecordText, withSlots } from "../../src/console/views/tools/tool-draft.ts";

const HTTP = {
  title: "Find ship",
  description: "Finds a ship.",
  icons: [{ src: "https://ships.example/icon.png" }],
  annotations: { title: "Ships", readOnlyHint: true, openWorldHint: false },
  timeoutMs: 5000,
  cost: 2,
  inputSchema: { type: "object", properties: { sign: { type: "string" } }, required: ["sign"] },
  outputSchema: { type: "object" },
  source: {
    kind: "http",
    method: "POST",
    url: "https://ships.example/{sign}",
    query: { q: "{q}" },
    headers: { authorization: "Bearer {{secret:TOKEN}}" },
    body: { sign: "{sign}" },
    result: "json",
  },
};

const CODE = {
  description: "Greets.",
  inputSchema: { type: "object" },
  source: {
    kind: "code",
    module: "export default () => 1;\n",
    egress: ["a.example", "b.example:8443"],
    secrets: ["T"],
  },
};

describe("a draft", () => {
  it.each([HTTP, CODE])("gives back the record that it was made of", (record) => {
    const made = toRecordText(toDraft("ship", record));
    expect("text" in made && JSON.parse(made.text)).toEqual(record);
  });

  it("keeps a schema as it was typed", () => {
    const made = toRecordText({ ...newDraft("code"), inputSchema: '{"type": "object", "minProperties": 1.0}' });
    expect("text" in made && made.text).toContain('"inputSchema": {"type": "object", "minProperties": 1.0}');
  });

  it("says which of its texts is not JSON", () => {
    const made = toRecordText({ ...newDraft("http"), inputSchema: "{", outputSchema: "[", body: "x" });
    expect("faults" in made && made.faults.map(({ path }) => path)).toEqual([
      "inputSchema",
      "outputSchema",
      "source.body",
    ]);
  });

  it("passes on what is no number, for the server to say so", () => {
    const made = toRecordText({ ...newDraft("http"), timeoutMs: "soon", cost: " " });
    expect("text" in made && JSON.parse(made.text)).toMatchObject({ timeoutMs: "soon" });
  });

  it.each([{}, { source: null }, { source: { kind: "builtin" } }])("is not made of %j", (record) => {
    expect(() => toDraft("x", record)).toThrow(/^source/);
  });
});

it("adds the arguments that a request has places for", () => {
  const draft = {
    ...newDraft("http"),
    url: "https://ships.example/{sign}/{{literal}}",
    query: [{ name: "q", value: "{words+}" }],
    headers: [{ name: "authorization", value: "Bearer {{secret:TOKEN}}" }],
    body: '{"a": "{inner}", "b": ["{sign}"]}',
    inputSchema: '{"type": "object", "properties": {"sign": {"type": "integer"}}}',
  };
  expect(JSON.parse(withSlots(draft))).toEqual({
    type: "object",
    properties: { sign: { type: "integer" }, words: { type: "string" }, inner: { type: "string" } },
    required: ["sign"],
  });
});
