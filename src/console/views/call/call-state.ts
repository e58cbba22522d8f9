// One call from its request to its end: what was heard meanwhile, what it asks for, how it is stopped.

import { useEffect, useRef, useState } from "preact/hooks";
import type { CallRequest } from "../../mcp/call-request.ts";
import { sendCall, type CallEnd, type LogMessage, type Progress } from "../../mcp/send-call.ts";

export type Ending = CallEnd | { kind: "cancelled" } | { kind: "timeout"; afterSeconds: number };

export interface CallState {
  isRunning: boolean;
  startedAt?: number;
  durationMs?: number;
  progress?: Progress;
  logs: readonly LogMessage[];
  end?: Ending;
}

export interface Call extends CallState {
  send: (request: CallRequest, key: string, timeoutSeconds: number) => Promise<void>;
  cancel: () => void;
  clear: () => void;
}

const IDLE: CallState = { isRunning: false, logs: [] };
const LOGS_KEPT = 500;

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
    setState(({ logs, progress }) => ({
      isRunning: true,
      startedAt,
      logs: goesOn ? logs : [],
      ...(goesOn && progress && { progress }),
    }));
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(timeoutSeconds * 1000)]);
    const news = {
      onProgress: (progress: Progress): void => setState((before) => ({ ...before, progress })),
      onLog: (message: LogMessage): void =>
        setState((before) => ({ ...before, logs: [...before.logs, message].slice(-LOGS_KEPT) })),
    };
    const end = await sendCall(request, key, news, signal).catch((): Ending =>
      stop.signal.aborted ? { kind: "cancelled" } : { kind: "timeout", afterSeconds: timeoutSeconds },
    );
    if (aborter.current !== stop) return;
    setState((before) => ({ ...before, isRunning: false, durationMs: performance.now() - startedAt, end }));
  };
  return { ...state, send, cancel: () => aborter.current?.abort(), clear: () => setState(IDLE) };
}
