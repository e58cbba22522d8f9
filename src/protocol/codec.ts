// From the neutral model to the words of one revision. Two implementations, one an era.

import type { JsonObject } from "../lib/json-value.ts";
import type { ToolResult } from "../tools/content.ts";
import type { ToolDefinition } from "../tools/define-tool.ts";
import { legacyCodec } from "./legacy-codec.ts";
import { modernCodec } from "./modern-codec.ts";
import type { Era, Revision } from "./revisions.ts";

/** A page of the catalogue, but for its cursor. */
export interface ToolPage {
  tools: readonly ToolDefinition[];
  /** Whether the page is for one key alone: its rules hide tools, or its cursor leads on. */
  private: boolean;
}

export interface Codec {
  encodeToolPage(page: ToolPage, revision: Revision): JsonObject;
  encodeToolResult(result: ToolResult, revision: Revision): JsonObject;
}

const CODECS: Record<Era, Codec> = { legacy: legacyCodec, modern: modernCodec };

export const codecOf = ({ era }: Revision): Codec => CODECS[era];
