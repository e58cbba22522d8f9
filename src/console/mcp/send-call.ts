import type { CallRequest } from "./call-request.ts";
import { readEvents } from "./event-stream.ts";
import type { Content } from "../../tools/content.ts";
import type { InputRequest } from "../../tools/input-request.ts";

export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

export interface LogMessage {
  level: string;
  logger?: string;
  data: unknown;
}

export interface CallResult {
  content?: Content[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

/** What came of a call. `answer` is the message as it came. */
export type CallEnd =
  | { kind: "result"; result: CallResult; answer: unknown }
  /** It goes on once these are answered. */
  | { kind: "input"; requests: Record<string, InputRequest>; requestState?: string; answer: unknown }
  /** The request itself was refused, or failed. */
  | { kind: "error"; status: number; code: number; message: string; data?: unknown; answer: unknown }
  /** There is no answer that means anything. */
  | { kind: "broken"; status: number; message: string };

export interface CallNews {
  onProgress: (progress: Progress) => void;
  onLog: (message: LogMessage) => void;
}

/** Sends a call and follows it to its end. Throws only what the signal aborts it with. */
export async function sendCall(
  request: CallRequest,
  key: string,
  news: CallNews,
  signal: AbortSignal,
): Promise<CallEnd> {
  let status = 0;
  try {
    const response = await fetch(request.url, {
      method: "POST",
      headers: { ...request.headers, authorization: `Bearer ${key}` },
      body: JSON.stringify(request.body),
      credentials: "omit",
      signal,
    });
    status = response.status;
    for await (const message of readMessages(response)) {
      const end = take(message, request.body.id, status, news);
      if (end) return end;
    }
    return { kind: "broken", status, message: "The answer ended without a result." };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return { kind: "broken", status, message: error instanceof Error ? error.message : String(error) };
  }
}

type Message = Record<string, unknown>;

async function* readMessages(response: Response): AsyncGenerator<Message> {
  if (response.headers.get("content-type")?.startsWith("text/event-stream") && response.body) {
    for await (const data of readEvents(response.body)) yield JSON.parse(data) as Message;
  } else yield JSON.parse(await response.text()) as Message;
}

function take(message: Message, id: string, status: number, { onProgress, onLog }: CallNews): CallEnd | undefined {
  const { method, params, result, error } = message;
  if (method === "notifications/progress") onProgress(params as Progress);
  if (method === "notifications/message") onLog(params as LogMessage);
  if (error !== undefined) {
    const { code, message: text, data } = error as { code: number; message: string; data?: unknown };
    return { kind: "error", status, code, message: text, ...(data !== undefined && { data }), answer: message };
  }
  if (result === undefined || message["id"] !== id) return undefined;
  const { resultType, inputRequests, requestState } = result as Message;
  if (resultType !== "input_required") return { kind: "result", result: result as CallResult, answer: message };
  return {
    kind: "input",
    requests: inputRequests as Record<string, InputRequest>,
    ...(typeof requestState === "string" && { requestState }),
    answer: message,
  };
}
