// The least that tells many sockets something: what the runtime, the loopback and the clients need without toolgate.

import { DurableObject } from "cloudflare:workers";
import { encodeListChanged } from "../../../../src/protocol/notifications.ts";

export class BareHub extends DurableObject {
  override fetch(request: Request): Response {
    if (request.method === "POST") return this.#broadcast();
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  #broadcast(): Response {
    const atMs = Date.now();
    const text = encodeListChanged();
    for (const socket of this.ctx.getWebSockets()) socket.send(text);
    return Response.json({ atMs });
  }
}

export const bareHub = (namespace: DurableObjectNamespace): DurableObjectStub =>
  namespace.get(namespace.idFromName("bare"));
