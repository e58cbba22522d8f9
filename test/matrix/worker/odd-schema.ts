// An input schema whose words and order no tool library would choose.

export const ODD_SCHEMA = {
  type: "object",
  required: ["rows", "either"],
  properties: {
    rows: { items: { type: ["string", "null"] }, type: "array", minItems: 1 },
    either: { oneOf: [{ const: 1 }, { $ref: "#/$defs/word" }], description: "one\u2028or the other" },
    "10": { type: "number", default: 0.1 },
    __proto__x: { type: "object", additionalProperties: { type: "boolean" } },
  },
  $defs: { word: { pattern: "^\\w+$", type: "string" } },
  additionalProperties: false,
  "x-order": ["z", "a"],
};
