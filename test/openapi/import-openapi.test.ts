import { describe, expect, it } from "vitest";
import { importOpenApi } from "./import-at-once.ts";
import type { ImportOptions } from "../../src/openapi/import-options.ts";
import { harbourApi } from "../support/harbour-api.ts";

const TOKEN = { authorization: "Bearer {{secret:HARBOUR_API_HARBOUR_TOKEN}}" };
const READS = { readOnlyHint: true, openWorldHint: true };
const WRITES = { readOnlyHint: false, openWorldHint: true };
const REPLACES = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };
const ORIGIN = { origin: "openapi:harbour-api" };
const SHIP_ID = { ship_id: { type: "integer", exclusiveMinimum: 0 } };
const CRATE = {
  type: "object",
  properties: { kind: { type: "string" }, crates: { type: "array", items: { $ref: "#/$defs/Crate" } } },
};

const named = (properties: object, required: string[] = [], defs?: object) => ({
  type: "object",
  properties,
  ...(required.length > 0 && { required }),
  ...(defs && { $defs: defs }),
});

const LIST = {
  name: "listShips",
  operation: "GET /ships",
  record: {
    title: "List ships",
    description: "List ships\n\nThose in harbour, newest first.",
    inputSchema: named({
      flag: { type: "array", items: { type: "string" }, description: "Country codes" },
      sort: { type: "array", items: { enum: ["name", "length"] } },
      berths: { type: "array", items: { type: "integer" } },
      filter_name: { type: "string" },
      filter_min_length: { type: "number" },
      limit: { type: "integer", default: 20, maximum: 100 },
      X_Trace: { type: "string", maxLength: 32 },
    }),
    annotations: READS,
    ...ORIGIN,
    source: {
      kind: "http",
      method: "GET",
      url: "https://harbour.example/v1/ships",
      query: {
        flag: "{flag}",
        sort: "{sort,}",
        berths: "{berths|}",
        "filter[name]": "{filter_name}",
        "filter[min.length]": "{filter_min_length}",
        limit: "{limit}",
      },
      headers: { ...TOKEN, "X-Trace": "{X_Trace}", accept: "application/json" },
      result: "json",
    },
  },
};

const CREATE = {
  name: "ships_create",
  operation: "POST /ships",
  record: {
    description: "Announce a ship",
    inputSchema: named(
      {
        name: { type: "string", minLength: 1, examples: ["Aurora"] },
        length: { type: "number", exclusiveMinimum: 0, description: "In metres" },
        owner: { type: ["string", "null"] },
        hold: { $ref: "#/$defs/Crate" },
      },
      ["name", "length"],
      { Crate: CRATE },
    ),
    annotations: WRITES,
    ...ORIGIN,
    source: {
      kind: "http",
      method: "POST",
      url: "https://harbour.example/v1/ships",
      headers: { ...TOKEN, accept: "application/json" },
      body: { name: "{name}", length: "{length}", owner: "{owner}", hold: "{hold}" },
      result: "json",
    },
  },
};

const SHOW = {
  name: "getShip",
  operation: "GET /ships/{ship-id}",
  record: {
    description: "Show a ship",
    inputSchema: named(SHIP_ID, ["ship_id"]),
    annotations: READS,
    ...ORIGIN,
    source: {
      kind: "http",
      method: "GET",
      url: "https://harbour.example/v1/ships/{ship_id}",
      headers: { ...TOKEN, accept: "application/json" },
      result: "json",
    },
  },
};

const REPLACE = {
  name: "replaceShip",
  operation: "PUT /ships/{ship-id}",
  record: {
    description: "PUT /ships/{ship-id}",
    inputSchema: named(
      { ...SHIP_ID, body_ship_id: { type: "string", examples: ["NL-7"] }, cargo: { $ref: "#/$defs/Crate" } },
      ["ship_id", "body_ship_id"],
      { Crate: CRATE },
    ),
    annotations: REPLACES,
    ...ORIGIN,
    source: {
      kind: "http",
      method: "PUT",
      url: "https://harbour.example/v1/ships/{ship_id}",
      headers: { ...TOKEN, "content-type": "application/vnd.harbour.v2+json" },
      body: { ship_id: "{body_ship_id}", cargo: "{cargo}" },
    },
  },
};

const REMOVE = {
  name: "removeShip",
  operation: "DELETE /ships/{ship-id}",
  record: {
    description: "DELETE /ships/{ship-id}",
    inputSchema: named(SHIP_ID, ["ship_id"]),
    annotations: REPLACES,
    ...ORIGIN,
    source: {
      kind: "http",
      method: "DELETE",
      url: "https://harbour.example/v1/ships/{ship_id}",
      headers: TOKEN,
    },
  },
};

