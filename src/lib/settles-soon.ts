// Far more turns than the longest chain of awaits that waits for nothing outside, and still a few microseconds.
const TURNS = 64;

/**
 * Whether a promise settles by itself, with nothing outside to wait for: then no clock has moved and nobody can have
 * cancelled meanwhile, so neither timers nor signals are needed for it.
 */
export async function settlesSoon(promise: Promise<unknown>): Promise<boolean> {
  const state = { isSettled: false };
  const settle = (): void => {
    state.isSettled = true;
  };
  promise.then(settle, settle);
  for (let turn = 0; !state.isSettled && turn < TURNS; turn++) await undefined;
  return state.isSettled;
}
