import { describe, expect, it } from "vitest";
import { importOperation } from "./one-operation.ts";

const TEXT = { type: "string" };
const POINT = { type: "object", properties: { x: { type: "integer" }, y: { type: "integer" } } };

const importBody = (content: object, required = true, method = "post") =>
  importOperation({ requestBody: { required, content } }, { method });
const importJson = (schema: object, required = true) => importBody({ "application/json": { schema } }, required);
const importForm = (schema: object, encoding: object = {}) =>
  importBody({ "application/x-www-form-urlencoded": { schema, encoding } });

const json = (schema: object) => ({ content: { "application/json": { schema } } });

describe("a JSON body", () => {
  it("of a plain object becomes an argument for each property", () => {
    expect(importJson({ ...POINT, required: ["y"] })).toMatchObject({
      arguments: POINT.properties,
      required: ["y"],
      body: { x: "{x}", y: "{y}" },
    });
  });

  it.each([
    ["a list", { type: "array", items: TEXT }],
    ["a map", { type: "object", additionalProperties: TEXT }],
    ["an object with more", { ...POINT, additionalProperties: true }],
    ["an object with ties", { ...POINT, anyOf: [{ required: ["x"] }, { required: ["y"] }] }],
    ["an object with anything", { type: "object" }],
    ["one of two", { oneOf: [POINT, TEXT] }],
  ])("that is %s is one argument", (_, schema) => {
    expect(importJson(schema)).toMatchObject({ arguments: { body: schema }, required: ["body"], body: "{body}" });
  });

  it("is one argument when what it requires would make it required", () => {
    const schema = { ...POINT, required: ["x"] };
    expect(importJson(schema, false)).toMatchObject({
      arguments: { body: schema },
      required: undefined,
      body: "{body}",
    });
    expect(importJson(POINT, false)).toMatchObject({ arguments: POINT.properties, body: { x: "{x}", y: "{y}" } });
  });

  it("is one argument when two parts of it say something of one property", () => {
    const schema = { allOf: [POINT, { properties: { x: { minimum: 1 } } }] };
    expect(importJson(schema)).toMatchObject({ arguments: { body: schema }, body: "{body}" });
  });

  it.each([
    ["application/json; charset=utf-8", undefined],
    ["application/merge-patch+json", { "content-type": "application/merge-patch+json" }],
    ["*/*", undefined],
  ])("may be sent as %s", (type, headers) => {
    expect(importBody({ "text/xml": {}, [type]: { schema: POINT } })).toMatchObject({
      body: { x: "{x}", y: "{y}" },
      ...(headers && { headers }),
    });
  });

  it("is preferred to a form", () => {
    const form = { "application/x-www-form-urlencoded": { schema: POINT } };
    expect(importBody({ ...form, "application/json": { schema: TEXT } })).toMatchObject({ body: "{body}" });
  });
});

describe("a form", () => {
  it("sends a field for each property, lists repeated or joined", () => {
    const list = { type: "array", items: TEXT };
    const schema = { type: "object", properties: { a: TEXT, b: list, c: list, d: POINT }, required: ["a"] };
    const encoding = { c: { explode: false }, d: { style: "deepObject" } };
    expect(importForm(schema, encoding)).toMatchObject({
      required: ["a"],
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: { a: "{a}", b: "{b}", c: "{c,}", "d[x]": "{d_x}", "d[y]": "{d_y}" },
      notes: [],
    });
  });

  it.each([
    [{ a: POINT }, {}, 'form field "a": an object'],
    [{ a: { type: "object", properties: { b: POINT } } }, { a: { style: "deepObject" } }, undefined],
    [{ a: { type: "array", items: TEXT } }, { a: { style: "odd" } }, 'form field "a": style "odd"'],
  ])("with %j and encoding %j leaves out what it can't say", (properties, encoding, reason) => {
    const schema = { type: "object", properties };
    const note = reason ?? 'form field "a[b]": no plain value';
    expect(importForm(schema, encoding)).toMatchObject({ body: {}, notes: [`left out ${note}`] });
    if (reason) expect(importForm({ ...schema, required: ["a"] }, encoding)).toEqual({ reason });
  });

  it("must name its fields", () => {
    expect(importForm({ type: "object" })).toEqual({ reason: "a form whose fields are not named" });
  });
});

describe("any other body", () => {
  it.each([
    [{ "multipart/form-data": {} }, "a request body as multipart/form-data"],
    [{ "application/octet-stream": {}, "image/png": {} }, "a request body as application/octet-stream, image/png"],
    [[], "not a valid request body: content: expected an object, received an array"],
  ])("%j costs the operation", (content, reason) => {
    expect(importBody(content)).toEqual({ reason });
  });

  it("costs a GET request only when it must be there", () => {
    const content = { "application/json": { schema: POINT } };
    expect(importBody(content, true, "get")).toEqual({ reason: "a body in a GET request" });
    expect(importBody(content, false, "get")).toMatchObject({
      arguments: {},
      notes: ["left out the body of a GET request"],
    });
    expect(importBody(content, true, "delete")).toMatchObject({ body: { x: "{x}", y: "{y}" } });
  });
});

const importAnswer = (responses: object) => importOperation({ responses });

describe("an answer", () => {
  it.each([
    ["an object", { 200: json(POINT) }, "json", "application/json"],
    ["an object by its properties", { 201: json({ properties: { a: {} } }) }, "json", "application/json"],
    ["objects only", { "2XX": json({ oneOf: [POINT, { type: "object" }] }) }, "json", "application/json"],
    ["an object or null", { 200: json({ type: ["object", "null"] }) }, "json", "application/json"],
    ["a list", { 200: json({ type: "array" }) }, "json", "application/json"],
    ["anything", { 200: json({}) }, "json", "application/json"],
    [
      "JSON of its own kind",
      { 200: { content: { "application/hal+json": { schema: POINT } } } },
      "json",
      "application/hal+json",
    ],
    ["HTML", { 200: { content: { "text/html": {} } } }, undefined, "text/html"],
    ["XML", { 200: { content: { "application/atom+xml": {} } } }, undefined, "application/atom+xml"],
    ["SVG", { 200: { content: { "image/svg+xml": {} } } }, undefined, "image/svg+xml"],
    ["an image", { 200: { content: { "image/*": {} } } }, "image", "image/*"],
    ["a sound", { 200: { content: { "audio/mpeg": {} } } }, "audio", "audio/mpeg"],
    ["a file", { 200: { content: { "application/zip": {} } } }, undefined, "application/zip"],
    ["whatever", { 200: { content: { "*/*": {} } } }, undefined, undefined],
    ["nothing", { 204: {} }, undefined, undefined],
    ["what comes after nothing", { 204: {}, 200: json(POINT) }, "json", "application/json"],
    ["the only one there is", { default: json(POINT) }, "json", "application/json"],
    ["no error's", { 202: {}, default: json(POINT) }, undefined, undefined],
  ])("that is %s", (_, responses, result, accept) => {
    expect(importAnswer(responses).result).toBe(result);
    expect(importAnswer(responses)).toMatchObject({ ...(accept !== undefined && { headers: { accept } }) });
    if (accept === undefined) expect(importAnswer(responses)).toMatchObject({ headers: undefined });
  });
});
