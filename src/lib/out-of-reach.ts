// What the platform says of an object that could not be asked (Durable Objects, "Error handling"; workerd sets
// `durableObjectReset` on calls that an object took with it).

import { DeadlineError } from "./deadline.ts";
import { LIMITS } from "./limits.ts";

/** Whether an object has too much to do, and so must not be asked again at once. */
export const isOverloaded = (error: unknown): boolean => isMarked(error, "overloaded");

/** Whether a call of an object was not answered. It may have been carried out all the same. */
export const isOutOfReach = (error: unknown): boolean =>
  error instanceof DeadlineError ||
  isOverloaded(error) ||
  isMarked(error, "retryable") ||
  isMarked(error, "durableObjectReset");

/** Whether a call was lost on its way: an object that starts again answers the next one. */
const isLost = (error: unknown): boolean =>
  !isOverloaded(error) && (isMarked(error, "retryable") || isMarked(error, "durableObjectReset"));

/** Makes a call of an object, again when it was lost. `ask` takes a stub of its own each time: one that broke stays broken. */
export async function askAgain<T>(
  ask: () => Promise<T>,
  mayAskAgain: (error: unknown) => boolean = isLost,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (attempt >= LIMITS.lostCallAttempts || !mayAskAgain(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, LIMITS.lostCallRetryMs * attempt));
    }
  }
}

const isMarked = (error: unknown, mark: string): boolean =>
  error instanceof Error && (error as Error & Record<string, unknown>)[mark] === true;
