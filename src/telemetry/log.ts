// One JSON line an event. JSON escapes control characters, so no value can forge a line.

const VALUE_CHARS = 256;

type Level = "info" | "warn" | "error";
type Fields = Record<string, string | number | boolean | undefined>;

/** Writes `{"level", "event", …fields}` to the Worker's log; each text is cut at 256 characters. */
export function logEvent(level: Level, event: string, fields: Fields = {}): void {
  const line = JSON.stringify({ level, event, ...fields }, (_, value: unknown) =>
    typeof value === "string" && value.length > VALUE_CHARS ? `${value.slice(0, VALUE_CHARS)}…` : value,
  );
  if (level === "error") console.error(line);
  else if (level === "warn") console.warn(line);
  else console.log(line);
}

/** Logs an unexpected error with the reference that its caller was given. */
export function logFailure(event: string, ref: string, error: unknown, fields: Fields = {}): void {
  const cause = error instanceof Error ? error : new Error(String(error));
  logEvent("error", event, { ref, ...fields, error: `${cause.name}: ${cause.message}`, stack: cause.stack });
}
