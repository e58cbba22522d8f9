// toolgate as it is deployed: `protections.ts` says what has to be on.

import * as v from "valibot";
import { composeWorker } from "../../../../src/compose.ts";
import { defineTool } from "../../../../src/tools/define-tool.ts";
import { ADD, ECHO, OTHERS, PARAMETERS } from "./catalogue.ts";

const echo = defineTool({ ...ECHO, input: v.object({ text: v.string() }), run: ({ text }) => text });
const add = defineTool({
  ...ADD,
  input: v.object({ a: v.number(), b: v.number() }),
  run: ({ a, b }) => String(a + b),
});
const others = OTHERS.map((tool) =>
  defineTool({
    ...tool,
    input: v.object({
      query: v.pipe(v.string(), v.description(PARAMETERS.query)),
      limit: v.optional(v.pipe(v.number(), v.description(PARAMETERS.limit))),
      order: v.optional(v.pipe(v.picklist(["newest", "oldest"]), v.description(PARAMETERS.order))),
    }),
    run: ({ query }) => query,
  }),
);

const { app, ToolRegistry, McpEntrypoint } = composeWorker([echo, add, ...others]);

export default app;
export { ToolRegistry, McpEntrypoint };
export { ApiKey, AuditLog, CallRelay, CatalogueReplica, SessionHub } from "../../../../src/objects.ts";
