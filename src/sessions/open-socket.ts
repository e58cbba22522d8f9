// The edge's side of a hub: which one a client gets, and what is handed over with the upgrade.

import * as v from "valibot";
import { hubName, hubStub, type Env } from "../env.ts";
import { DeadlineError, withDeadline } from "../lib/deadline.ts";
import { LIMITS } from "../lib/limits.ts";
import { regionOf } from "../lib/region.ts";
import { SocketKindSchema, SocketSessionSchema } from "./attachment.ts";

/** Only the edge sends it to a hub, and a hub hears from the edge alone: no client's header gets through. */
const OPENING_HEADER = "x-toolgate-opening";

const OpeningSchema = v.object({
  hub: v.string(),
  kind: SocketKindSchema,
  session: SocketSessionSchema,
  /** More tags to find the socket by, besides its key's. */
  tags: v.array(v.string()),
  /** The newest version that a stream's client knows; without it, it may have listed anything a while ago. */
  heard: v.exactOptional(v.number()),
});
export type Opening = v.InferOutput<typeof OpeningSchema>;

/**
 * Opens a socket at a hub of the request's region: the first that has room. `echo` asks for the subprotocol `mcp`. The
 * response is the hub's, a 101 or a refusal, and `hub` the one that gave it; or 504 when it took so long that the hub may
 * have forgotten whom it shut out meanwhile.
 */
export async function openSocket(
  env: Env,
  cf: Request["cf"],
  opening: Omit<Opening, "hub">,
  echo: boolean,
): Promise<{ response: Response; hub: string }> {
  const region = regionOf(cf);
  const startedAtMs = Date.now();
  for (let number = firstHubWithRoom(region); ; number++) {
    const hub = hubName(region, number);
    const knocked = knock(env, { hub, ...opening }, echo);
    const response = await withDeadline(knocked, LIMITS.openingMs, "hub").catch((error: unknown) => {
      if (!(error instanceof DeadlineError)) throw error;
      void knocked.then(dropLate, () => undefined);
      return undefined;
    });
    if (!response) return { response: refuseLate(), hub };
    if (Date.now() - startedAtMs > LIMITS.openingMs) return { response: dropLate(response), hub };
    if (response.status !== 503 || number + 1 >= LIMITS.regionHubs) return { response, hub };
    fullHubs.set(region, { number, untilMs: Date.now() + LIMITS.fullHubMs });
  }
}

function dropLate({ webSocket }: Response): Response {
  webSocket?.accept();
  webSocket?.close(1000, "opened too late");
  return refuseLate();
}

const refuseLate = (): Response => new Response(null, { status: 504, headers: { "retry-after": "1" } });

/** The hub that was full last, by region: who comes within a minute need not knock there first. */
const fullHubs = new Map<string, { number: number; untilMs: number }>();

function firstHubWithRoom(region: string): number {
  const full = fullHubs.get(region);
  return full && full.untilMs > Date.now() ? full.number + 1 : 0;
}

function knock(env: Env, opening: Opening, echo: boolean): Promise<Response> {
  const headers = new Headers({ upgrade: "websocket", [OPENING_HEADER]: JSON.stringify(opening) });
  if (echo) headers.set("sec-websocket-protocol", "mcp");
  return hubStub(env, opening.hub).fetch(new Request("https://hub/", { headers }));
}

/** What `openSocket` handed over. Throws when it is something else. */
export const readOpening = ({ headers }: Request): Opening =>
  v.parse(OpeningSchema, JSON.parse(headers.get(OPENING_HEADER) ?? "null"));
