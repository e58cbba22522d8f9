import { ADD, ECHO, OTHERS, PARAMETERS } from "./catalogue.ts";

const object = (properties: object, required: string[]): object => ({ type: "object", properties, required });

const TOOLS_LISTED = [
  { ...ECHO, inputSchema: object({ text: { type: "string" } }, ["text"]) },
  { ...ADD, inputSchema: object({ a: { type: "number" }, b: { type: "number" } }, ["a", "b"]) },
  ...OTHERS.map((tool) => ({
    ...tool,
    inputSchema: object(
      {
        query: { type: "string", description: PARAMETERS.query },
        limit: { type: "number", description: PARAMETERS.limit },
        order: { enum: ["newest", "oldest"], description: PARAMETERS.order },
      },
      ["query"],
    ),
  })),
];

const upToId = (result: object): string => `{"jsonrpc":"2.0","result":${JSON.stringify(result)},"id":`;
const LISTED = upToId({ tools: TOOLS_LISTED });
const CALLED = upToId({ content: [{ type: "text", text: "hello world" }] });

/** The same result for every list, and for every call, under the request's id. */
export function answerTo(body: string): string {
  const { id, method } = JSON.parse(body) as { id: number; method: string };
  return `${method === "tools/list" ? LISTED : CALLED}${JSON.stringify(id)}}`;
}
