// Documents that are small as texts, and whose references multiply.

const reference = (number: number) => ({ $ref: `#/components/schemas/S${number}` });

const documentOf = (operations: number, schemas: object[]) => ({
  openapi: "3.1.0",
  info: { title: "Large" },
  servers: [{ url: "https://large.example" }],
  components: { schemas: Object.fromEntries(schemas.map((schema, number) => [`S${number}`, schema])) },
  paths: Object.fromEntries(
    Array.from({ length: operations }, (_, number) => {
      const content = { "application/json": { schema: reference(number % schemas.length) } };
      return [`/${number}`, { post: { requestBody: { content }, responses: { 200: { content } } } }];
    }),
  ),
});

const objectOf = (properties: [string, object][]) => ({ type: "object", properties: Object.fromEntries(properties) });

/** Each schema refers to three others, round and round. */
export const cyclicDocument = (operations: number, schemas: number) =>
  documentOf(
    operations,
    Array.from({ length: schemas }, (_, number) =>
      objectOf([1, 7, 31].map((step) => [`p${step}`, reference((number * 3 + step) % schemas)])),
    ),
  );

/** Each schema refers to the next few. */
export const branchingDocument = (operations: number, { schemas = 300, branches = 20 } = {}) =>
  documentOf(
    operations,
    Array.from({ length: schemas }, (_, number) =>
      objectOf(
        Array.from({ length: branches }, (__, branch) => {
          const next = number + branch + 1;
          return [`p${branch}`, next < schemas ? reference(next) : { type: "string" }];
        }),
      ),
    ),
  );
