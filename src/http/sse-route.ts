// HTTP+SSE of 2024-11-05: one stream down, POSTs up. Behind it stands a socket session like any other, whose socket the
// edge holds; POSTs reach its hub from any isolate by the channel that the stream announced.

import * as v from "valibot";
import { hubStub, signingSecrets } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { randomText } from "../lib/random.ts";
import { openText, sealText } from "../lib/sealed-text.ts";
import { IDEMPOTENCY_KEY } from "../protocol/idempotency-key.ts";
import { INVALID_REQUEST, ProtocolError } from "../protocol/protocol-error.ts";
import { channelTag } from "../sessions/hub-contract.ts";
import { withKey } from "./endpoint-route.ts";
import { EventStream } from "./event-stream.ts";
import { socketSessionOf, type Base } from "./exchange.ts";
import { bridge, openHubSocket } from "./hub-bridge.ts";
import { readBody } from "./read-body.ts";

const ChannelSchema = v.object({ keyId: v.string(), hub: v.string(), channel: v.string() });

/** `GET /sse`: an `endpoint` event first, then every message of the session (2024-11-05, basic/transports). */
export const openSse = (base: Base, pathKey: string | undefined): Promise<Response> =>
  withKey(base, pathKey, async (exchange) => {
    const { env, request, key } = exchange;
    const channel = randomText(26);
    const opened = await openHubSocket(exchange, null, (facts) => ({
      kind: "sse",
      session: { ...socketSessionOf(exchange, facts), transport: "sse" },
      tags: [channelTag(channel)],
    }));
    if ("refusal" in opened) return opened.refusal;
    const { socket, hub } = opened;
    const stream = new EventStream(request.signal);
    const sealed = await sealText(signingSecrets(env), "sse", { keyId: key.keyId, hub, channel });
    const prefix = pathKey === undefined ? "" : `/k/${pathKey}`;
    stream.send({ event: "endpoint", data: `${prefix}/messages?session=${sealed}` });
    bridge(socket, stream, {
      onFrame: (frame) => stream.send({ event: "message", data: frame }),
      // What was settled on the session is gone with its socket: the client begins anew.
      onClose: () => stream.close(),
    });
    return stream.response;
  });

/** `POST /messages`: 202, and the answer comes on the stream. 404 when that is gone. */
export const postSseMessage = (base: Base, pathKey: string | undefined): Promise<Response> =>
  withKey(base, pathKey, async ({ env, request, key }) => {
    // The frame goes to the session's hub without its headers: a key that is not heeded must not look as if it were.
    if (request.headers.has("idempotency-key")) throw new ProtocolError(INVALID_REQUEST, KEY_IN_HEADER, 400);
    const sealed = new URL(request.url).searchParams.get("session") ?? "";
    const short = sealed.length <= LIMITS.sessionIdChars;
    const opened = v.safeParse(ChannelSchema, short ? await openText(signingSecrets(env), "sse", sealed) : undefined);
    if (!opened.success || opened.output.keyId !== key.keyId) throw streamNotFound();
    const frame = await readBody(request);
    const { hub, channel } = opened.output;
    if (!(await hubStub(env, hub).receive(channelTag(channel), frame))) throw streamNotFound();
    return new Response("Accepted", { status: 202 });
  });

const KEY_IN_HEADER = `Invalid request: over HTTP+SSE the key goes in _meta["${IDEMPOTENCY_KEY}"], not in Idempotency-Key`;

const streamNotFound = (): ProtocolError =>
  new ProtocolError(404, "Session not found: its stream is gone. Open /sse again", 404);
