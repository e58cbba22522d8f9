// Tools as operators send them: URL templates, schemas, and records around both; right and nearly right.

// oxlint-disable unicorn/no-thenable -- it is JSON Schema's word

import * as fc from "fast-check";
import { nearly, objectOf, oddJson, oddText, seldom, type Json, type JsonObject } from "./json.ts";

const PATTERNS = ["^a+$", "^(a+)+$", "(a|a)*$", "([a-z]+)*[A-Z]", "\\p{L}{2,}", "^.{0,3}$", "^(?:ab|cd)*x$"];
const ODD_PATTERNS = ["(?=a)a", "(a)\\1", "[", "a{1,1000}", "\\"];
const TYPES = ["string", "integer", "number", "boolean", "null", "array", "object"];
const REFS = ["#/$defs/d", "#", "#/properties/a", "#missing", "http://169.254.169.254/x", "#/$defs/%zz"];
const PLAIN: readonly Json[] = [null, true, 0, 1, 2.5, "", "a", "ab", "B", [], [1], {}, { a: 1 }];

const pattern = seldom(fc.constantFrom(...PATTERNS), fc.constantFrom(...ODD_PATTERNS));
const plain = seldom(fc.constantFrom(...PLAIN), oddJson);
const DIALECTS = [
  "https://json-schema.org/draft/2020-12/schema",
  "http://json-schema.org/draft-07/schema#",
  "http://json-schema.org/draft-04/schema#",
  "x",
];

/** A JSON Schema that may be valid, with words of both dialects. */
export const jsonSchema: fc.Arbitrary<Json> = fc.letrec<{ schema: Json }>((tie) => {
  const schema = tie("schema");
  const schemas = fc.array(schema, { minLength: 1, maxLength: 3 });
  const named = fc.dictionary(fc.constantFrom("a", "b", "c"), schema, { maxKeys: 3 });
  const size = fc.nat(4);
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      {
        weight: 4,
        arbitrary: fc.oneof(
          fc.constantFrom<Json>(true, false, {}),
          fc.record({ type: fc.constantFrom<Json>(...TYPES) }),
        ),
      },
      fc.record(
        {
          type: fc.oneof(fc.constantFrom<Json>(...TYPES), fc.subarray<Json>(TYPES, { minLength: 1 })),
          properties: named,
          required: fc.subarray(["a", "b", "c"]),
          additionalProperties: schema,
          patternProperties: fc.dictionary(pattern, schema, { maxKeys: 2 }),
          minProperties: size,
          unevaluatedProperties: schema,
        },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          items: schema,
          prefixItems: schemas,
          contains: schema,
          uniqueItems: fc.boolean(),
          minItems: size,
          maxItems: size,
        },
        { requiredKeys: [] },
      ),
      fc.record(
        { anyOf: schemas, oneOf: schemas, allOf: schemas, not: schema, if: schema, then: schema },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          pattern,
          minLength: size,
          maxLength: size,
          format: fc.constantFrom("date", "email", "nonsense"),
          enum: fc.array(plain, { minLength: 1, maxLength: 3 }),
          const: plain,
          minimum: fc.integer(),
          multipleOf: seldom(fc.constantFrom<Json>(1, 0.1), fc.constantFrom<Json>(0, -1, "1")),
        },
        { requiredKeys: [] },
      ),
      fc.record({ $ref: seldom(fc.constant("#/$defs/d"), fc.constantFrom(...REFS)) }),
    ) as fc.Arbitrary<Json>,
  };
}).schema;

/** One for results. */
const outputSchemaOf = jsonSchema.map((schema): Json => ({
  $defs: { d: {} },
  ...(typeof schema === "object" && !Array.isArray(schema) ? schema : {}),
}));

/** One for arguments: an object that has `a`, `b` and `c`. */
const inputSchema: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constant<Json>({
      type: "object",
      properties: { a: {}, b: { type: ["string", "array", "null"] }, c: {} },
      required: ["a"],
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record(
      {
        type: fc.constant("object"),
        properties: fc.record({ a: jsonSchema, b: jsonSchema, c: jsonSchema }),
        required: fc.constant<Json>(["a"]),
        $defs: fc.record({ d: jsonSchema }),
        additionalProperties: fc.boolean(),
        $schema: seldom(fc.constantFrom(...DIALECTS.slice(0, 2)), fc.constantFrom(...DIALECTS)),
      },
      { requiredKeys: ["type", "properties", "required", "$defs"] },
    ) as fc.Arbitrary<Json>,
  },
  { weight: 1, arbitrary: oddJson },
);

