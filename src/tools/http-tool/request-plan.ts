// An HTTP tool's source, read once: every template parsed, and all that is wrong told at the place where it stands.

import { faultOfHeaderName, isHeaderValue } from "../egress.ts";
import { parseMediaType } from "../media-type.ts";
import type { HttpSource } from "../tool-record.ts";
import { parseBodyTemplate, type BodyTemplate } from "./body-template.ts";
import { parseTemplate, secretsOf, slotsOf, type Template } from "./template.ts";
import { parseUrlTemplate, type UrlTemplate } from "./url-template.ts";

/** One thing that is wrong; `path` as in `headers.accept`, within the source. */
export interface Fault {
  path: string;
  message: string;
}

export interface RequestPlan {
  method: HttpSource["method"];
  url: UrlTemplate;
  query: [string, Template][];
  headers: [string, Template][];
  body: BodyTemplate | undefined;
}

/** A template and where it stands. */
export interface Place {
  path: string;
  parts: Template;
  /** Names between doubled braces. */
  doubled: string[];
}

export interface ReadSource {
  plan: RequestPlan | undefined;
  faults: Fault[];
  places: Place[];
}

/** Takes faults and templates as they are found. */
export interface Notes {
  fault(path: string, message: string): void;
  /** Parses a template that stands at a place. */
  template(path: string, source: string): Template;
}

const BODILESS = ["GET", "HEAD"];

/** Reads a source; `allow` as for `parseUrlTemplate`. Without a plan there is at least one fault. */
export function readSource(source: HttpSource, allow?: string): ReadSource {
  const faults: Fault[] = [];
  const places: Place[] = [];
  const notes: Notes = {
    fault: (path, message) => void faults.push({ path, message }),
    template: (path, text) => {
      const { parts, faults: wrong, doubled } = parseTemplate(text);
      for (const message of wrong) faults.push({ path, message });
      places.push({ path, parts, doubled });
      return parts;
    },
  };
  const url = parseUrlTemplate(source.url, allow, (message) => notes.fault("url", message));
  for (const parts of url?.segments ?? []) places.push({ path: "url", parts, doubled: [] });
  const query = readMembers("query", source.query, notes);
  const headers = readHeaders(source.headers, notes);
  const body = readBody(source, headers, notes);
  const { method } = source;
  return { plan: url && { method, url, query, headers, body }, faults, places };
}

/** The names of the secrets that a source needs. */
export function secretNames(source: HttpSource): string[] {
  const { places } = readSource(source);
  return [...new Set(places.flatMap(({ parts }) => secretsOf(parts)))];
}

function readMembers(at: string, members: Record<string, string> = {}, notes: Notes): [string, Template][] {
  return Object.entries(members).map(([name, text]) => {
    if (/[{}]/.test(name)) notes.fault(`${at}.${name}`, "slots can stand in values only, not in names");
    return [name, notes.template(`${at}.${name}`, text)];
  });
}

function readHeaders(source: Record<string, string> = {}, notes: Notes): [string, Template][] {
  const seen = new Set<string>();
  return readMembers("headers", source, notes).map(([name, parts]) => {
    const path = `headers.${name}`;
    const fault = faultOfHeaderName(name);
    if (fault !== undefined) notes.fault(path, fault);
    if (seen.has(name.toLowerCase())) notes.fault(path, "the header is there twice");
    seen.add(name.toLowerCase());
    if (parts.some((part) => part.kind === "text" && !isHeaderValue(part.text)))
      notes.fault(path, "the value must be printable ASCII on one line");
    return [name.toLowerCase(), parts];
  });
}

function readBody(source: HttpSource, headers: [string, Template][], notes: Notes): BodyTemplate | undefined {
  if (source.body === undefined) return undefined;
  if (BODILESS.includes(source.method)) notes.fault("body", `a ${source.method} request has no body`);
  const type = headers.find(([name]) => name === "content-type")?.[1] ?? [];
  if (slotsOf(type).length + secretsOf(type).length > 0)
    notes.fault("headers.content-type", "the type of a body is fixed: no slot or secret may stand in it");
  const declared = type.map((part) => (part.kind === "text" ? part.text : "")).join("");
  return parseBodyTemplate(source.body, parseMediaType(declared).type || "application/json", notes);
}
