// Where shots are fired: one at a time on each connection, each judged by what came of it.

import { faultsOfAnswer } from "./answer-faults.ts";
import type { Connection, Outcome } from "./connection.ts";
import { MODERN_DIALECT, tellCall } from "./models/dialects.ts";
import { encodeShot, type Shot } from "./shot.ts";
import type { World } from "./world.ts";

export interface Hit {
  outcome: Outcome;
  faults: string[];
  ms: number;
}

/** Sends a shot and judges what comes of it. */
export async function fire(shot: Shot, world: World, connection: Connection): Promise<Hit> {
  const filled = new Map<string, string | undefined>();
  // A shot that names a spare twice means the same one, and is judged by what it was sent with.
  const read = (name: string): string | undefined => {
    if (!filled.has(name)) filled.set(name, world.read(name));
    return filled.get(name);
  };
  const bytes = encodeShot(shot, `127.0.0.1:${world.port}`, read);
  const startedMs = performance.now();
  const outcome = await connection.send({ method: shot.method, bytes, endless: isEndless(shot) });
  const ms = performance.now() - startedMs;
  if (outcome.kind === "answered" && !shot.isRaw) world.learn(shot, outcome.response);
  return { outcome, faults: faultsOfAnswer(shot, outcome, { ...world, read }), ms };
}

const isEndless = ({ method, body }: Shot): boolean =>
  method === "GET" || body?.includes("subscriptions/listen") === true;

let calls = 0;

/** What a good call is answered with, as it should be, whatever came before; otherwise what came. */
export async function checkAlive(world: World, connection: Connection): Promise<string | undefined> {
  const [a, b] = [++calls, 2];
  const { message, headers } = tellCall(MODERN_DIALECT, { name: "add", args: { a, b } }, `alive-${calls}`);
  const shot: Shot = {
    kind: "alive",
    method: "POST",
    path: "/mcp",
    headers: [["authorization", "Bearer «key.b»"], ["content-type", "application/json"], ...headers],
    body: JSON.stringify(message),
  };
  const { outcome, faults } = await fire(shot, world, connection);
  const text = outcome.kind === "answered" ? outcome.response.body.toString() : outcome.kind;
  const expected = `"content":[{"type":"text","text":"${a + b}"}]`;
  return faults.length === 0 && text.includes(expected)
    ? undefined
    : `a good call was answered with ${text.slice(0, 300)}`;
}
