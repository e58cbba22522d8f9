import { isJsonObject, type JsonObject } from "../lib/json-value.ts";

/** What a reference within a schema (`#/$defs/x`) stands for; `undefined` for others, and for what is no schema object. */
export function resolveReference(root: JsonObject, reference: string): JsonObject | undefined {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let value: unknown = root;
  for (const step of reference.split("/").slice(1)) {
    const key = decode(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as JsonObject)[key];
  }
  return isJsonObject(value) ? value : undefined;
}

// A JSON pointer in a URI's fragment is percent-encoded (RFC 6901, section 6).
function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
