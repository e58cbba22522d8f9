import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { INVALID_PARAMS, ProtocolError } from "./protocol-error.ts";

/** Whether `subscriptions/listen` asks for changes of the tools, all that this server has changes of. Throws −32602. */
export function wantsToolChanges({ notifications }: JsonObject): boolean {
  if (!isJsonObject(notifications)) {
    throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "notifications" must be an object', 400);
  }
  return notifications["toolsListChanged"] === true;
}
