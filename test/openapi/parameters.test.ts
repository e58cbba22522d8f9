import { describe, expect, it } from "vitest";
import { importOperation } from "./one-operation.ts";

const LIST = { type: "array", items: { type: "string" } };
const POINT = { type: "object", properties: { x: { type: "integer" }, y: { type: "integer" } }, required: ["x"] };
const MAP = { type: "object", additionalProperties: { type: "string" } };

const importParameter = (parameter: object, path = "/things") =>
  importOperation({ parameters: [parameter], responses: {} }, { path });

describe("a query parameter", () => {
  it.each([
    ["a value", { schema: { type: "string" } }, { p: "{p}" }],
    ["anything", {}, { p: "{p}" }],
    ["a list", { schema: LIST }, { p: "{p}" }],
    ["a list or null", { schema: { type: ["array", "null"], items: {} } }, { p: "{p}" }],
    ["a list or a value", { explode: false, schema: { oneOf: [LIST, { type: "string" }] } }, { p: "{p,}" }],
    ["a joined list", { explode: false, schema: LIST }, { p: "{p,}" }],
    ["a list between spaces", { style: "spaceDelimited", schema: LIST }, { p: "{p+}" }],
    ["a list between bars", { style: "pipeDelimited", explode: false, schema: LIST }, { p: "{p|}" }],
    ["a list in bars, exploded", { style: "pipeDelimited", explode: true, schema: LIST }, { p: "{p}" }],
    ["an object's properties", { schema: POINT }, { x: "{x}", y: "{y}" }],
    ["a deep object", { style: "deepObject", schema: POINT }, { "p[x]": "{p_x}", "p[y]": "{p_y}" }],
    ["JSON text", { content: { "application/json": { schema: MAP } } }, { p: "{p}" }],
  ])("that is %s", (_, parameter, query) => {
    expect(importParameter({ name: "p", in: "query", ...parameter })).toMatchObject({ query, notes: [] });
  });

  it.each([
    [{ schema: MAP }, "an object whose properties are not all named"],
    [{ schema: POINT, explode: false }, 'an object in style "form"'],
    [{ schema: POINT, style: "pipeDelimited" }, 'an object in style "pipeDelimited"'],
    [{ schema: { ...POINT, minProperties: 1 } }, "an object whose properties are not all named"],
    [{ style: "odd", schema: LIST }, 'style "odd"'],
    [{ content: { "text/xml": {} } }, 'sent as "text/xml", and no object'],
    [{ content: { "application/json": { schema: LIST } } }, 'sent as "application/json", and no object'],
    [{ schema: { $ref: "#/nowhere" } }, '$ref "#/nowhere" leads nowhere'],
    [{ schema: { $ref: "#anchor" } }, '$ref "#anchor": expected a JSON pointer such as #/components/…'],
  ])("that can't be said, %j, is left out with a note, or its operation with a reason", (parameter, why) => {
    const named = { name: "p", in: "query", ...parameter };
    expect(importParameter(named)).toMatchObject({ arguments: {}, notes: [`left out query parameter "p": ${why}`] });
    expect(importParameter({ ...named, required: true })).toEqual({ reason: `query parameter "p": ${why}` });
  });

  it("is required with what its object requires", () => {
    const query = { name: "p", in: "query", required: true, style: "deepObject" };
    expect(importParameter({ ...query, schema: POINT })).toMatchObject({ required: ["p_x"] });
    const nested = { type: "object", properties: { x: POINT }, required: ["x"] };
    expect(importParameter({ ...query, schema: nested })).toEqual({
      reason: 'query parameter "p": property "x" is no plain value',
    });
    expect(importParameter({ ...query, schema: { ...nested, required: [] } })).toMatchObject({
      notes: ['left out query parameter "p[x]": no plain value'],
    });
  });
});

