import { expect, it } from "vitest";
import { auditDaysOf } from "../../src/audit/audit-days.ts";

it.each([
  [{}, 30],
  [{ AUDIT_DAYS: "" }, 30],
  [{ AUDIT_DAYS: "0" }, 30],
  [{ AUDIT_DAYS: "1" }, 1],
  [{ AUDIT_DAYS: "3650" }, 3_650],
  [{ AUDIT_DAYS: "3651" }, 30],
  [{ AUDIT_DAYS: "99999" }, 30],
  [{ AUDIT_DAYS: "1.5" }, 30],
  [{ AUDIT_DAYS: "a week" }, 30],
])("reads %j as %i days", (env, days) => {
  expect(auditDaysOf(env)).toBe(days);
});
