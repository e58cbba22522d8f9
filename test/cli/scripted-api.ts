// A server that answers as it is told to and remembers what it was asked.

import { createServer } from "node:http";
import { onTestFinished } from "vitest";

export interface Asked {
  call: string;
  authorization: string | undefined;
  ifMatch?: string;
  body?: unknown;
}

/** An answer by `METHOD /path`: JSON with status 200, a status and JSON, or JSON lines as a text. */
export type Script = Record<string, object | string | [number, object]>;

/** Serves a script until the test ends. */
export async function serveScript(script: Script): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const call = `${request.method} ${request.url}`;
    let body = "";
    for await (const chunk of request) body += String(chunk);
    asked.push({
      call,
      authorization: request.headers.authorization,
      ...(request.headers["if-match"] && { ifMatch: request.headers["if-match"] }),
      ...(body && { body: JSON.parse(body) as unknown }),
    });
    const answer = script[call] ?? [404, { code: "not_found", detail: `No script for ${call}` }];
    if (typeof answer === "string") {
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      response.end(answer);
      return;
    }
    const [status, json] = Array.isArray(answer) ? answer : [200, answer];
    response.writeHead(status, { "content-type": status < 400 ? "application/json" : "application/problem+json" });
    response.end(JSON.stringify(json));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected a TCP address");
  return { url: `http://127.0.0.1:${address.port}`, asked };
}
