// The body of an HTTP tool: JSON or a form with templates at its leaves, or one text. Arguments become values of the
// structure; nowhere is text put together whose meaning an argument could change.

import { LIMITS } from "../../lib/limits.ts";
import { isJsonObject } from "../../lib/json-value.ts";
import { isJsonType } from "../media-type.ts";
import type { Notes } from "./request-plan.ts";
import { secretsOf, slotsOf, soleSlot, type Template } from "./template.ts";

export type BodyNode =
  | { kind: "literal"; value: unknown }
  | { kind: "template"; parts: Template }
  | { kind: "items"; items: BodyNode[] }
  | { kind: "members"; members: [string, BodyNode][] };

export type BodyTemplate =
  | { encoding: "json"; root: BodyNode; type: string }
  | { encoding: "form"; members: [string, BodyNode][] }
  | { encoding: "text"; parts: Template; type: string };

const FORM = "application/x-www-form-urlencoded";

/** Reads a body that is sent with this content type. */
export function parseBodyTemplate(body: unknown, type: string, notes: Notes): BodyTemplate {
  const root = parseNode(body, "body", 0, notes);
  if (isJsonType(type)) return { encoding: "json", root, type };
  if (type === FORM) {
    if (root.kind !== "members") notes.fault("body", `a body sent as ${FORM} must be an object`);
    return { encoding: "form", members: root.kind === "members" ? checkForm(root.members, notes) : [] };
  }
  if (root.kind !== "template") notes.fault("body", `a body sent as ${type} must be a string`);
  const parts = root.kind === "template" ? root.parts : [];
  if (type !== "text/plain" && slotsOf(parts).length > 0 && soleSlot(parts) === undefined)
    notes.fault(
      "body",
      `in a body sent as ${type} an argument could change what stands around it: make {name} all of it`,
    );
  return { encoding: "text", parts, type };
}

function parseNode(value: unknown, path: string, depth: number, notes: Notes): BodyNode {
  if (depth > LIMITS.schemaDepth) {
    notes.fault("body", `nesting too deep: at most ${LIMITS.schemaDepth} levels`);
    return { kind: "literal", value: null };
  }
  if (typeof value === "string") return parseLeaf(value, path, notes);
  if (Array.isArray(value)) {
    return { kind: "items", items: value.map((item, at) => parseNode(item, `${path}[${at}]`, depth + 1, notes)) };
  }
  if (!isJsonObject(value)) return { kind: "literal", value };
  const members = Object.entries(value).map(([name, member]): [string, BodyNode] => {
    if (/[{}]/.test(name)) notes.fault(`${path}.${name}`, "slots can stand in values only, not in names");
    return [name, parseNode(member, `${path}.${name}`, depth + 1, notes)];
  });
  return { kind: "members", members };
}

function parseLeaf(text: string, path: string, notes: Notes): BodyNode {
  const parts = notes.template(path, text);
  if (secretsOf(parts).length > 0)
    notes.fault(path, "a secret can't stand in the body: put it in `headers` or `query`");
  if (text.length > LIMITS.templateChars) notes.fault(path, `expected at most ${LIMITS.templateChars} characters`);
  return { kind: "template", parts };
}

function checkForm(members: [string, BodyNode][], notes: Notes): [string, BodyNode][] {
  for (const [name, { kind }] of members) {
    if (kind === "members")
      notes.fault(`body.${name}`, "a form's member must be text, number, boolean or a list of them");
  }
  return members;
}
