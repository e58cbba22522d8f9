// Whether the server is well, by no more than a look at its configuration.

import type { Env } from "../env.ts";
import { SERVER } from "../protocol/server-info.ts";

export function answerHealth({ SIGNING_SECRET }: Env, details: object = {}): Response {
  const status = SIGNING_SECRET ? "ok" : "misconfigured";
  const told = { status, name: SERVER.name, version: SERVER.version, ...details };
  return Response.json(told, { status: SIGNING_SECRET ? 200 : 503 });
}