const URLS = [
  "«upstream»/echo/{a}",
  "«upstream»/echo/x{a}y",
  "«upstream»/echo/{a,}/v.json",
  "«upstream»/echo/{a}?q=1",
  "«upstream»/junk/{a}",
  "«upstream»/echo/{a}/x{b}y",
  "«upstream»/../{a}",
  "«upstream»/{a}/%2e%2e/x",
  "«upstream»/{",
  "«upstream»/{{a}}/{a}",
  "http://{a}/x",
  "https://169.254.169.254/{a}",
  "http://127.0.0.1:1/{a}",
  "https://user:pass@api.example.com/{a}",
  "file:///etc/{a}",
  "//x/{a}",
  "",
];

const TEMPLATES = [
  "{a}",
  "{b}",
  "x{b}y",
  "{b,}",
  "{c|}",
  "{b+}",
  "{{b}}",
  "{{secret:FUZZ_TOKEN}}",
  "Bearer {{secret:FUZZ_TOKEN}}",
  "{{secret:}}",
  "{",
  "}",
  "{d}",
  "plain",
];
const template = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...TEMPLATES.slice(0, 9)) },
  { weight: 1, arbitrary: fc.constantFrom(...TEMPLATES) },
  { weight: 1, arbitrary: oddText },
);
const templates = fc
  .array(
    fc.tuple(
      fc.oneof(
        { weight: 10, arbitrary: fc.constantFrom("q", "x-a", "x-b", "content-type", "host", "cookie") },
        { weight: 1, arbitrary: oddText },
      ),
      template,
    ),
    { maxLength: 3 },
  )
  .map((members) => Object.fromEntries(members));
const body: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>("{a}", { a: "{a}", b: ["{b}", "x{c}"] }, "text {b}", null, 1, { f: "{c,}" }),
  objectOf(fc.oneof(template, oddJson)),
);

const httpSource = fc.record(
  {
    kind: fc.constant("http"),
    method: fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"),
    url: fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom(...URLS.slice(0, 5)) },
      { weight: 4, arbitrary: fc.constantFrom(...URLS) },
      { weight: 1, arbitrary: oddText },
    ),
    query: templates,
    headers: templates,
    body,
    result: fc.constantFrom("text", "json", "image", "audio", "resource"),
  },
  { requiredKeys: ["kind", "method", "url"] },
);

const codeSource = fc.record({
  kind: fc.constant("code"),
  module: fc.oneof(fc.constantFrom("export default () => 1", "export default 1", "}"), oddText),
});

const record: fc.Arbitrary<JsonObject> = fc.record(
  {
    title: seldom(fc.constant("Made up"), oddText),
    description: seldom(fc.constant("Made up."), oddText),
    inputSchema,
    outputSchema: outputSchemaOf,
    annotations: fc.record(
      { readOnlyHint: fc.boolean(), title: seldom(fc.constant("t"), oddText) },
      { requiredKeys: [] },
    ),
    icons: fc.array(
      fc.record({
        src: seldom(
          fc.constantFrom("https://icons.example/a.png", "data:image/png;base64,AA=="),
          fc.constant("javascript:x"),
        ),
      }),
      { maxLength: 2 },
    ),
    enabled: fc.boolean(),
    timeoutMs: seldom(fc.constantFrom(1_000, 5_000), fc.constantFrom(0, 300_001)),
    cost: seldom(fc.constantFrom(1, 2), fc.constantFrom(0, 1_001)),
    sanitize: fc.boolean(),
    source: fc.oneof({ weight: 15, arbitrary: httpSource }, { weight: 1, arbitrary: codeSource }),
  },
  { requiredKeys: ["description", "inputSchema", "source"] },
) as fc.Arbitrary<JsonObject>;

