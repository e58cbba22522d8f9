import * as v from "valibot";
import { expect, it } from "vitest";
import { IsoTimeSchema } from "../../src/lib/iso-time.ts";

const DAY = "expected a day that is in the calendar";

it.each([
  ["2028-02-29T00:00:00Z", undefined],
  ["2030-12-31T23:59:59.999Z", undefined],
  ["2030-01-31T12:00:00+02:00", undefined],
  ["2030-02-29T00:00:00Z", DAY],
  ["2099-02-31T00:00:00Z", DAY],
  ["2099-04-31T00:00:00Z", DAY],
  ["2030-01-31", "expected an ISO 8601 time such as 2030-01-31T12:00:00Z"],
])("%s: %s", (time, message) => {
  expect(v.safeParse(IsoTimeSchema, time).issues?.at(0)?.message).toBe(
    message === DAY ? `${DAY}, received "${time}"` : message,
  );
});
