import type { Env } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";

/** `AUDIT_DAYS`: a whole number of days from 1 up to the limit; anything else is the default. */
export function auditDaysOf({ AUDIT_DAYS = "" }: Pick<Env, "AUDIT_DAYS">): number {
  const days = /^\d{1,4}$/.test(AUDIT_DAYS) ? Number(AUDIT_DAYS) : 0;
  return days >= 1 && days <= LIMITS.auditDaysMax ? days : LIMITS.auditDays;
}
