// One call from its request to its end: what was heard meanwhile, what it asks for, how it is stopped.

import { useEffect, useRef, useState } from "preact/hooks";
import type { CallRequest } from "../../mcp/call-request.ts";
import { sendCall, type CallEnd, type LogMessage, type Progress } from "../../mcp/send-call.ts";
import { addNews, NO_NEWS, type CallNews, type NewsItem } from "./call-news.ts";

export type Ending = CallEnd | { kind: "cancelled" } | { kind: "timeout"; afterSeconds: number };

export interface CallState {
  isRunning: boolean;
  startedAt?: number;
  durationMs?: number;
  news: CallNews;
  end?: Ending;
}

export interface Call extends CallState {
  send: (request: CallRequest, key: string, timeoutSeconds: number) => Promise<void>;
  cancel: () => void;
  clear: () => void;
}

const IDLE: CallState = { isRunning: false, news: NO_NEWS };

/** A call that this view makes; leaving the view cancels it. */
export function useCall(): Call {
  const [state, setState] = useState(IDLE);
  const aborter = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => aborter.current?.abort(), []);
  const send: Call["send"] = async (request, key, timeoutSeconds) => {
    const stop = new AbortController();
    aborter.current = stop;
    const startedAt = performance.now();
    const goesOn = "requestState" in request.body.params;
    setState(({ news }) => ({ isRunning: true, startedAt, news: goesOn ? news : NO_NEWS }));
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(timeoutSeconds * 1000)]);
    const add = (item: NewsItem): void => setState((before) => ({ ...before, news: addNews(before.news, item) }));
    const news = {
      onProgress: (progress: Progress): void => add({ atMs: Date.now(), progress }),
      onLog: (log: LogMessage): void => add({ atMs: Date.now(), log }),
    };
    const end = await sendCall(request, key, news, signal).catch((): Ending =>
      stop.signal.aborted ? { kind: "cancelled" } : { kind: "timeout", afterSeconds: timeoutSeconds },
    );
    if (aborter.current !== stop) return;
    setState((before) => ({ ...before, isRunning: false, durationMs: performance.now() - startedAt, end }));
  };
  return { ...state, send, cancel: () => aborter.current?.abort(), clear: () => setState(IDLE) };
}
