// Where a key must not turn up: in what the runtime writes, in what is answered, in what is stored.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { prepareMachine, startDevProcess } from "./support/dev-process.ts";
import { calculate, initialize, request } from "./support/rpc.ts";
import { toSocketUrl } from "./support/server.ts";
import { openSession } from "./support/socket.ts";

const JSON_TYPE = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Bodies that are answered with a result and with errors of every kind. */
const BODIES = [
  JSON.stringify(calculate("1")),
  JSON.stringify(calculate("1/")),
  JSON.stringify(initialize()),
  JSON.stringify(request("no/such")),
  JSON.stringify(request("tools/call", { name: "no_such" })),
  JSON.stringify([request("ping")]),
  "{",
  "[]",
];

test("a key occurs in no output of the runtime, no answer and no file, wherever it was sent", async () => {
  const machine = await prepareMachine();
  const server = await startDevProcess(machine);
  const [header, url] = [await server.mintKey(), await server.mintKey({ urlKey: true })];
  const rotated = await server.admin("POST", `/keys/${header.id}/rotate`, { overlapSeconds: 600 });
  const keys = [header.key, url.key, String(rotated.body["key"])];
  const answers: string[] = [];
  const send = async (path: string, headers: Record<string, string>, init: RequestInit = {}): Promise<number> => {
    const response = await fetch(new URL(path, server.url), {
      ...init,
      headers: { ...JSON_TYPE, ...headers },
      redirect: "manual",
    });
    answers.push(JSON.stringify([...response.headers]), await response.text());
    return response.status;
  };
  const statuses: number[] = [];
  for (const key of keys) {
    // In its place, out of its place, spoilt, and where keys don't belong at all.
    const places: [string, Record<string, string>][] = [
      ["/mcp", { authorization: `Bearer ${key}` }],
      ["/mcp", { "x-api-key": key }],
      [`/k/${key}/mcp`, {}],
      [`/k/${key}x/mcp`, {}],
      [`/k/${key}/nowhere`, {}],
      [`/mcp?api_key=${key}`, {}],
      [`/${key}`, {}],
      ["/mcp", { authorization: `Bearer ${key}x` }],
      ["/mcp", { authorization: `Bearer ${key}`, "mcp-session-id": key }],
      ["/mcp", { authorization: `Bearer ${key}`, "last-event-id": key }],
      ["/messages?session=", { authorization: `Bearer ${key}` }],
      ["/admin/v1/keys", { authorization: `Bearer ${key}` }],
    ];
    for (const [path, headers] of places) {
      for (const body of BODIES) statuses.push(await send(path, headers, { method: "POST", body }));
      statuses.push(
        await send(path, { ...headers, accept: "application/json" }),
        await send(path, headers, { method: "DELETE" }),
      );
    }
  }
  const endpoint = toSocketUrl(new URL("/mcp", server.url));
  const socket = await openSession(endpoint, { protocols: ["mcp", `mcp.auth.${header.key}`] });
  for (const body of BODIES) socket.sendRaw(body);
  await socket.ask("ping");
  answers.push(socket.protocol, JSON.stringify(socket.received));
  await server.admin("DELETE", `/keys/${header.id}`);
  expect((await socket.closed).code).toBe(1008);
  answers.push((await socket.closed).reason);
  answers.push(JSON.stringify([await server.admin("GET", "/keys"), await server.admin("GET", `/keys/${url.id}`)]));

  // Both that work were used, and refusals were of many kinds.
  expect([...new Set(statuses)].toSorted()).toEqual(expect.arrayContaining([200, 400, 401, 403, 404]));
  const secrets = [...keys.map((key) => key.slice(20)), machine.adminKey];
  for (const secret of secrets) {
    expect(answers.filter((answer) => answer.includes(secret))).toEqual([]);
    expect(server.output()).not.toContain(secret);
  }
  await server.kill();
  const entries = await readdir(machine.dir, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name !== "secrets.env")
    .map(({ parentPath, name }) => join(parentPath, name));
  expect(files.length).toBeGreaterThan(2);
  for (const file of files) {
    const content = await readFile(file, "latin1");
    expect(
      secrets.filter((secret) => content.includes(secret)),
      file,
    ).toEqual([]);
  }
});
