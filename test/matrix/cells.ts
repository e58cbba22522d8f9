// The axes of the matrix.

export const LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
export const MODERN = "2026-07-28";
export const REVISIONS = [...LEGACY, MODERN] as const;
export type Revision = (typeof REVISIONS)[number];

/** `json` and `sse` are Streamable HTTP with a client that accepts this one type alone. */
export const TRANSPORTS = ["json", "sse", "websocket", "http+sse"] as const;
export type Transport = (typeof TRANSPORTS)[number];

export interface Place {
  revision: Revision;
  transport: Transport;
}
