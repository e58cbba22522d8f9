/** One clock for all processes of the machine, in milliseconds. */
export const nowMs = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;

/** A time of `Date.now()`, in this process or another, on that clock. Good for the next seconds, to a millisecond. */
export const fromWallMs = (wallMs: number): number => wallMs - Date.now() + nowMs();
