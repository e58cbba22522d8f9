import { resolve, typeOf, type Schema } from "./json-schema.ts";

/** A value to begin a form with: defaults and constants, required members, and nothing that need not be there. */
export function sampleOf(schema: Schema, root: Schema, depth = 0): unknown {
  const resolved = resolve(schema, root);
  if (resolved.default !== undefined) return resolved.default;
  if (resolved.const !== undefined) return resolved.const;
  if (resolved.enum) return resolved.enum[0];
  const [variant] = resolved.oneOf ?? resolved.anyOf ?? [];
  if (depth > 8) return null;
  if (variant && !resolved.properties) return sampleOf(variant, root, depth + 1);
  switch (typeOf(resolved)) {
    case "object":
      return Object.fromEntries(
        (resolved.required ?? []).map((name) => [name, sampleOf(resolved.properties?.[name] ?? {}, root, depth + 1)]),
      );
    case "array": {
      const items = typeof resolved.items === "object" ? resolved.items : {};
      return Array.from({ length: Math.min(resolved.minItems ?? 0, 20) }, () => sampleOf(items, root, depth + 1));
    }
    case "boolean":
      return false;
    case "integer":
    case "number":
      return resolved.minimum ?? 0;
    case "string":
      return "";
    default:
      return null;
  }
}
