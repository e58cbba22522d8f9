import { describe, expect, it } from "vitest";
import { importOperation } from "./one-operation.ts";

const securitySchemes = {
  bearer: { type: "http", scheme: "Bearer", bearerFormat: "JWT" },
  basic: { type: "http", scheme: "basic" },
  digest: { type: "http", scheme: "digest" },
  headerKey: { type: "apiKey", in: "header", name: "X-Key" },
  "query-key": { type: "apiKey", in: "query", name: "key" },
  cookie: { type: "apiKey", in: "cookie", name: "sid" },
  oauth: { type: "oauth2", flows: {} },
  oidc: { type: "openIdConnect", openIdConnectUrl: "https://things.example/.well-known" },
  tls: { type: "mutualTLS" },
  alias: { $ref: "#/components/securitySchemes/bearer" },
  odd: { type: "magic" },
};

const secure = (security: object[] | undefined, document: object = {}) =>
  importOperation(security === undefined ? {} : { security }, { components: { securitySchemes }, document });

describe("security", () => {
  it.each([
    ["bearer", "headers", { authorization: "Bearer {{secret:THINGS_BEARER}}" }, "the token"],
    ["basic", "headers", { authorization: "Basic {{secret:THINGS_BASIC}}" }, "user:password in base64"],
    ["headerKey", "headers", { "X-Key": "{{secret:THINGS_HEADER_KEY}}" }, "the API key"],
    ["query-key", "query", { key: "{{secret:THINGS_QUERY_KEY}}" }, "the API key"],
    [
      "oauth",
      "headers",
      { authorization: "Bearer {{secret:THINGS_OAUTH}}" },
      "an access token, which nobody here renews",
    ],
    [
      "oidc",
      "headers",
      { authorization: "Bearer {{secret:THINGS_OIDC}}" },
      "an access token, which nobody here renews",
    ],
    ["alias", "headers", { authorization: "Bearer {{secret:THINGS_ALIAS}}" }, "the token"],
  ])("by %s is a slot for a secret", (name, place, fields, expects) => {
    expect(secure([{ [name]: ["scope"] }])).toMatchObject({ [place]: fields, secrets: [{ expects }] });
  });

  it.each([
    ["digest", 'security by HTTP scheme "digest"'],
    ["cookie", "security by cookie"],
    ["tls", "security by client certificates"],
    ["none", 'security scheme "none" is not defined'],
    ["toString", 'security scheme "toString" is not defined'],
    ["odd", /^not a valid security scheme "odd": type: /],
  ])("by %s costs the operation", (name, reason) => {
    expect(secure([{ [name]: [] }]).reason).toMatch(reason);
  });

  it("takes the first alternative that can be sent, and all of its parts", () => {
    const both = {
      headers: { "X-Key": "{{secret:THINGS_HEADER_KEY}}" },
      query: { key: "{{secret:THINGS_QUERY_KEY}}" },
    };
    expect(secure([{ cookie: [] }, { headerKey: [], "query-key": [] }, { bearer: [] }])).toMatchObject(both);
    expect(secure([{ cookie: [] }, { tls: [] }])).toEqual({
      reason: "security by cookie; security by client certificates",
    });
  });

  it("is the document's where the operation has none of its own", () => {
    const document = { security: [{ bearer: [] }] };
    expect(secure(undefined, document)).toMatchObject({ secrets: [{ name: "THINGS_BEARER" }] });
    expect(secure([], document)).toMatchObject({ secrets: [], headers: undefined });
    expect(secure([{}], document)).toMatchObject({ secrets: [], headers: undefined });
  });
});

const at = (servers: object[]) => importOperation({}, { servers });

describe("servers", () => {
  it.each([
    [[{ url: "https://a.example/" }, { url: "https://b.example" }], "https://a.example/things"],
    [
      [{ url: "https://{h}.example:{p}/v1/", variables: { h: { default: "c" }, p: { default: 443 } } }],
      "https://c.example/v1/things",
    ],
    [[{ url: "HTTPS://D.example" }], "https://d.example/things"],
  ])("%j", (servers, url) => {
    expect(at(servers)).toMatchObject({ url, notes: [] });
  });

  it.each([
    [[], "the document names no server: say which with the option server"],
    [[{ url: "/v1" }], 'server "/v1" is no absolute URL: say which with the option server'],
    [[{ url: "ftp://a.example" }], 'server "ftp://a.example": expected http or https, without user or query'],
    [
      [{ url: "https://me:pw@a.example" }],
      'server "https://me:pw@a.example": expected http or https, without user or query',
    ],
    [
      [{ url: "https://a.example?x=1" }],
      'server "https://a.example?x=1": expected http or https, without user or query',
    ],
  ])("%j are none", (servers, reason) => {
    expect(at(servers)).toEqual({ reason });
  });

  it.each([
    ["http://a.example", "the scheme must be https"],
    ["https://a.example:8443", "the port must be 443"],
    [
      "http://10.0.0.1:3000",
      "the scheme must be https; EGRESS_ALLOW=10.0.0.1:3000 opens this host: a line in .dev.vars or the environment of npm start, then a new start; a deployment has no route to it",
    ],
  ])("that the guard refuses are noted: %s", (url, reason) => {
    expect(at([{ url }])).toMatchObject({
      url: `${url}/things`,
      notes: [`calls are refused, unless EGRESS_ALLOW names the server: ${reason}`],
    });
  });
});
