// An API made up for tests, with every kind of parameter, body, answer and credential that an import can say, and each that
// it can't.

/** The document, served from here: `https://harbour.example/v1` unless a test says otherwise. */
export const harbourApi = (server = "https://harbour.example/v1") => ({
  openapi: "3.0.3",
  info: { title: "Harbour API", version: "1.4.0" },
  servers: [{ url: server }],
  security: [{ harbourToken: [] }],
  paths: {
    "/ships": {
      get: {
        operationId: "listShips",
        tags: ["ships"],
        summary: "List ships",
        description: "Those in harbour, newest first.",
        parameters: [
          {
            name: "flag",
            in: "query",
            description: "Country codes",
            schema: { type: "array", items: { type: "string" } },
          },
          { name: "sort", in: "query", explode: false, schema: { type: "array", items: { enum: ["name", "length"] } } },
          {
            name: "berths",
            in: "query",
            style: "pipeDelimited",
            schema: { type: "array", items: { type: "integer" } },
          },
          {
            name: "filter",
            in: "query",
            style: "deepObject",
            schema: { type: "object", properties: { name: { type: "string" }, "min.length": { type: "number" } } },
          },
          { name: "X-Trace", in: "header", schema: { type: "string", maxLength: 32 } },
          { name: "theme", in: "cookie", schema: { type: "string" } },
          { $ref: "#/components/parameters/Limit" },
        ],
        responses: { 200: { description: "Ships", content: { "application/json": { schema: { type: "array" } } } } },
      },
      post: {
        operationId: "ships/create",
        tags: ["ships"],
        summary: "Announce a ship",
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/NewShip" } } },
        },
        responses: {
          201: {
            description: "The ship",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Ship" } } },
          },
        },
      },
      trace: { operationId: "traceShips", responses: { 200: { description: "What came" } } },
    },
    "/ships/{ship-id}": {
      parameters: [
        {
          name: "ship-id",
          in: "path",
          required: true,
          schema: { type: "integer", minimum: 0, exclusiveMinimum: true },
        },
      ],
      get: {
        operationId: "getShip",
        tags: ["ships"],
        summary: "Show a ship",
        responses: {
          200: {
            description: "The ship",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Ship" } } },
          },
        },
      },
      put: {
        operationId: "replaceShip",
        tags: ["ships"],
        requestBody: {
          required: true,
          content: {
            "application/vnd.harbour.v2+json": {
              schema: {
                type: "object",
                required: ["ship_id"],
                properties: {
                  ship_id: { type: "string", example: "NL-7" },
                  cargo: { $ref: "#/components/schemas/Crate" },
                },
              },
            },
          },
        },
        responses: { 204: { description: "Done" } },
      },
      patch: {
        tags: ["ships"],
        requestBody: {
          content: {
            "application/json": {
              schema: {
                oneOf: [
                  { type: "object", required: ["name"] },
                  { type: "array", items: {} },
                ],
              },
            },
          },
        },
        responses: { 200: { description: "As text", content: { "text/plain": { schema: { type: "string" } } } } },
      },
      delete: { operationId: "removeShip", tags: ["ships"], responses: { 204: { description: "Gone" } } },
    },
    "/ships/{ship-id}/photo": {
      parameters: [{ name: "ship-id", in: "path", required: true, schema: { type: "integer" } }],
      get: {
        operationId: "getPhoto",
        tags: ["media"],
        security: [{ harbourPass: [] }],
        responses: {
          200: { description: "A picture", content: { "image/png": { schema: { type: "string", format: "binary" } } } },
        },
      },
      put: {
        operationId: "putPhoto",
        tags: ["media"],
        requestBody: { content: { "multipart/form-data": { schema: { type: "object" } } } },
        responses: { 204: { description: "Stored" } },
      },
    },
    "/signals/{code}/{channels}": {
      servers: [{ url: "https://{station}.harbour.example", variables: { station: { default: "north" } } }],
      post: {
        operationId: "sendSignal",
        tags: ["signals"],
        security: [{ crane: [], harbourToken: [] }],
        parameters: [
          { name: "code", in: "path", required: true, style: "matrix", schema: { type: "string" } },
          { name: "channels", in: "path", required: true, schema: { type: "array", items: { type: "integer" } } },
        ],
        requestBody: {
          content: {
            "application/x-www-form-urlencoded": {
              schema: {
                type: "object",
                required: ["text"],
                properties: {
                  text: { type: "string" },
                  to: { type: "array", items: { type: "string" } },
                  days: { type: "array", items: { type: "string" } },
                  sender: {
                    type: "object",
                    properties: { name: { type: "string" }, tags: { type: "array", items: {} } },
                  },
                  extra: { type: "object" },
                },
              },
              encoding: { days: { style: "form", explode: false }, sender: { style: "deepObject", explode: true } },
            },
          },
        },
        responses: { 200: { description: "A recording", content: { "audio/ogg": {} } } },
      },
    },
    "/search": {
      get: {
        operationId: "search",
        tags: ["signals"],
        security: [{ sessionCookie: [] }, { pier: [] }],
        parameters: [
          {
            name: "where",
            in: "query",
            required: true,
            content: { "application/json": { schema: { type: "object", additionalProperties: { type: "string" } } } },
          },
        ],
        responses: { 200: { description: "A file", content: { "application/pdf": {} } } },
      },
      post: {
        operationId: "searchByCookie",
        tags: ["signals"],
        security: [{ sessionCookie: [] }],
        responses: { 200: { description: "Hits" } },
      },
    },
    "/old": { get: { operationId: "old", deprecated: true, security: [], responses: { 200: { description: "Old" } } } },
    "/elsewhere": { $ref: "./elsewhere.yaml" },
  },
  components: {
    parameters: {
      Limit: { name: "limit", in: "query", schema: { type: "integer", default: 20, maximum: 100 } },
    },
    schemas: {
      Named: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string", minLength: 1, example: "Aurora" } },
      },
      NewShip: {
        allOf: [
          { $ref: "#/components/schemas/Named" },
          {
            type: "object",
            required: ["id", "length"],
            properties: {
              id: { type: "integer", readOnly: true },
              length: { type: "number", minimum: 0, exclusiveMinimum: true, description: "In metres" },
              owner: { type: "string", nullable: true },
              hold: { $ref: "#/components/schemas/Crate" },
            },
          },
        ],
      },
      Ship: {
        type: "object",
        required: ["id", "name", "pin"],
        properties: {
          id: { type: "integer", readOnly: true },
          name: { type: "string" },
          pin: { type: "string", writeOnly: true },
        },
      },
      Crate: {
        type: "object",
        discriminator: { propertyName: "kind" },
        properties: {
          kind: { type: "string" },
          crates: { type: "array", items: { $ref: "#/components/schemas/Crate" } },
        },
      },
    },
    securitySchemes: {
      harbourToken: { type: "http", scheme: "bearer" },
      harbourPass: { type: "http", scheme: "basic" },
      crane: { type: "apiKey", in: "header", name: "X-Crane" },
      pier: { type: "apiKey", in: "query", name: "pier_key" },
      sessionCookie: { type: "apiKey", in: "cookie", name: "sid" },
    },
  },
});
