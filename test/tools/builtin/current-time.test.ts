import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { currentTime } from "../../../src/tools/builtin/current-time.ts";
import { callTool } from "../../support/tool-context.ts";

const NOW = "2027-07-01T23:30:15.250Z";

beforeEach(() => void vi.setSystemTime(NOW));
afterEach(() => void vi.useRealTimers());

const zonesAt = async (now: string, timeZones: string[]): Promise<unknown> => {
  vi.setSystemTime(now);
  const { structuredContent } = await callTool(currentTime, { timeZones });
  return (structuredContent as { zones: unknown }).zones;
};

test("answers in UTC without arguments", async () => {
  const zone = { timeZone: "UTC", iso: "2027-07-01T23:30:15.250+00:00", offset: "+00:00" };
  expect(await callTool(currentTime, {})).toEqual({
    structuredContent: {
      unixMs: Date.parse(NOW),
      utc: NOW,
      zones: [{ ...zone, weekday: "Thursday", dayOfYear: 182 }],
    },
    content: [{ type: "text", text: "Thursday 2027-07-01T23:30:15.250+00:00 (UTC)" }],
  });
});

describe("zones", () => {
  test("keep the order asked for, each with its own day", async () => {
    expect(await zonesAt(NOW, ["Asia/Kathmandu", "America/St_Johns", "europe/paris"])).toEqual([
      {
        timeZone: expect.stringMatching(/^Asia\/Kat/),
        iso: "2027-07-02T05:15:15.250+05:45",
        offset: "+05:45",
        weekday: "Friday",
        dayOfYear: 183,
      },
      {
        timeZone: "America/St_Johns",
        iso: "2027-07-01T21:00:15.250-02:30",
        offset: "-02:30",
        weekday: "Thursday",
        dayOfYear: 182,
      },
      {
        timeZone: "Europe/Paris",
        iso: "2027-07-02T01:30:15.250+02:00",
        offset: "+02:00",
        weekday: "Friday",
        dayOfYear: 183,
      },
    ]);
  });

  test.each([
    ["a leap year's last day", "2028-12-31T12:00:00.000Z", "UTC", "2028-12-31T12:00:00.000+00:00", "Sunday", 366],
    [
      "a year's first hour",
      "2027-12-31T11:00:00.000Z",
      "Pacific/Auckland",
      "2028-01-01T00:00:00.000+13:00",
      "Saturday",
      1,
    ],
    [
      "before the clocks change",
      "2027-03-28T00:59:59.000Z",
      "Europe/Paris",
      "2027-03-28T01:59:59.000+01:00",
      "Sunday",
      87,
    ],
    [
      "after the clocks change",
      "2027-03-28T01:00:00.000Z",
      "Europe/Paris",
      "2027-03-28T03:00:00.000+02:00",
      "Sunday",
      87,
    ],
    [
      "the furthest offset",
      "2027-01-01T10:00:00.000Z",
      "Pacific/Kiritimati",
      "2027-01-02T00:00:00.000+14:00",
      "Saturday",
      2,
    ],
  ])("%s", async (_, now, timeZone, iso, weekday, dayOfYear) => {
    expect(await zonesAt(now, [timeZone])).toEqual([{ timeZone, iso, offset: iso.slice(23), weekday, dayOfYear }]);
  });
});

describe("arguments", () => {
  test.each(["Mars/Olympus", "", "Paris", "Europe/Paris\n", "GMT+99", "../etc/passwd"])("refuses %j", (timeZone) => {
    expect(currentTime.validateInput({ timeZones: ["UTC", timeZone] })).toEqual({
      ok: false,
      issues: [
        {
          path: "timeZones[1]",
          rule: "check",
          message: `expected an IANA time zone such as "Europe/Paris", got ${JSON.stringify(timeZone)}`,
        },
      ],
    });
  });

  test("refuses more than ten zones, none, and unknown names", () => {
    const rules = [{ timeZones: Array(11).fill("UTC") }, { timeZones: [] }, { zone: "UTC" }].map((args) => {
      const outcome = currentTime.validateInput(args);
      return outcome.ok ? [] : outcome.issues.map(({ path, rule }) => `${path} ${rule}`);
    });
    expect(rules).toEqual([["timeZones max_length"], ["timeZones min_length"], ["zone strict_object"]]);
  });
});
