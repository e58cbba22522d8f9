// A local HTTP API that remembers what it was asked.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

export interface PortApi {
  /** `127.0.0.1:<port>`. */
  host: string;
  /** Method and path of every request so far. */
  asked: string[];
}

/** Starts it for one test file. It answers with what it was asked. */
export async function startPortApi(): Promise<PortApi> {
  const asked: string[] = [];
  const api = createServer((request, response) => {
    const what = `${request.method} ${request.url}`;
    asked.push(what);
    response.setHeader("content-type", "text/plain").end(`You asked for ${what}`);
  }).listen(0, "127.0.0.1");
  await once(api, "listening");
  afterAll(() => void api.close());
  return { host: `127.0.0.1:${(api.address() as AddressInfo).port}`, asked };
}
