/** Thrown by `withDeadline`; `what` names the thing waited for. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
  constructor(what: string, timeoutMs: number) {
    super(`${what} took longer than ${timeoutMs} ms`);
  }
}

/** The promise's outcome, or `DeadlineError` after `timeoutMs`. What comes later is dropped. */
export async function withDeadline<T>(promise: Promise<T>, timeoutMs: number, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(what, timeoutMs)), timeoutMs);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
