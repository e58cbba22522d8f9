// A request in the making: arguments on one side, templates that they fill in on the other.

import type { JsonSchema } from "../tools/define-tool.ts";
import { ArgumentNames } from "./tool-name.ts";

export type Location = "path" | "query" | "header" | "body";

/** How a list becomes text where it can't stay one: its items with this between them; `+` is a space. */
export type Joiner = "," | "|" | "+";

export class RequestDraft {
  readonly properties: [string, JsonSchema | boolean][] = [];
  readonly required: string[] = [];
  readonly path = new Map<string, string>();
  readonly query: [string, string][] = [];
  readonly headers: [string, string][] = [];
  body: unknown;
  readonly notes: string[] = [];
  readonly #names = new ArgumentNames();

  /** Adds an argument and answers with the name that stands for it in templates. */
  addArgument(wanted: string, location: Location, schema: JsonSchema | boolean, isRequired: boolean): string {
    const name = this.#names.claim(wanted, location);
    this.properties.push([name, schema]);
    if (isRequired) this.required.push(name);
    return name;
  }

  /** Whether a field is set already; headers differ by more than case. */
  has(location: "query" | "header", field: string): boolean {
    if (location === "query") return this.query.some(([name]) => name === field);
    return this.headers.some(([name]) => name.toLowerCase() === field.toLowerCase());
  }
}

/** `{name}`, or `{name,}` for a list that is joined. */
export const placeholder = (name: string, joiner: Joiner | "" = ""): string => `{${name}${joiner}}`;