const CHANGE = {
  name: "patch_ships_ship-id",
  operation: "PATCH /ships/{ship-id}",
  record: {
    description: "PATCH /ships/{ship-id}",
    inputSchema: named(
      {
        ...SHIP_ID,
        body: {
          oneOf: [
            { type: "object", required: ["name"] },
            { type: "array", items: {} },
          ],
        },
      },
      ["ship_id"],
    ),
    annotations: WRITES,
    ...ORIGIN,
    source: {
      kind: "http",
      method: "PATCH",
      url: "https://harbour.example/v1/ships/{ship_id}",
      headers: { ...TOKEN, accept: "text/plain" },
      body: "{body}",
    },
  },
};

const PHOTO = {
  name: "getPhoto",
  operation: "GET /ships/{ship-id}/photo",
  record: {
    description: "GET /ships/{ship-id}/photo",
    inputSchema: named({ ship_id: { type: "integer" } }, ["ship_id"]),
    annotations: READS,
    ...ORIGIN,
    source: {
      kind: "http",
      method: "GET",
      url: "https://harbour.example/v1/ships/{ship_id}/photo",
      headers: { authorization: "Basic {{secret:HARBOUR_API_HARBOUR_PASS}}", accept: "image/png" },
      result: "image",
    },
  },
};

const SIGNAL = {
  name: "sendSignal",
  operation: "POST /signals/{code}/{channels}",
  record: {
    description: "POST /signals/{code}/{channels}",
    inputSchema: named(
      {
        code: { type: "string" },
        channels: { type: "array", items: { type: "integer" } },
        text: { type: "string" },
        to: { type: "array", items: { type: "string" } },
        days: { type: "array", items: { type: "string" } },
        sender_name: { type: "string" },
      },
      ["code", "channels", "text"],
    ),
    annotations: WRITES,
    ...ORIGIN,
    source: {
      kind: "http",
      method: "POST",
      url: "https://north.harbour.example/signals/;code={code}/{channels,}",
      headers: {
        "X-Crane": "{{secret:HARBOUR_API_CRANE}}",
        ...TOKEN,
        "content-type": "application/x-www-form-urlencoded",
        accept: "audio/ogg",
      },
      body: { text: "{text}", to: "{to}", days: "{days,}", "sender[name]": "{sender_name}" },
      result: "audio",
    },
  },
};

const SEARCH = {
  name: "search",
  operation: "GET /search",
  record: {
    description: "GET /search",
    inputSchema: named({ where: { type: "object", additionalProperties: { type: "string" } } }, ["where"]),
    annotations: READS,
    ...ORIGIN,
    source: {
      kind: "http",
      method: "GET",
      url: "https://harbour.example/v1/search",
      query: { pier_key: "{{secret:HARBOUR_API_PIER}}", where: "{where}" },
      headers: { accept: "application/pdf" },
    },
  },
};

const importedNames = (options: ImportOptions) => importOpenApi(harbourApi(), options).tools.map(({ name }) => name);

