// Asks again and again while the page is in view: often while there is news, ever less often while there is none. A page
// that nobody looks at asks nothing, so that an idle server's objects sleep.

import { useEffect, useRef, useState } from "preact/hooks";
import { toProblem, type Problem } from "./api/problem.ts";
import type { Resource } from "./resource.ts";

export interface Pace {
  /** The pause while there is news, and the longest one. */
  leastMs: number;
  mostMs: number;
}

export interface Answer<T> {
  data: T;
  isNews: boolean;
}

const SLOWER = 1.5;
/** After an error, unless the server says how long to wait. */
const ERROR_PAUSE_MS = 5_000;
const LONGEST_ERROR_PAUSE_MS = 60_000;

/** What `ask` answers, time after time; `inputs` that are others begin anew. Nothing is asked while `isPaused`. */
export function usePoll<T>(
  ask: (signal: AbortSignal, before: T | undefined) => Promise<Answer<T>>,
  inputs: readonly unknown[],
  { leastMs, mostMs }: Pace,
  isPaused = false,
): Resource<T> {
  const [state, setState] = useState<{ data?: T; problem?: Problem; isLoading: boolean }>({ isLoading: true });
  const [round, setRound] = useState(0);
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    if (isPaused) return undefined;
    const aborter = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let [pauseMs, errors, isAsking] = [leastMs, 0, false];
    let before: T | undefined;
    const turn = async (): Promise<void> => {
      clearTimeout(timer);
      if (isAsking || document.visibilityState !== "visible") return;
      isAsking = true;
      const outcome = await settle(latest.current(aborter.signal, before));
      isAsking = false;
      if (aborter.signal.aborted) return;
      if ("data" in outcome) {
        before = outcome.data;
        errors = 0;
        pauseMs = outcome.isNews ? leastMs : Math.min(pauseMs * SLOWER, mostMs);
        setState({ data: outcome.data, isLoading: false });
      } else {
        pauseMs = pauseAfter(outcome.problem, errors++);
        setState(({ data }) => ({ ...(data !== undefined && { data }), problem: outcome.problem, isLoading: false }));
      }
      timer = setTimeout(() => void turn(), pauseMs);
    };
    const look = (): void => {
      pauseMs = leastMs;
      void turn();
    };
    void turn();
    document.addEventListener("visibilitychange", look);
    return () => {
      aborter.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [...inputs, round, isPaused, leastMs, mostMs]);
  return {
    data: state.data,
    problem: state.problem,
    isLoading: state.isLoading,
    reload: () => setRound((count) => count + 1),
  };
}

const pauseAfter = ({ retryAfterSeconds = 0 }: Problem, errors: number): number =>
  Math.max(retryAfterSeconds * 1000, Math.min(ERROR_PAUSE_MS * 2 ** errors, LONGEST_ERROR_PAUSE_MS));

async function settle<T>(asking: Promise<Answer<T>>): Promise<Answer<T> | { problem: Problem }> {
  try {
    return await asking;
  } catch (error) {
    return { problem: toProblem(error) };
  }
}
