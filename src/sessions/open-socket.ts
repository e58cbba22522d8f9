// The edge's side of a hub: which one a client gets, and what is handed over with the upgrade.

import * as v from "valibot";
import { hubName, hubStub, type Env } from "../env.ts";
import { SocketSessionSchema } from "./attachment.ts";
import type { SocketSession } from "./hub-contract.ts";

/** Only the edge sends these to a hub, and a hub hears from the edge alone: no client's header gets through. */
const SESSION_HEADER = "x-toolgate-session";
const HUB_HEADER = "x-toolgate-hub";

const OpeningSchema = v.object({ hub: v.string(), session: SocketSessionSchema });
export type Opening = v.InferOutput<typeof OpeningSchema>;

/** Passes an authenticated upgrade on to the hub of the client's region. `echo` asks for the subprotocol `mcp`. */
export function openSocket(env: Env, request: Request, session: SocketSession, echo: boolean): Promise<Response> {
  const name = hubName(regionOf(request.cf));
  const headers = new Headers({ upgrade: "websocket", [HUB_HEADER]: name, [SESSION_HEADER]: JSON.stringify(session) });
  if (echo) headers.set("sec-websocket-protocol", "mcp");
  return hubStub(env, name).fetch(new Request("https://hub/", { headers }));
}

/** What `openSocket` handed over. Throws when it is something else. */
export const readOpening = ({ headers }: Request): Opening =>
  v.parse(OpeningSchema, {
    hub: headers.get(HUB_HEADER),
    session: JSON.parse(headers.get(SESSION_HEADER) ?? "null") as unknown,
  });

/** Cloudflare's location hints by continent; the two wide continents are split by longitude. */
export function regionOf(cf: Request["cf"]): DurableObjectLocationHint {
  const longitude = Number(cf?.["longitude"] ?? 0);
  switch (cf?.["continent"]) {
    case "NA":
      return longitude < -100 ? "wnam" : "enam";
    case "SA":
      return "sam";
    case "AS":
      return longitude < 60 ? "me" : "apac";
    case "OC":
      return "oc";
    case "AF":
      return "afr";
    default:
      return longitude > 15 ? "eeur" : "weur";
  }
}