describe("importOpenApi", () => {
  it("makes tools of operations and says why of the others", () => {
    expect(importOpenApi(harbourApi())).toEqual({
      api: "harbour-api",
      serverUrl: "https://harbour.example/v1",
      tools: [LIST, CREATE, SHOW, REPLACE, REMOVE, CHANGE, PHOTO, SIGNAL, SEARCH],
      skipped: [
        { operation: "* /elsewhere", reason: '$ref "./elsewhere.yaml" leads to another document: bundle them first' },
        { operation: "TRACE /ships", reason: "method TRACE can't be a tool's" },
        { operation: "PUT /ships/{ship-id}/photo", reason: "a request body as multipart/form-data" },
        { operation: "POST /search", reason: "security by cookie" },
        { operation: "GET /old", reason: "deprecated" },
      ],
      notes: [
        { operation: "GET /ships", note: 'left out cookie parameter "theme": sent as a cookie' },
        {
          operation: "POST /signals/{code}/{channels}",
          note: 'left out form field "sender[tags]": no plain value',
        },
        { operation: "POST /signals/{code}/{channels}", note: 'left out form field "extra": an object' },
      ],
      secrets: [
        { name: "HARBOUR_API_HARBOUR_TOKEN", expects: "the token", in: "header", field: "authorization" },
        { name: "HARBOUR_API_HARBOUR_PASS", expects: "user:password in base64", in: "header", field: "authorization" },
        { name: "HARBOUR_API_CRANE", expects: "the API key", in: "header", field: "X-Crane" },
        { name: "HARBOUR_API_PIER", expects: "the API key", in: "query", field: "pier_key" },
      ],
    });
  });

  it("declares what answers hold only when asked to", () => {
    const schemas = importOpenApi(harbourApi(), { outputSchemas: "on" }).tools.map(({ record }) => record.outputSchema);
    const ship = {
      type: "object",
      required: ["id", "name"],
      properties: { id: { type: "integer" }, name: { type: "string" } },
    };
    const none = undefined;
    expect(schemas).toEqual([none, ship, ship, none, none, none, none, none, none]);
  });

  it.each<[ImportOptions, string[]]>([
    [{ includeTags: ["media", "sig*"] }, ["getPhoto", "sendSignal", "search"]],
    [{ excludeTags: ["ships", "signals"] }, ["getPhoto"]],
    [{ includePaths: ["/ships/*"], excludePaths: ["*/photo"] }, [SHOW.name, REPLACE.name, REMOVE.name, CHANGE.name]],
    [{ includeOperations: ["*Ship"], excludeOperations: ["remove*"] }, ["getShip", "replaceShip"]],
    [{ includePaths: ["/old"], deprecated: true }, ["old"]],
    [{ includePaths: ["/search"], prefix: "harbour_" }, ["harbour_search"]],
    [{ maxTools: 2 }, ["listShips", "ships_create"]],
  ])("imports with %j", (options, names) => {
    expect(importedNames(options)).toEqual(names);
  });

  it.each([
    [{ summary: "A user." }, { description: "A user." }],
    [{ summary: "A user", description: "A  user." }, { description: "A  user." }],
    [{ summary: "A user.", description: "a user" }, { description: "a user" }],
    [{ description: "A user." }, { description: "A user." }],
    [{}, { description: "GET /user" }],
    [
      { summary: "A user", description: "A user of many." },
      { title: "A user", description: "A user of many." },
    ],
    [
      { summary: "A user", description: "By name." },
      { title: "A user", description: "A user\n\nBy name." },
    ],
  ])("has the text of %j once", (texts, expected) => {
    const document = { openapi: "3.1.0", info: { title: "Users" }, servers: [{ url: "https://users.example" }] };
    const { tools } = importOpenApi({ ...document, paths: { "/user": { get: texts } } });
    expect(tools.map(({ record: { title, description } }) => ({ title, description }))).toEqual([expected]);
  });

  it("sends all requests to another server, with more headers", () => {
    const { tools, serverUrl } = importOpenApi(harbourApi("/v1"), {
      server: "http://127.0.0.1:9000/base/",
      headers: { Authorization: "Bearer {{secret:MINE}}", "user-agent": "toolgate" },
      includeOperations: ["search", "sendSignal", "getShip"],
    });
    expect(serverUrl).toBe("http://127.0.0.1:9000/base");
    expect(tools.map(({ record: { source } }) => source.kind === "http" && [source.url, source.headers])).toEqual([
      [
        "http://127.0.0.1:9000/base/ships/{ship_id}",
        { authorization: "Bearer {{secret:MINE}}", "user-agent": "toolgate", accept: "application/json" },
      ],
      [
        "http://127.0.0.1:9000/base/signals/;code={code}/{channels,}",
        {
          authorization: "Bearer {{secret:MINE}}",
          "user-agent": "toolgate",
          "X-Crane": "{{secret:HARBOUR_API_CRANE}}",
          "content-type": "application/x-www-form-urlencoded",
          accept: "audio/ogg",
        },
      ],
      [
        "http://127.0.0.1:9000/base/search",
        { authorization: "Bearer {{secret:MINE}}", "user-agent": "toolgate", accept: "application/pdf" },
      ],
    ]);
  });

  it.each([
    [{ swagger: "2.0" }, 'expected OpenAPI 3.0 or 3.1, received "swagger" 2.0: convert the document first'],
    [{ openapi: "4.0.0", info: { title: "x" } }, 'not an OpenAPI document: openapi: expected "3.0.x" or "3.1.x"'],
    [{ openapi: "3.1.0" }, "not an OpenAPI document: info: expected an object, received none"],
    [null, "not an OpenAPI document: the document: expected an object, received null"],
    [{ openapi: "3.1.0", info: { title: "港" }, paths: {} }, /^the document's title holds no letter/],
  ])("refuses %j", (document, message) => {
    expect(() => importOpenApi(document)).toThrow(message);
  });
});
