// What the platform says of an object that could not be asked (Durable Objects, "Error handling"; workerd sets
// `durableObjectReset` on calls that an object took with it).

import { DeadlineError } from "./deadline.ts";

/** Whether an object has too much to do, and so must not be asked again at once. */
export const isOverloaded = (error: unknown): boolean => isMarked(error, "overloaded");

/** Whether a call of an object was not answered. It may have been carried out all the same. */
export const isOutOfReach = (error: unknown): boolean =>
  error instanceof DeadlineError ||
  isOverloaded(error) ||
  isMarked(error, "retryable") ||
  isMarked(error, "durableObjectReset");

const isMarked = (error: unknown, mark: string): boolean =>
  error instanceof Error && (error as Error & Record<string, unknown>)[mark] === true;