describe("a path parameter", () => {
  it.each([
    [{ schema: { type: "string" } }, "/{p}"],
    [{ schema: LIST, explode: true }, "/{p,}"],
    [{ schema: { type: "string" }, style: "label" }, "/.{p}"],
    [{ schema: { type: "string" }, style: "matrix", explode: true }, "/;p={p}"],
    [{ schema: LIST, style: "matrix" }, "/;p={p,}"],
  ])("with %j is sent as %s", (parameter, path) => {
    const imported = importParameter({ name: "p", in: "path", required: true, ...parameter }, "/{p}");
    expect(imported).toMatchObject({ url: `https://things.example${path}`, required: ["p"] });
  });

  it.each([
    [{ schema: POINT }, "/{p}", 'path parameter "p": an object in style "form"'],
    [{ schema: LIST, style: "label" }, "/{p}", 'path parameter "p": a list in style "label"'],
    [{ schema: LIST, style: "matrix", explode: true }, "/{p}", 'path parameter "p": a list in style "matrix"'],
    [{ schema: {} }, "/{q}", 'its path has no parameter "q"'],
    [{ schema: {} }, "/{p}/}", "a path with unmatched braces"],
    [{ schema: {} }, "/a//{p}", "a path with an empty segment, . or .."],
    [{ schema: {} }, "/a/../{p}", "a path with an empty segment, . or .."],
    [{ schema: {} }, "/{p}?a=b", "a path that does not start with / or has ? or # in it"],
    [{ in: "body" }, "/{p}", 'not a valid parameter: in: expected "path", "query"'],
  ])("with %j in %s can't be said", (parameter, path, reason) => {
    expect(importParameter({ name: "p", in: "path", ...parameter }, path)).toEqual({
      reason: expect.stringContaining(reason),
    });
  });

  it("may stand between text that a URL has to encode", () => {
    const p = { name: "p", in: "path", required: true };
    expect(importParameter(p, "/é x/%20%/{p}:run")).toMatchObject({
      url: "https://things.example/%C3%A9%20x/%20%25/{p}:run",
    });
  });

  it("may stand between other text, and again", () => {
    const p = { name: "p", in: "path", required: true };
    expect(importParameter(p, "/a-{p}.json/{p}")).toMatchObject({ url: "https://things.example/a-{p}.json/{p}" });
  });
});

describe("a header parameter", () => {
  it.each([
    [{ name: "X-One", schema: { type: "integer" } }, { "X-One": "{X_One}" }, []],
    [{ name: "X-One", schema: LIST }, { "X-One": "{X_One}" }, []],
    [{ name: "Accept" }, undefined, ['ignored header parameter "Accept"']],
    [{ name: "X One" }, undefined, ['left out header parameter "X One": no name for a header of a tool']],
    [
      { name: "X-Forwarded-For" },
      undefined,
      ['left out header parameter "X-Forwarded-For": no name for a header of a tool'],
    ],
    [{ name: "X-One", schema: POINT }, undefined, ['left out header parameter "X-One": an object in style "form"']],
  ])("%j", (parameter, headers, notes) => {
    expect(importParameter({ in: "header", ...parameter })).toMatchObject({ notes, ...(headers && { headers }) });
  });

  it("does not replace a credential", () => {
    const components = { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } };
    const operation = { security: [{ key: [] }], parameters: [{ name: "x-key", in: "header", required: true }] };
    expect(importOperation(operation, { components })).toMatchObject({
      arguments: {},
      headers: { "X-Key": "{{secret:THINGS_KEY}}" },
      notes: ['header parameter "x-key" is set already'],
    });
  });
});

describe("names of arguments", () => {
  it("are letters, digits and _, and tell where a second of the same name goes", () => {
    const parameters = [
      { name: "id", in: "header" },
      { name: "$top", in: "query" },
      { name: "ids[]", in: "query", schema: LIST },
      { name: "名", in: "query" },
      { name: "__proto__", in: "query" },
      { name: "{b}", in: "query" },
      { name: "id", in: "query" },
      { name: "a.b", in: "query" },
      { name: "a-b", in: "query" },
      { name: "a_b", in: "query" },
      { name: "x".repeat(100), in: "query" },
      { name: "_id", in: "query" },
      { name: "id", in: "path", required: true },
    ];
    expect(importOperation({ parameters }, { path: "/things/{id}" })).toMatchObject({
      url: "https://things.example/things/{id}",
      query: JSON.parse(`{
        "$top": "{top}", "ids[]": "{ids}", "名": "{argument}", "id": "{query_id}",
        "a.b": "{a_b}", "a-b": "{query_a_b}", "a_b": "{query_a_b_2}",
        "${"x".repeat(100)}": "{${"x".repeat(64)}}", "_id": "{_id}"
      }`),
      headers: { id: "{header_id}" },
      notes: [
        'left out query parameter "__proto__": no name that can be sent',
        'left out query parameter "{b}": no name that can be sent',
      ],
    });
  });

  it("are the operation's own where its path has the same parameter", () => {
    const path = { "/a": { parameters: [{ name: "n", in: "query", description: "Path's" }], get: {} } };
    const own = { "/a": { ...path["/a"], get: { parameters: [{ name: "n", in: "query", description: "Own" }] } } };
    expect(importOperation({}, { document: { paths: path } })).toMatchObject({
      arguments: { n: { description: "Path's" } },
    });
    expect(importOperation({}, { document: { paths: own } })).toMatchObject({
      arguments: { n: { description: "Own" } },
    });
  });
});
