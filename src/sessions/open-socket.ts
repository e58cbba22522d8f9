// The edge's side of a hub: which one a client gets, and what is handed over with the upgrade.

import * as v from "valibot";
import { hubName, hubStub, type Env } from "../env.ts";
import { SocketKindSchema, SocketSessionSchema } from "./attachment.ts";

/** Only the edge sends it to a hub, and a hub hears from the edge alone: no client's header gets through. */
const OPENING_HEADER = "x-toolgate-opening";

const OpeningSchema = v.object({
  hub: v.string(),
  kind: SocketKindSchema,
  session: SocketSessionSchema,
  /** More tags to find the socket by, besides its key's. */
  tags: v.array(v.string()),
});
export type Opening = v.InferOutput<typeof OpeningSchema>;

/** Opens a socket at the hub of the request's region. `echo` asks for the subprotocol `mcp`. */
export function openSocket(
  env: Env,
  cf: Request["cf"],
  opening: Omit<Opening, "hub">,
  echo: boolean,
): Promise<Response> {
  const hub = hubName(regionOf(cf));
  const headers = new Headers({ upgrade: "websocket", [OPENING_HEADER]: JSON.stringify({ hub, ...opening }) });
  if (echo) headers.set("sec-websocket-protocol", "mcp");
  return hubStub(env, hub).fetch(new Request("https://hub/", { headers }));
}

/** What `openSocket` handed over. Throws when it is something else. */
export const readOpening = ({ headers }: Request): Opening =>
  v.parse(OpeningSchema, JSON.parse(headers.get(OPENING_HEADER) ?? "null"));

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
