// Stateless revisions: every result says of what type it is and who answered, and what may be cached says for how long.

import type { JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { jitterAround } from "../lib/random.ts";
import type { InputRequest } from "../tools/input-request.ts";
import type { Codec } from "./codec.ts";
import { SERVER_INFO } from "./meta.ts";
import { REVISION_NAMES } from "./revisions.ts";
import { SERVER } from "./server-info.ts";

export const modernCodec: Codec = {
  encodeToolPage: ({ tools, private: isPrivate }) => ({
    // First, so that nothing of a tool's can be taken for it (`ListPage`).
    ttlMs: LIMITS.listTtlMs,
    cacheScope: isPrivate ? "private" : "public",
    ...complete(),
    tools,
  }),
  encodeToolResult: ({ content, structuredContent, isError, _meta }) => ({
    ...complete(_meta),
    content,
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError && { isError }),
  }),
};

/** A call that goes on once its client has answered (2026-07-28, basic/patterns/mrtr). */
export const encodeInputRequired = (inputRequests: Record<string, InputRequest>, requestState: string): JsonObject => ({
  ...complete(),
  resultType: "input_required",
  inputRequests,
  requestState,
});

/** The answer to `server/discover` (2026-07-28, server/discover). */
export const encodeDiscoverResult = (capabilities: JsonObject): JsonObject => ({
  ...complete(),
  supportedVersions: REVISION_NAMES,
  capabilities,
  ttlMs: jitterAround(LIMITS.discoverTtlMs, LIMITS.ttlJitterShare),
  cacheScope: "public",
});

const COMPLETE: JsonObject = { resultType: "complete", _meta: { [SERVER_INFO]: SERVER } };

const complete = (meta?: JsonObject): JsonObject =>
  meta ? { resultType: "complete", _meta: { ...meta, [SERVER_INFO]: SERVER } } : COMPLETE;
