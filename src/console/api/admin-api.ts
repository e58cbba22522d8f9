// The admin API as the console asks it. Views that need more of it add a file of functions over `AdminApi` beside this one.

import { readProblem, toProblem } from "./problem.ts";

export interface AdminRequest {
  /** What is undefined is left out; a list is one parameter an item. */
  query?: Record<string, string | number | boolean | readonly string[] | undefined>;
  /** Sent as JSON; a string as it is. */
  body?: unknown;
  ifMatch?: number;
  signal?: AbortSignal;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface AdminApi {
  /** The answer's JSON. Throws a `Problem`. `path` is below `/admin/v1`, its parts encoded (`pathOf`). */
  ask: <T>(method: Method, path: string, request?: AdminRequest) => Promise<T>;
  /** The same, but the answer as it comes: for downloads. */
  fetch: (method: Method, path: string, request?: AdminRequest) => Promise<Response>;
}

/** `onRefused` is told when the key opens nothing (any more). */
export function createAdminApi(key: string, onRefused: () => void = () => undefined): AdminApi {
  const fetchAnswer: AdminApi["fetch"] = async (method, path, { query = {}, body, ifMatch, signal } = {}) => {
    const headers = new Headers({ authorization: `Bearer ${key}`, accept: "application/json, */*;q=0.5" });
    if (body !== undefined) headers.set("content-type", "application/json");
    if (ifMatch !== undefined) headers.set("if-match", `"${ifMatch}"`);
    const init: RequestInit = { method, headers, cache: "no-store", credentials: "omit", redirect: "error" };
    if (body !== undefined) init.body = typeof body === "string" ? body : JSON.stringify(body);
    if (signal) init.signal = signal;
    const response = await fetch(`/admin/v1${path}${queryText(query)}`, init).catch((error: unknown) => {
      throw signal?.aborted ? error : toProblem(error);
    });
    if (response.ok) return response;
    if (response.status === 401) onRefused();
    throw await readProblem(response);
  };
  return {
    fetch: fetchAnswer,
    ask: async <T>(method: Method, path: string, request?: AdminRequest) =>
      (await (await fetchAnswer(method, path, request)).json()) as T,
  };
}

/** A path of these parts, each encoded. */
export const pathOf = (...parts: readonly string[]): string =>
  parts.map((part) => `/${encodeURIComponent(part)}`).join("");

function queryText(query: NonNullable<AdminRequest["query"]>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const item of Array.isArray(value) ? value : [value]) params.append(name, String(item));
  }
  const text = params.toString();
  return text === "" ? "" : `?${text}`;
}
