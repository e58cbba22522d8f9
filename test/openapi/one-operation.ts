import { importOpenApi } from "./import-at-once.ts";
import type { ImportOptions } from "../../src/openapi/import-options.ts";

export interface Surroundings {
  openapi?: string;
  method?: string;
  path?: string;
  components?: object;
  options?: ImportOptions;
  servers?: object[];
  /** More of the document's members. */
  document?: object;
}

/** What an import makes of one operation: the parts of its tool that differ, or the reason why there is none. */
export function importOperation(operation: object, around: Surroundings = {}) {
  const { openapi = "3.1.0", method = "get", path = "/things", components = {}, options = {}, document = {} } = around;
  const { servers = [{ url: "https://things.example" }] } = around;
  const { tools, skipped, notes, secrets } = importOpenApi(
    {
      openapi,
      info: { title: "Things" },
      servers,
      paths: { [path]: { [method]: operation } },
      components,
      ...document,
    },
    options,
  );
  const [tool] = tools;
  if (!tool) return { reason: skipped[0]?.reason };
  const { inputSchema, outputSchema, source } = tool.record;
  if (source.kind !== "http") throw new Error("expected an HTTP source");
  return {
    name: tool.name,
    arguments: inputSchema["properties"],
    required: inputSchema["required"],
    defs: inputSchema["$defs"],
    outputSchema,
    url: source.url,
    query: source.query,
    headers: source.headers,
    body: source.body,
    result: source.result,
    notes: notes.map(({ note }) => note),
    secrets,
  };
}
