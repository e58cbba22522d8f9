// An upstream's answer as a tool's result: what it is to become the record says, else its content type.

import type { Redactor } from "../../sanitize/secrets.ts";
import { findExcess } from "../../lib/json-value.ts";
import { LIMITS } from "../../lib/limits.ts";
import { audio, image, resource, text, type ToolResult } from "../content.ts";
import type { EgressResponse } from "../context.ts";
import { decodeText, isJsonType, isText, isTextType, parseMediaType, type MediaType } from "../media-type.ts";
import { ToolError } from "../tool-error.ts";
import type { HttpSource } from "../tool-record.ts";
import { describeUpstreamError } from "./upstream-error.ts";

export type ResultKind = NonNullable<HttpSource["result"]>;

/** What `HEAD` asks for; nothing else of an answer's headers is passed on. */
const HEAD_FIELDS = ["content-type", "content-length", "last-modified", "etag"];

export interface Asked {
  method: string;
  /** Names the resource to the model: without secrets. */
  uri: string;
  result: ResultKind | undefined;
}

/** The result. Throws `ToolError` for an error status and for an answer that is not what the tool is to give. */
export function readAnswer(response: EgressResponse, { method, uri, result }: Asked, redactor: Redactor): ToolResult {
  const { status, headers, bytes } = response;
  if (status < 200 || status > 299) throw new ToolError(describeUpstreamError(response, redactor));
  if (method === "HEAD") return { content: [text(describeHead(response, redactor))] };
  if (bytes.byteLength === 0) return emptyResult(status, result);
  const media = readType(headers, redactor);
  const kind = result ?? kindOf(media, bytes);
  switch (kind) {
    case "text":
      return { content: [text(redactor.text(readText(bytes, media)))] };
    case "json": {
      const structuredContent = redactor.json(readJson(bytes, media));
      return { content: [text(JSON.stringify(structuredContent))], structuredContent };
    }
    case "image":
    case "audio":
      return { content: [readMedia(kind, bytes, media, redactor)] };
    case "resource":
      return { content: [readResource(redactor.text(uri), bytes, media, redactor)] };
  }
}

/** A type with a secret in it is none: looked for before its case is taken away, and after. */
const readType = (headers: Headers, { text }: Redactor): MediaType =>
  parseMediaType(text(text(headers.get("content-type") ?? "").toLowerCase()));

function kindOf(media: MediaType, bytes: Uint8Array): ResultKind {
  const { type } = media;
  if (isJsonType(type)) return "json";
  if (isText(bytes, media)) return "text";
  if (type.startsWith("image/")) return "image";
  return type.startsWith("audio/") ? "audio" : "resource";
}

/** Nothing to read is no failure: the request may have done what it was to do. */
function emptyResult(status: number, result: ResultKind | undefined): ToolResult {
  const content = [text(`Done: status ${status}, no content.`)];
  return result === "json" ? { content, structuredContent: null } : { content };
}

function describeHead({ status, headers }: EgressResponse, redactor: Redactor): string {
  const fields = HEAD_FIELDS.flatMap((name) => {
    const value = headers.get(name);
    if (value === null) return [];
    return [`${name}: ${redactor.text(value.replace(/[^\x20-\x7e]/g, "")).slice(0, LIMITS.httpErrorChars)}`];
  });
  return [`status: ${status}`, ...fields].join("\n");
}

function readText(bytes: Uint8Array, media: MediaType): string {
  if (!isText(bytes, media)) throw mismatch("text", media);
  return decodeText(bytes, media.charset);
}

function readJson(bytes: Uint8Array, media: MediaType): unknown {
  if (media.type !== "" && !isJsonType(media.type) && !isTextType(media.type)) throw mismatch("JSON", media);
  const source = decodeText(bytes, media.charset);
  const excess = findExcess(source, LIMITS.httpJsonMembers);
  if (excess !== undefined) throw new ToolError(`The destination answered with JSON that is too much: ${excess}.`);
  try {
    return JSON.parse(source);
  } catch {
    if (isJsonType(media.type)) throw new ToolError("The destination answered with JSON that can't be parsed.");
    throw mismatch("JSON", media);
  }
}

function readMedia(kind: "image" | "audio", bytes: Uint8Array, media: MediaType, redactor: Redactor) {
  if (!media.type.startsWith(`${kind}/`)) throw mismatch(kind, media);
  checkHoldsNoSecret(bytes, redactor);
  return kind === "image" ? image(bytes, media.type) : audio(bytes, media.type);
}

function readResource(uri: string, bytes: Uint8Array, media: MediaType, redactor: Redactor) {
  const mimeType = media.type === "" ? {} : { mimeType: media.type };
  if (isText(bytes, media)) {
    return resource({ uri, ...mimeType, text: redactor.text(decodeText(bytes, media.charset)) });
  }
  checkHoldsNoSecret(bytes, redactor);
  return resource({ uri, ...mimeType, blob: bytes });
}

/** Bytes can't be changed without breaking what they are. */
function checkHoldsNoSecret(bytes: Uint8Array, redactor: Redactor): void {
  if (redactor.isIn(bytes)) throw new ToolError("The answer holds a secret of this tool's and is withheld.");
}

const mismatch = (expected: string, { type }: MediaType): ToolError =>
  new ToolError(`The destination answered with ${type === "" ? "no stated type" : type}, expected ${expected}.`);
