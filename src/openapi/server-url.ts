// Where an operation's requests go.

import type { Server } from "./document.ts";
import { Inexpressible } from "./inexpressible.ts";
import type { ImportOptions } from "./import-options.ts";

/**
 * The base URL of requests, without a slash at its end: the option's server, or the first that is named next to the
 * operation, its variables at their defaults. Throws `Inexpressible`.
 */
export function toServerUrl(servers: Server[] | undefined, { server }: ImportOptions): string {
  if (server !== undefined) return toBase(new URL(server));
  const [first] = servers ?? [];
  if (!first) throw new Inexpressible("the document names no server: say which with the option server");
  const url = fillVariables(first);
  const parsed = URL.parse(url);
  if (!parsed) throw new Inexpressible(`server ${show(url)} is no absolute URL: say which with the option server`);
  if (!isBase(parsed)) throw new Inexpressible(`server ${show(url)}: expected http or https, without user or query`);
  return toBase(parsed);
}

/** Whether a text can be the base of requests: an http or https URL without user, query or fragment. */
export function isServerUrl(text: string): boolean {
  const parsed = URL.parse(text);
  return parsed !== null && isBase(parsed);
}

const fillVariables = ({ url, variables = {} }: Server): string =>
  url
    .trim()
    .replaceAll(/\{([^{}]*)\}/g, (whole, name: string) =>
      Object.hasOwn(variables, name) ? String(variables[name]?.default) : whole,
    );

const isBase = ({ protocol, username, password, search, hash, href }: URL): boolean =>
  /^https?:$/.test(protocol) &&
  username === "" &&
  password === "" &&
  search === "" &&
  hash === "" &&
  !/[{}]/.test(href);

/** Braces mean arguments in a template: the parser has encoded those of a path. */
const toBase = ({ href }: URL): string => href.replace(/(?<!\/)\/+$/, "");

const show = (url: string): string => JSON.stringify(url.slice(0, 200));
