// What a client said it can be asked for. MCP 2026-07-28, schema `ClientCapabilities`.

import * as v from "valibot";
import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import type { InputRequest } from "../tools/input-request.ts";

export const AbilitiesSchema = v.object({
  form: v.boolean(),
  url: v.boolean(),
  sampling: v.boolean(),
  roots: v.boolean(),
});
export type Abilities = v.InferOutput<typeof AbilitiesSchema>;

export const NO_ABILITIES: Abilities = { form: false, url: false, sampling: false, roots: false };

/** Capabilities → abilities. `elicitation: {}` means forms (2026-07-28, client/elicitation). */
export function parseAbilities(capabilities: unknown): Abilities {
  if (!isJsonObject(capabilities)) return NO_ABILITIES;
  const { elicitation, sampling, roots } = capabilities;
  const elicits = isJsonObject(elicitation) ? elicitation : undefined;
  return {
    form: elicits !== undefined && ("form" in elicits || !("url" in elicits)),
    url: elicits !== undefined && "url" in elicits,
    sampling: isJsonObject(sampling),
    roots: isJsonObject(roots),
  };
}

/** The ability that a question needs. */
export function abilityFor({ method, params }: InputRequest): keyof Abilities {
  switch (method) {
    case "elicitation/create":
      return "mode" in params && params.mode === "url" ? "url" : "form";
    case "sampling/createMessage":
      return "sampling";
    case "roots/list":
      return "roots";
  }
}

const CAPABILITY: Record<keyof Abilities, JsonObject> = {
  form: { elicitation: { form: {} } },
  url: { elicitation: { url: {} } },
  sampling: { sampling: {} },
  roots: { roots: {} },
};

/** The capabilities object that a client would have to declare (−32021, `data.requiredCapabilities`). */
export const requiredCapabilities = (abilities: readonly (keyof Abilities)[]): JsonObject => {
  const required: JsonObject = {};
  for (const ability of abilities) {
    for (const [name, value] of Object.entries(CAPABILITY[ability])) {
      required[name] = { ...(required[name] as JsonObject | undefined), ...(value as JsonObject) };
    }
  }
  return required;
};
