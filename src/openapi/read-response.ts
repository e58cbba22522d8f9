// What an operation's answer becomes.

import type { JsonObject } from "../lib/json-value.ts";
import type { HttpSource } from "../tools/tool-record.ts";
import { MediaTypeSchema, ResponseSchema } from "./document.ts";
import { essenceOf, isJsonType } from "./media-type.ts";
import { readOwn, type References } from "./references.ts";
import { kindsOf } from "./shape.ts";

export interface Answer {
  /** Absent where the answer's own type decides. */
  result?: NonNullable<HttpSource["result"]>;
  /** What to ask for. */
  accept?: string;
  /** Of a JSON object. */
  schema?: unknown;
}

/** What the first of the success responses that has content holds. Throws `Inexpressible`. */
export function readAnswer(responses: JsonObject, references: References): Answer {
  const codes = Object.keys(responses).filter((code) => /^2(\d\d|XX)$/i.test(code));
  // Next to others, `default` stands for errors.
  for (const code of codes.length > 0 ? codes.toSorted() : ["default"]) {
    const { content = {} } = references.parse(ResponseSchema, "response", readOwn(responses, code) ?? {});
    const types = Object.keys(content);
    const [first] = types;
    if (first === undefined) continue;
    const type = types.find(isJsonType) ?? types.find((name) => essenceOf(name).startsWith("text/")) ?? first;
    const accept = essenceOf(type) === "*/*" ? {} : { accept: type };
    if (!isJsonType(type)) return { ...accept, ...resultOf(essenceOf(type)) };
    const { schema } = references.parse(MediaTypeSchema, "response", content[type]);
    const kinds = kindsOf(schema, references);
    const isObject = kinds.size === 1 && kinds.has("object");
    return { ...accept, result: "json", ...(isObject && { schema }) };
  }
  return {};
}

function resultOf(type: string): Pick<Answer, "result"> {
  if (type.startsWith("audio/")) return { result: "audio" };
  return type.startsWith("image/") && type !== "image/svg+xml" ? { result: "image" } : {};
}