/** A record that is accepted more often than not, or one that is nearly one. */
export const toolRecord: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: record },
  { weight: 2, arbitrary: nearly(record) },
);

/** One that is accepted, unless its schema is refused or its templates name what the schema has not. */
export const goodRecord: fc.Arbitrary<Json> = fc
  .record({
    schema: fc.oneof(
      fc.constant<Json>({ type: "object", properties: { a: {}, b: {}, c: {} }, required: ["a"] }),
      fc.constantFrom(...PATTERNS.slice(0, 6)).map((pattern): Json => ({
        type: "object",
        properties: { a: { type: "string", pattern }, b: { type: ["array", "string"] }, c: { $ref: "#/$defs/c" } },
        required: ["a"],
        $defs: {
          c: {
            anyOf: [
              { type: "string", maxLength: 5 },
              { type: "object", additionalProperties: false },
            ],
          },
        },
      })),
      jsonSchema.map((schema): Json => ({
        type: "object",
        properties: { a: schema, b: {}, c: {} },
        required: ["a"],
        $defs: { d: {} },
      })),
    ),
    source: fc.record(
      {
        kind: fc.constant("http"),
        method: fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"),
        url: fc.constantFrom(...URLS.slice(0, 5)),
        query: fc.constantFrom<Json>({ q: "{b}" }, { q: "{b,}", k: "{{secret:FUZZ_TOKEN}}" }),
        headers: fc.constantFrom<Json>(
          { "x-a": "{b}" },
          { authorization: "Bearer {{secret:FUZZ_TOKEN}}", "x-c": "p{c|}" },
        ),
        result: fc.constantFrom("text", "json", "image", "audio", "resource"),
      },
      { requiredKeys: ["kind", "method", "url"] },
    ),
    outputSchema: seldom(fc.constant(null), outputSchemaOf, 5),
  })
  .map(({ schema, source, outputSchema }) => ({
    description: "Made up.",
    inputSchema: schema,
    ...(outputSchema !== null && { outputSchema }),
    source: source as Json,
  }));

const parameter = fc.record({
  name: fc.oneof(fc.constantFrom("id", "q", "limit"), oddText),
  in: fc.constantFrom("path", "query", "header", "cookie", "body"),
  required: fc.boolean(),
  schema: jsonSchema,
});
const operation = fc.record(
  {
    operationId: fc.oneof(fc.constantFrom("getShip", "listShips"), oddText),
    summary: oddText,
    parameters: fc.array(parameter, { maxLength: 3 }),
    requestBody: fc.record({ content: fc.record({ "application/json": fc.record({ schema: jsonSchema }) }) }),
    responses: fc.constant({ "200": { description: "ok" } }),
    security: fc.constantFrom<Json>([], [{ token: [] }], [{ missing: [] }]),
  },
  { requiredKeys: ["responses"] },
);

/** An OpenAPI document, or nearly one. */
export const openApiDocument: fc.Arbitrary<Json> = nearly(
  fc.record(
    {
      openapi: seldom(fc.constantFrom("3.1.0", "3.0.3"), fc.constantFrom("2.0", "3")),
      info: fc.record({ title: oddText, version: fc.constant("1") }),
      servers: fc.array(
        fc.record({ url: fc.constantFrom("https://api.example.com/v1", "/v1", "http://{host}/", "«upstream»") }),
        { maxLength: 2 },
      ),
      paths: fc.dictionary(
        fc.constantFrom("/ships", "/ships/{id}", "/a/{b}/c", "//", "/%"),
        fc.record({ get: operation, post: operation, delete: operation }, { requiredKeys: [] }),
        { maxKeys: 3 },
      ),
      components: fc.record({
        schemas: fc.record({ Ship: jsonSchema, Loop: fc.constant({ $ref: "#/components/schemas/Loop" }) }),
        securitySchemes: fc.record({
          token: fc.constantFrom(
            { type: "http", scheme: "bearer" },
            { type: "apiKey", in: "query", name: "k" },
            { type: "x" },
          ),
        }),
      }),
    },
    { requiredKeys: ["openapi", "info", "paths"] },
  ) as fc.Arbitrary<Json>,
  0,
);
