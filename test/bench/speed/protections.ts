// What protects a deployment, and how to tell from outside that it is on.

import { ask } from "./requests.ts";

export interface Probe {
  what: string;
  headers: Record<string, string>;
  body: string;
  status: number;
  /** What the answer's body must hold. */
  holds: string;
}

type Headers = Record<string, string>;

/** Requests that a server with everything on refuses or cleans, with the good key of `headers`. */
export function probes(headers: Headers): Probe[] {
  const call = ask("call", "modern", 1, headers);
  const { authorization = "", ...keyless } = call.headers;
  const forged = authorization.replace(/.$/, (last) => (last === "a" ? "b" : "a"));
  const hidden = call.body.replace("hello world", "hello\\u200b\\u001b[31m world");
  const bad = ask("bad call", "modern", 1, headers);
  return [
    { what: "the key's check", headers: keyless, body: call.body, status: 401, holds: "API key" },
    {
      what: "the key's MAC",
      headers: { ...call.headers, authorization: forged },
      body: call.body,
      status: 401,
      holds: "API key",
    },
    {
      what: "the origin's check",
      headers: { ...call.headers, origin: "https://else.example" },
      body: call.body,
      status: 403,
      holds: "origin",
    },
    {
      what: "headers against body",
      headers: { ...call.headers, "mcp-name": "add" },
      body: call.body,
      status: 400,
      holds: "Mcp-Name",
    },
    {
      what: "the body's limit",
      headers: call.headers,
      body: call.body.padEnd(1_048_577),
      status: 413,
      holds: "1048576",
    },
    { what: "the limit of nesting", headers: call.headers, body: "[".repeat(65), status: 400, holds: "nesting" },
    { what: "validation of arguments", headers: bad.headers, body: bad.body, status: 200, holds: '"isError":true' },
    { what: "cleaning of results", headers: call.headers, body: hidden, status: 200, holds: '"text":"hello world"' },
  ];
}
