// An upstream's whole list, page after page. Schemas stay the texts that they came as.

import { isJsonObject, type JsonObject } from "../../lib/json-value.ts";
import { compactJson, itemTexts, memberTexts } from "../../lib/json-text.ts";
import { LIMITS } from "../../lib/limits.ts";
import type { Redactor } from "../../sanitize/secrets.ts";
import { connect, encodeRequest, type UpstreamSession } from "./connect.ts";
import { exchange, resultOf, type UpstreamLink, type UpstreamTarget } from "./exchange.ts";
import { UpstreamError } from "./upstream-error.ts";

/** A tool as an upstream lists it: `definition` is whatever came, the schemas are texts. */
export interface ListedTool {
  definition: JsonObject;
  inputSchema?: string;
  outputSchema?: string;
}

export interface UpstreamList {
  session: UpstreamSession;
  tools: ListedTool[];
}

/** All pages. Throws `UpstreamError`, also when it is more than a list may be; or the reason of the link's signal. */
export async function listUpstreamTools(target: UpstreamTarget, link: UpstreamLink): Promise<UpstreamList> {
  const session = await connect(target, link);
  const tools: ListedTool[] = [];
  let [cursor, chars]: [string | undefined, number] = [undefined, 0];
  for (let page = 0; page < LIMITS.upstreamPages; page++) {
    const request = encodeRequest(session, "tools/list", cursor === undefined ? {} : { cursor });
    const reply = await exchange(target, link, { ...request, timeoutMs: LIMITS.upstreamHandshakeMs });
    const result = resultOf(target, reply);
    tools.push(...readPage(target, result, reply.text));
    chars += reply.text.length;
    checkSize(target, tools.length, chars);
    const { nextCursor } = result;
    if (nextCursor === undefined || nextCursor === null) return { session, tools };
    if (typeof nextCursor !== "string" || nextCursor === cursor) break;
    cursor = nextCursor;
  }
  throw new UpstreamError(
    `Upstream ${target.name} has a list that does not end: expected at most ${LIMITS.upstreamPages} pages.`,
  );
}

function readPage({ name, redactor }: UpstreamTarget, { tools }: JsonObject, text: string): ListedTool[] {
  if (!Array.isArray(tools)) throw new UpstreamError(`Upstream ${name} answered tools/list without a list of tools.`);
  const result = memberTexts(text).get("result") ?? "{}";
  const texts = itemTexts(memberTexts(result).get("tools") ?? "[]");
  return tools.flatMap((definition: unknown, index) => {
    if (!isJsonObject(definition)) return [];
    const members = memberTexts(texts[index] ?? "{}");
    const [input, output] = [members.get("inputSchema"), members.get("outputSchema")];
    return {
      definition: redactor.json(definition) as JsonObject,
      ...(input !== undefined && { inputSchema: readSchema(input, redactor) }),
      ...(output !== undefined && { outputSchema: readSchema(output, redactor) }),
    };
  });
}

/** As it came, unless a secret has to be taken out of it. */
function readSchema(text: string, redactor: Redactor): string {
  const schema: unknown = JSON.parse(text);
  const clean = JSON.stringify(redactor.json(schema));
  return clean === JSON.stringify(schema) ? compactJson(text) : clean;
}

function checkSize({ name }: UpstreamTarget, tools: number, chars: number): void {
  if (tools <= LIMITS.upstreamTools && chars <= LIMITS.upstreamBytes) return;
  const { upstreamTools, upstreamBytes } = LIMITS;
  throw new UpstreamError(
    `Upstream ${name} lists too much: at most ${upstreamTools} tools and ${upstreamBytes} characters.`,
  );
}
