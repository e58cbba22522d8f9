// The URL of an HTTP tool, taken apart: a fixed origin, path segments with slots, a fixed query. Only a segment's own text
// can come from an argument, and no segment can be empty or climb.

import { judgeDestination } from "../egress.ts";
import { faultOfDoubled, parseTemplate, type Template } from "./template.ts";

export interface UrlTemplate {
  origin: string;
  /** Host and port as `URL.host` has them. */
  host: string;
  /** What stands between the slashes. */
  segments: Template[];
  /** A query without slots, with its question mark; empty when there is none. */
  search: string;
}

export type Report = (message: string) => void;

const SHAPE = /^(https?:\/\/)([^/?#]*)(\/[^?#]*)?(\?[^#]*)?(#.*)?$/i;
// RFC 3986, `pchar`. Anything else would reach the upstream as something else than is written here.
const PATH_TEXT = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*$/;

const EXAMPLE = "https://api.example.com/users/{id}";

/**
 * Reads the template, telling what is wrong with it; `undefined` when nothing can be made of it. `allow` as `EGRESS_ALLOW`;
 * without it the destination is left to be judged when a request is sent.
 */
export function parseUrlTemplate(source: string, allow: string | undefined, report: Report): UrlTemplate | undefined {
  const [, scheme, authority = "", path = "/", search = "", fragment] = SHAPE.exec(source) ?? [];
  if (scheme === undefined) return void report(`expected an absolute https URL such as ${EXAMPLE}`);
  if (/[{}]/.test(authority)) return void report("the host is fixed: no slot or secret may stand in it");
  // The URL parser takes a backslash for a slash, and leaves out tabs and line ends.
  const base = /[\s\\]/.test(authority) ? null : URL.parse(scheme + authority);
  if (!base) return void report("the host is not valid");
  const refusal = allow === undefined ? undefined : judgeDestination({ allow, ownHosts: [] })(base);
  if (refusal !== undefined) report(refusal);
  else if (authority.includes("@")) report("the URL holds a user name or password");
  if (fragment !== undefined) report("a fragment (#…) is never sent: leave it out");
  checkSearch(search, report);
  return {
    origin: base.origin,
    host: base.host,
    segments: parsePath(path, report),
    search: search === "?" ? "" : search,
  };
}

function checkSearch(search: string, report: Report): void {
  if (/[{}]/.test(search)) report("slots and secrets can't stand in the URL's query: put that member in `query`");
  else if (search !== "" && URL.parse(`https://host.example/${search}`)?.search !== search.replace(/^\?$/, ""))
    report("the query holds characters that must be percent-encoded");
}

function parsePath(path: string, report: Report): Template[] {
  const sources = path.slice(1).split("/");
  return sources.map((source, at) => {
    const { parts, faults, doubled } = parseTemplate(source);
    faults.forEach(report);
    if (parts.some(({ kind }) => kind === "secret") || doubled.some(faultOfDoubled))
      report("a secret can't stand in the path, which is logged everywhere: put it in `headers` or `query`");
    if (parts.some((part) => part.kind === "text" && !PATH_TEXT.test(part.text)))
      report(`the path holds characters that must be percent-encoded, in ${JSON.stringify(source)}`);
    if (source === "" && at < sources.length - 1) report("the path holds an empty segment (//)");
    if (isDots(source) || climbs(parts.map((part) => (part.kind === "text" ? part.text : "x")).join("")))
      report("the path holds a segment that climbs (. or ..)");
    return parts;
  });
}

// A dot may hide behind percent-encoding, and that behind another one, for an upstream that decodes more than once.
const HIDDEN = /%(?:25)*(2e|2f|5c)/gi;

/** Whether a path segment, as it is sent, is one dot or two for the parser of URLs (WHATWG URL, "dot segment"). */
export const isDots = (segment: string): boolean => /^(?:\.|%2e){1,2}$/i.test(segment);

/** Whether text that becomes part of a path could climb at an upstream that decodes it before it splits it. */
export const climbs = (text: string): boolean =>
  text
    .replace(HIDDEN, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .split(/[/\\]/)
    // Some servers take `;` and what follows off a component before they look at it.
    .some((component) => /^\.{1,2}(?:;|$)/.test(component));
