// Both SDKs' clients over every transport they have, told apart by nothing but their name.

import {
  Client as ClientV2,
  SSEClientTransport as SseV2,
  StreamableHTTPClientTransport as HttpV2,
} from "@modelcontextprotocol/client";
import type { Progress, VersionNegotiationOptions } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport as SseV1 } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import type { Transport as TransportV1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import type { Server } from "./server.ts";

type Content = Record<string, string | number | boolean | string[]>;

/** What the client does when it is asked or told something. */
export interface Habits {
  /** Fills in a form, or declines. Without it, the client has no forms. */
  answerForm?: (message: string) => { action: "accept" | "decline"; content?: Content };
  /** The model's words. Without it, the client has no model. */
  answerModel?: (prompt: string) => string;
  onLog?: (params: unknown) => void;
  onToolsChanged?: () => void;
}

export interface CallOptions {
  signal?: AbortSignal;
  onprogress?: (progress: Progress) => void;
  /** The least severe messages that a client without a session asks for. */
  logLevel?: string;
}

export interface Caller {
  call: (name: string, args?: Record<string, unknown>, options?: CallOptions) => Promise<Record<string, unknown>>;
  names: () => Promise<string[]>;
}

/** A client that is ready to be opened with a key of its own. */
export interface Kind {
  client: string;
  era: "legacy" | "modern";
  open: (server: Server, habits?: Habits) => Promise<Caller>;
}

export const KINDS: Kind[] = [
  { client: "SDK v1 over HTTP", era: "legacy", open: (server, habits) => openV1(httpV1(server), habits) },
  { client: "SDK v1 over SSE", era: "legacy", open: (server, habits) => openV1(sseV1(server), habits) },
  { client: "SDK v1 over WebSocket", era: "legacy", open: (server, habits) => openV1(socketV1(server), habits) },
  {
    client: "SDK v2 in mode legacy",
    era: "legacy",
    open: (server, habits) => openV2("legacy", httpV2(server), habits),
  },
  { client: "SDK v2 over SSE", era: "legacy", open: (server, habits) => openV2("legacy", sseV2(server), habits) },
  { client: "SDK v2 in mode auto", era: "modern", open: (server, habits) => openV2("auto", httpV2(server), habits) },
  {
    client: "SDK v2 pinned",
    era: "modern",
    open: (server, habits) => openV2({ pin: "2026-07-28" }, httpV2(server), habits),
  },
];

/** The option by which every transport but the WebSocket takes a key. */
export const withKey = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

const httpV1 = async (server: Server): Promise<TransportV1> => {
  const { key } = await server.mintKey();
  // The SDK's own types do not agree under `exactOptionalPropertyTypes`.
  return new HttpV1(server.endpoint(), withKey(key)) as TransportV1;
};

const sseV1 = async (server: Server): Promise<TransportV1> =>
  new SseV1(server.sseEndpoint(), withKey((await server.mintKey()).key));

const socketV1 = async (server: Server): Promise<TransportV1> =>
  new WebSocketClientTransport(server.socketEndpoint((await server.mintKey({ urlKey: true })).key));

const httpV2 = async (server: Server): Promise<HttpV2> =>
  new HttpV2(server.endpoint(), withKey((await server.mintKey()).key));

const sseV2 = async (server: Server): Promise<SseV2> =>
  new SseV2(server.sseEndpoint(), withKey((await server.mintKey()).key));

const INFO = { name: "journey", version: "1.0.0" };

const capabilitiesOf = ({ answerForm, answerModel }: Habits) => ({
  ...(answerForm && { elicitation: {} }),
  ...(answerModel && { sampling: {} }),
});

async function openV1(transport: Promise<TransportV1>, habits: Habits = {}): Promise<Caller> {
  const { answerForm, answerModel, onLog, onToolsChanged } = habits;
  const client = new ClientV1(INFO, { capabilities: capabilitiesOf(habits) });
  if (answerForm) client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerForm(params.message));
  if (answerModel) {
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => modelAnswer(answerModel, params.messages));
  }
  if (onLog) client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => onLog(params));
  if (onToolsChanged) client.setNotificationHandler(ToolListChangedNotificationSchema, onToolsChanged);
  onTestFinished(() => client.close());
  await client.connect(await transport);
  return {
    call: (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, undefined, options),
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
  };
}

async function openV2(
  mode: NonNullable<VersionNegotiationOptions["mode"]>,
  transport: Promise<HttpV2 | SseV2>,
  habits: Habits = {},
): Promise<Caller> {
  const { answerForm, answerModel, onLog, onToolsChanged } = habits;
  const client = new ClientV2(INFO, { capabilities: capabilitiesOf(habits), versionNegotiation: { mode } });
  if (answerForm) client.setRequestHandler("elicitation/create", ({ params }) => answerForm(params.message));
  if (answerModel) {
    client.setRequestHandler("sampling/createMessage", ({ params }) => modelAnswer(answerModel, params.messages));
  }
  if (onLog) client.setNotificationHandler("notifications/message", ({ params }) => onLog(params));
  if (onToolsChanged) client.setNotificationHandler("notifications/tools/list_changed", onToolsChanged);
  onTestFinished(() => client.close());
  await client.connect(await transport);
  if (onToolsChanged && client.getProtocolEra() === "modern") await client.listen({ toolsListChanged: true });
  return {
    call: (name, args = {}, { logLevel, ...options } = {}) => {
      const meta = logLevel === undefined ? {} : { _meta: { "io.modelcontextprotocol/logLevel": logLevel } };
      return client.callTool({ name, arguments: args, ...meta }, options);
    },
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
  };
}

function modelAnswer(answer: (prompt: string) => string, messages: { content: unknown }[]) {
  const [content] = messages.map((message) => message.content as { text: string });
  const text = answer(content?.text ?? "");
  return { role: "assistant" as const, model: "journey-model", content: { type: "text" as const, text } };
}
