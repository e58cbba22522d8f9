// A question to a client in the words of a legacy revision. MCP, client/elicitation and client/sampling of each.

import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { randomText } from "../lib/random.ts";
import type { Content } from "../tools/content.ts";
import type { InputRequest } from "../tools/input-request.ts";
import type { Revision } from "./revisions.ts";

/** Whether a revision's schema can say the question at all. */
export function hasWordsFor(request: InputRequest, revision: Revision): boolean {
  switch (request.method) {
    case "roots/list":
      return true;
    case "sampling/createMessage":
      return request.params.messages.every(({ content }) => hasWordsForContent(content, revision));
    case "elicitation/create":
      if ("url" in request.params) return revision.urlElicitation;
      return revision.elicitation && (revision.listElicitation || isPlainForm(request.params.requestedSchema));
  }
}

/** The params of the question; a URL that the user is sent to has an id in 2025-11-25. */
export function encodeQuestion({ method, params = {} }: InputRequest, revision: Revision): JsonObject {
  if ("mode" in params && params["mode"] === "url") return { elicitationId: randomText(26), ...params };
  if (method !== "sampling/createMessage" || revision.structured) return { ...params };
  const { messages, ...rest } = params as SamplingParams;
  return { ...rest, messages: messages.map(({ role, content }) => ({ role, content: withoutNewFields(content) })) };
}

type SamplingParams = (InputRequest & { method: "sampling/createMessage" })["params"];
type SamplingContent = SamplingParams["messages"][number]["content"];

const hasWordsForContent = (content: SamplingContent, { audio, listSampling }: Revision): boolean =>
  Array.isArray(content)
    ? listSampling && content.every((item) => audio || item.type !== "audio")
    : audio || content.type !== "audio";

/** Until 2025-11-25 a form has single values, and choices without titles. */
const isPlainForm = ({ properties }: { properties: Readonly<Record<string, unknown>> }): boolean =>
  Object.values(properties).every(
    (property) => isJsonObject(property) && property["type"] !== "array" && !("oneOf" in property),
  );

function withoutNewFields(content: SamplingContent): unknown {
  if (Array.isArray(content)) return content;
  const { _meta: _, annotations, ...rest } = content;
  return { ...rest, ...(annotations && { annotations: withoutDate(annotations) }) };
}

/** `lastModified` came with 2025-06-18. */
export function withoutDate(annotations: NonNullable<Content["annotations"]>): JsonObject {
  const { lastModified: _, ...rest } = annotations;
  return rest;
}
