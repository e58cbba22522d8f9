// One made-up request, before keys, sessions and cursors are put in: the same seed makes the same shots on every server.

import type { Revision } from "../matrix/cells.ts";

export interface Shot {
  /** What the summary counts it as. */
  kind: string;
  method: string;
  path: string;
  headers: [name: string, value: string][];
  body?: string;
  /** The body's characters are bytes, not text. */
  isBinary?: boolean;
  isChunked?: boolean;
  /** The body goes as a frame over a WebSocket of a session in this revision. */
  socket?: Revision;
  /** Bytes in place of a request line and headers: only that the server lives on is asked of these. */
  isRaw?: boolean;
}

/**
 * What stands for something that only a running server has: `«key.a»`, `«session.2025-11-25»`, `«cursor.a»`, `«upstream»`,
 * and altered with `«cursor.a~flip7»` (that character is another one), `~cut7` (only so many) or `~add` (one more).
 */
const PLACEHOLDER = /«([a-z0-9.-]+)(?:~(flip|cut|add)(\d*))?»/g;

/** Puts in what there is. A name that nothing is known of becomes itself. */
export function fillIn(text: string, read: (name: string) => string | undefined): string {
  if (!text.includes("«")) return text;
  return text.replace(PLACEHOLDER, (_, name: string, change: string | undefined, at: string) =>
    alter(read(name) ?? name, change, Number(at)),
  );
}

function alter(value: string, change: string | undefined, at: number): string {
  if (change === "cut") return value.slice(0, at % Math.max(1, value.length));
  if (change === "add") return `${value}A`;
  if (change !== "flip" || value === "") return value;
  const place = at % value.length;
  return value.slice(0, place) + (value[place] === "A" ? "B" : "A") + value.slice(place + 1);
}

/** The bytes that go over the wire. */
export function encodeShot(shot: Shot, host: string, read: (name: string) => string | undefined): Buffer {
  const { method, path, headers, body, isBinary, isChunked, isRaw } = shot;
  if (isRaw) return Buffer.from(fillIn(body ?? "", read), "latin1");
  const bytes = body === undefined ? undefined : Buffer.from(fillIn(body, read), isBinary ? "latin1" : "utf8");
  const fields: [string, string][] = headers.map(([name, value]) => [name, fillIn(value, read)]);
  const length: [string, string] = isChunked
    ? ["transfer-encoding", "chunked"]
    : ["content-length", String(bytes?.length ?? 0)];
  const needsLength = bytes !== undefined || !["GET", "HEAD", "DELETE"].includes(method);
  const lines = [["host", host], ...fields, ...(needsLength ? [length] : [])];
  const head = `${method} ${fillIn(path, read)} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
  const framed = bytes && isChunked ? frame(bytes) : (bytes ?? Buffer.alloc(0));
  return Buffer.concat([Buffer.from(head, "latin1"), framed]);
}

const CHUNK_BYTES = 65_536;

function frame(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const chunk = bytes.subarray(at, at + CHUNK_BYTES);
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}
