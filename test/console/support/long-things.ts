// What a server has when names are as long as they may be.

import { modernRequest, post } from "../../journeys/support/rpc.ts";
import type { Server } from "../../journeys/support/server.ts";

/** Of 64 characters. */
export const LONG_NAME = "retrieve_consolidated_multimodal_transport_emissions_statement_x";

const LONG_RECORD = {
  title: "Retrieve the consolidated multimodal transport emissions statement",
  description: "Retrieves the statement of a consignment.",
  inputSchema: {
    type: "object",
    properties: { consignment_reference_of_the_originating_forwarder: { type: "string" } },
    required: ["consignment_reference_of_the_originating_forwarder"],
  },
  annotations: { readOnlyHint: false, destructiveHint: true },
  source: {
    kind: "http",
    method: "GET",
    url: "https://api.a-rather-long-host-name.of-the-port-community-system.example/statements",
    query: { reference: "{consignment_reference_of_the_originating_forwarder}" },
    headers: { authorization: "Bearer {{secret:SEEN_TOKEN}}" },
  },
};

/** A tool, a key with a quota that has called it, a secret and an upstream. */
export async function makeThings(server: Server): Promise<{ keyId: string; key: string }> {
  await server.admin("PUT", `/tools/${LONG_NAME}`, LONG_RECORD);
  await server.admin("PUT", "/secrets/SEEN_TOKEN", { value: "12345678" });
  await server.admin("PUT", "/secrets/TOKEN_OF_THE_PORT_COMMUNITY_SYSTEM_THAT_THE_HARBOUR_RUNS", { value: "12345678" });
  await server.admin("PUT", "/upstreams/seen", {
    url: "https://mcp.a-rather-long-host-name.example/servers/production",
  });
  const { id, key } = await server.mintKey({
    name: "Logistics department, automated nightly reconciliation of customs declarations",
    limits: { perMinute: 60, perDay: 10, tools: { [`${LONG_NAME}*`]: { perMinute: 2 } } },
  });
  const { message, headers } = modernRequest("tools/call", { name: "calculate", arguments: { expression: "6*7" } });
  await post(server.endpoint(), key, message, { ...headers, "mcp-name": "calculate" });
  await server.mintKey({ name: "x".repeat(64), urlKey: true });
  return { keyId: id, key };
}
