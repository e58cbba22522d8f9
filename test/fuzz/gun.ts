// What fires shots: one at a time, over one kept-alive connection and a WebSocket for each revision. Each is judged by
// what came of it.

import type { Revision } from "../matrix/cells.ts";
import { faultsOfAnswer, faultsOfFrame, sentValue } from "./answer-faults.ts";
import { Connection, type Outcome } from "./connection.ts";
import { FrameLane } from "./frame-lane.ts";
import { owedTo } from "./message-faults.ts";
import { MODERN_DIALECT, tellCall } from "./models/dialects.ts";
import { encodeShot, fillIn, type Shot } from "./shot.ts";
import type { World } from "./world.ts";

export interface Hit {
  outcome: Outcome;
  /** How many messages were served: those of a batch, unless it was refused as a whole. */
  messages: number;
  faults: string[];
  ms: number;
}

export class Gun {
  readonly #world: World;
  readonly #connection: Connection;
  readonly #lanes = new Map<Revision, FrameLane>();

  constructor(world: World) {
    this.#world = world;
    this.#connection = new Connection(world.port);
  }

  async fire(shot: Shot): Promise<Hit> {
    const filled = new Map<string, string | undefined>();
    // A shot that names a spare twice means the same one, and is judged by what it was sent with.
    const read = (name: string): string | undefined => {
      if (!filled.has(name)) filled.set(name, this.#world.read(name));
      return filled.get(name);
    };
    const world = { ...this.#world, read };
    const startedMs = performance.now();
    const { outcome, faults } = await this.#attempt(shot, world);
    const ms = performance.now() - startedMs;
    return { outcome, faults, messages: isServed(outcome) ? countMessages(shot, world) : 1, ms };
  }

  close(): void {
    this.#connection.close();
    for (const lane of this.#lanes.values()) lane.close();
  }

  /** A server that can't be reached any more has not answered. */
  async #attempt(shot: Shot, world: World): Promise<Pick<Hit, "outcome" | "faults">> {
    try {
      return shot.socket ? await this.#sendFrame(shot, shot.socket, world) : await this.#send(shot, world);
    } catch (error) {
      const reason = String(error);
      return { outcome: { kind: "unanswered", reason }, faults: [reason] };
    }
  }

  async #send(shot: Shot, world: World): Promise<Pick<Hit, "outcome" | "faults">> {
    const bytes = encodeShot(shot, `127.0.0.1:${world.port}`, world.read);
    const outcome = await this.#connection.send({ method: shot.method, bytes, endless: isEndless(shot) });
    if (outcome.kind === "answered" && !shot.isRaw) world.learn(shot, outcome.response);
    return { outcome, faults: faultsOfAnswer(shot, outcome, world) };
  }

  async #sendFrame(shot: Shot, revision: Revision, world: World): Promise<Pick<Hit, "outcome" | "faults">> {
    const open = this.#lanes.get(revision);
    const lane = open?.isOpen ? open : await FrameLane.open(world.port, world.read("key.a") ?? "", revision);
    this.#lanes.set(revision, lane);
    const frame = fillIn(shot.body ?? "", world.read);
    const outcome = await lane.send(frame, owedTo(sentValue(shot, world), lane.revision));
    const isAnswered = outcome.fault === undefined;
    return {
      outcome: isAnswered ? { kind: "framed" } : { kind: "unanswered", reason: outcome.fault ?? "" },
      faults: faultsOfFrame(shot, outcome, world),
    };
  }
}

const isEndless = ({ method, body }: Shot): boolean =>
  method === "GET" || body?.includes("subscriptions/listen") === true;

const isServed = (outcome: Outcome): boolean =>
  outcome.kind === "answered" && [200, 202].includes(outcome.response.status);

/** The items of a batch; 1 for anything else. */
function countMessages(shot: Shot, world: World): number {
  if (shot.path !== "/mcp" || !shot.body?.startsWith("[")) return 1;
  const sent = sentValue(shot, world);
  return Array.isArray(sent) ? Math.max(1, sent.length) : 1;
}

let calls = 0;

/** What a good call is answered with, as it should be, whatever came before; otherwise what came. */
export async function checkAlive(world: World): Promise<string | undefined> {
  const gun = new Gun(world);
  const [a, b] = [++calls, 2];
  const { message, headers } = tellCall(MODERN_DIALECT, { name: "add", args: { a, b } }, `alive-${calls}`);
  const { outcome, faults } = await gun.fire({
    kind: "alive",
    method: "POST",
    path: "/mcp",
    headers: [["authorization", "Bearer «key.b»"], ["content-type", "application/json"], ...headers],
    body: JSON.stringify(message),
  });
  gun.close();
  const text = outcome.kind === "answered" ? outcome.response.body.toString() : outcome.kind;
  const expected = `"content":[{"type":"text","text":"${a + b}"}]`;
  return faults.length === 0 && text.includes(expected)
    ? undefined
    : `a good call was answered with ${text.slice(0, 300)}`;
}
