// An operator is answered once no list can be older than the change.

import { pause } from "../lib/pause.ts";

/** Waits for as long as lists may be older than what the registry just committed. Not for objects. */
export async function untilListed({ listedInMs = 0 }: { listedInMs?: number }): Promise<void> {
  if (listedInMs > 0) await pause(listedInMs, NEVER);
}

const NEVER = new AbortController().signal;
