// What each MCP method does, by era. A method that is not in an era's table is "not found" there.

import type { JsonObject } from "../lib/json-value.ts";
import { encodeInitializeResult } from "../protocol/legacy-codec.ts";
import { encodeDiscoverResult } from "../protocol/modern-codec.ts";
import type { Era } from "../protocol/revisions.ts";
import { callTool } from "./call-tool.ts";
import { listTools } from "./list-tools.ts";
import type { RequestScope } from "./scope.ts";

/** Answers with the result, serialized. Throws `ProtocolError`. */
export type Method = (params: JsonObject, scope: RequestScope) => string | Promise<string>;

/** Only what works is declared: `listChanged` where the connection carries notifications. */
const capabilities = ({ hearsChanges }: RequestScope): JsonObject => ({
  tools: hearsChanges ? { listChanged: true } : {},
});

const initialize: Method = (_, scope) => JSON.stringify(encodeInitializeResult(scope.revision, capabilities(scope)));
const discover: Method = (_, scope) => JSON.stringify(encodeDiscoverResult(capabilities(scope)));
const ping: Method = () => "{}";

const METHODS: Record<Era, ReadonlyMap<string, Method>> = {
  legacy: new Map(Object.entries({ initialize, ping, "tools/list": listTools, "tools/call": callTool })),
  modern: new Map(Object.entries({ "server/discover": discover, "tools/list": listTools, "tools/call": callTool })),
};

export const findMethod = (era: Era, name: string): Method | undefined => METHODS[era].get(name);
