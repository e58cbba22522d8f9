/** Severities of RFC 5424, least first (MCP 2026-07-28, server/utilities/logging). */
export const LOG_LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What a legacy client hears that never set a level: the server decides (2025-11-25, server/utilities/logging). */
export const DEFAULT_LOG_LEVEL: LogLevel = "info";

/** Whether a message of a level reaches a client that wants `wanted` and what is more severe. */
export const isLoggedAt = (wanted: LogLevel, level: LogLevel): boolean =>
  LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(wanted);
