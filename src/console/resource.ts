import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { toProblem, type Problem } from "./api/problem.ts";

/** Something that is loaded; while it is loaded anew, what was there stays. */
export interface Resource<T> {
  data: T | undefined;
  problem: Problem | undefined;
  isLoading: boolean;
  reload: () => void;
}

/** Loads it at once, and again whenever one of `inputs` is another. */
export function useResource<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Resource<T> {
  const [state, setState] = useState<{ data?: T; problem?: Problem; isLoading: boolean }>({ isLoading: true });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const aborter = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    void settle(latest.current(aborter.signal)).then((outcome) => {
      if (aborter.signal.aborted) return undefined;
      return setState(({ data }) => ({ ...(data !== undefined && { data }), ...outcome, isLoading: false }));
    });
    return () => aborter.abort();
  }, [...inputs, round]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  return { data: state.data, problem: state.problem, isLoading: state.isLoading, reload };
}

async function settle<T>(loading: Promise<T>): Promise<{ data: T; problem?: undefined } | { problem: Problem }> {
  try {
    return { data: await loading, problem: undefined };
  } catch (error) {
    return { problem: toProblem(error) };
  }
}
