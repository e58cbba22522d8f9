// Notifications of the server's own, apart from those that a call sends.

import type { Id } from "./json-rpc.ts";
import { SERVER_INFO, SUBSCRIPTION_ID } from "./meta.ts";
import { SERVER } from "./server-info.ts";

/** `list_changed`; with the subscription that it is for in the modern era (2026-07-28, basic/patterns/subscriptions). */
export const encodeListChanged = (subscription?: Id): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    method: "notifications/tools/list_changed",
    ...(subscription !== undefined && { params: { _meta: { [SUBSCRIPTION_ID]: subscription } } }),
  });

/** The first message of a subscription: what of its filter is honoured. */
export const encodeAcknowledged = (subscription: Id, toolsListChanged: boolean): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    method: "notifications/subscriptions/acknowledged",
    params: {
      _meta: { [SUBSCRIPTION_ID]: subscription },
      notifications: toolsListChanged ? { toolsListChanged } : {},
    },
  });

/** The last message of a subscription that the server ends: the response to its request. */
export const encodeSubscriptionEnd = (subscription: Id): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: subscription,
    result: { resultType: "complete", _meta: { [SUBSCRIPTION_ID]: subscription, [SERVER_INFO]: SERVER } },
  });
