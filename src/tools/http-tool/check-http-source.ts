// What must be true of an HTTP tool before it is kept: its templates can be read, its request can be sent, and every slot
// stands for an argument that its input schema has.

import { isJsonObject } from "../../lib/json-value.ts";
import type { JsonSchema } from "../define-tool.ts";
import type { HttpSource } from "../tool-record.ts";
import { readSource, type Fault, type Place } from "./request-plan.ts";
import { faultOfDoubled, slotsOf } from "./template.ts";

/** All that is wrong with a source, in the order of its members; `allow` as `EGRESS_ALLOW`, for hosts of tests. */
export function checkHttpSource(source: HttpSource, inputSchema: JsonSchema, allow = ""): Fault[] {
  const { faults, places } = readSource(source, allow);
  return [...faults, ...places.flatMap((place) => checkPlace(place, inputSchema))];
}

function checkPlace({ path, parts, doubled }: Place, inputSchema: JsonSchema): Fault[] {
  const properties = isJsonObject(inputSchema["properties"]) ? inputSchema["properties"] : {};
  const fault = (message: string): Fault => ({ path, message });
  const unknown = slotsOf(parts).filter((name) => !Object.hasOwn(properties, name));
  const [meantAsSlots = [], others = []] = [true, false].map((isProperty) =>
    doubled.filter((name) => Object.hasOwn(properties, name) === isProperty),
  );
  return [
    ...unknown.map((name) => fault(`{${name}} names no property of inputSchema; braces as text are {{ and }}`)),
    ...meantAsSlots.map((name) =>
      fault(`{{${name}}} is text in braces: write {${name}} for the argument, or {{ ${name} }} if you mean the text`),
    ),
    ...others.flatMap((name) => faultOfDoubled(name) ?? []).map(fault),
    ...(path === "url"
      ? parts.flatMap((part) => (part.kind === "slot" ? checkPathSlot(part, inputSchema, properties) : []))
      : []),
  ];
}

function checkPathSlot(
  { name, joiner }: { name: string; joiner?: string },
  { required }: JsonSchema,
  properties: Record<string, unknown>,
): Fault[] {
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (property === undefined) return [];
  const faults: string[] = [];
  if (!Array.isArray(required) || !required.includes(name))
    faults.push(`{${name}} is part of the path: inputSchema must list it as required`);
  const types = isJsonObject(property) ? [property["type"]].flat() : [];
  if (types.some((type) => type === "object" || (type === "array" && joiner === undefined)))
    faults.push(`{${name}} is part of the path: it must be a string, number or boolean`);
  return faults.map((message) => ({ path: "url", message }));
}
