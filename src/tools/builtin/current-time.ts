// The clock. `Intl` knows the zones; everything else follows from the offset that it tells.

import * as v from "valibot";
import { LIMITS } from "../../lib/limits.ts";
import { text } from "../content.ts";
import { defineTool } from "../define-tool.ts";
import { emojiIcon } from "./emoji-icon.ts";

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;
const DAY_MS = 86_400_000;

const TimeZoneSchema = v.pipe(
  v.string(),
  v.maxLength(LIMITS.timeZoneChars),
  v.check(isTimeZone, ({ input }) => `expected an IANA time zone such as "Europe/Paris", got ${JSON.stringify(input)}`),
);

const ZoneTimeSchema = v.strictObject({
  timeZone: v.pipe(v.string(), v.description("The zone's IANA name.")),
  iso: v.pipe(v.string(), v.description("Local date and time with its offset, ISO 8601.")),
  offset: v.pipe(v.string(), v.description("Offset from UTC, as in +05:30.")),
  weekday: v.pipe(v.picklist(WEEKDAYS), v.description("Local day of the week.")),
  dayOfYear: v.pipe(v.number(), v.integer(), v.description("Local day of the year, 1 to 366.")),
});

type ZoneTime = v.InferOutput<typeof ZoneTimeSchema>;

export const currentTime = defineTool({
  name: "current_time",
  title: "Current time",
  description: `Tells the current date, time, weekday and offset from UTC, in one or several time zones at once.
Use it before any statement about today, now, or how long until. Without arguments it answers in UTC.
Example: {"timeZones": ["Europe/Paris", "America/New_York"]}`,
  icons: [emojiIcon("🕒")],
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: v.strictObject({
    timeZones: v.optional(
      v.pipe(
        v.array(TimeZoneSchema),
        v.minLength(1),
        v.maxLength(LIMITS.timeZones),
        v.description('IANA time zones, such as "Asia/Kolkata" or "UTC".'),
      ),
      ["UTC"],
    ),
  }),
  output: v.strictObject({
    unixMs: v.pipe(v.number(), v.integer(), v.description("Milliseconds since 1970-01-01T00:00:00Z.")),
    utc: v.pipe(v.string(), v.description("The same moment in UTC, ISO 8601.")),
    zones: v.pipe(v.array(ZoneTimeSchema), v.description("One entry a zone, in the order asked for.")),
  }),
  run: ({ timeZones }) => {
    const unixMs = Date.now();
    const zones = timeZones.map((timeZone) => zoneTime(timeZone, unixMs));
    const structuredContent = { unixMs, utc: new Date(unixMs).toISOString(), zones };
    return { structuredContent, content: [text(zones.map(describe).join("\n"))] };
  },
});

function isTimeZone(timeZone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone }));
  } catch {
    return false;
  }
}

function zoneTime(zone: string, nowMs: number): ZoneTime {
  const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
  const offset = parseOffset(format.formatToParts(nowMs).find(({ type }) => type === "timeZoneName")?.value ?? "");
  const local = new Date(nowMs + offset.ms);
  return {
    timeZone: format.resolvedOptions().timeZone,
    iso: local.toISOString().replace("Z", offset.text),
    offset: offset.text,
    weekday: WEEKDAYS[local.getUTCDay()] ?? "Sunday",
    dayOfYear: Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / DAY_MS) + 1,
  };
}

// "GMT", "GMT+05:30" or "GMT-03:00".
function parseOffset(name: string): { text: string; ms: number } {
  const [, sign = "+", hours = "00", minutes = "00"] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  const ms = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return { text: `${sign}${hours}:${minutes}`, ms: sign === "-" ? -ms : ms };
}

const describe = ({ timeZone, iso, weekday }: ZoneTime): string => `${weekday} ${iso} (${timeZone})`;
