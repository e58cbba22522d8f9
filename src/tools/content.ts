// What a tool gives back, in the shapes of the newest revision; the codecs take away what an older one lacks.
// MCP 2026-07-28, server/tools, "Tool Result".

import { encodeBase64 } from "../lib/base64.ts";

/** Hints on a content item: for whom, how important (0 to 1), when it last changed (ISO 8601). */
export interface ContentAnnotations {
  audience?: ("user" | "assistant")[];
  priority?: number;
  lastModified?: string;
}

interface Annotated {
  annotations?: ContentAnnotations;
  _meta?: Record<string, unknown>;
}

export interface Icon {
  /** An https or data URI. */
  src: string;
  mimeType?: string;
  /** `WxH`, or `any` for scalable formats. */
  sizes?: string[];
  theme?: "light" | "dark";
}

export interface TextContent extends Annotated {
  type: "text";
  text: string;
}

/** `data` is base64. */
export interface ImageContent extends Annotated {
  type: "image";
  data: string;
  mimeType: string;
}

/** `data` is base64. Since 2025-03-26. */
export interface AudioContent extends Annotated {
  type: "audio";
  data: string;
  mimeType: string;
}

/** A resource's own text, or its bytes as base64 in `blob`. */
export interface EmbeddedResource extends Annotated {
  type: "resource";
  resource: { uri: string; mimeType?: string; _meta?: Record<string, unknown> } & ({ text: string } | { blob: string });
}

/** Where a resource is to be had. Since 2025-06-18. */
export interface ResourceLink extends Annotated {
  type: "resource_link";
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
  icons?: Icon[];
}

export type Content = TextContent | ImageContent | AudioContent | EmbeddedResource | ResourceLink;

/** The neutral result of a call; `structuredContent` is any JSON value. */
export interface ToolResult {
  content: Content[];
  structuredContent?: unknown;
  isError?: true;
  _meta?: Record<string, unknown>;
}

export const text = (value: string, more: Annotated = {}): TextContent => ({ type: "text", text: value, ...more });

/** An image from its bytes or from base64. */
export const image = (data: Uint8Array | string, mimeType: string, more: Annotated = {}): ImageContent => ({
  type: "image",
  data: asBase64(data),
  mimeType,
  ...more,
});

/** Audio from its bytes or from base64. */
export const audio = (data: Uint8Array | string, mimeType: string, more: Annotated = {}): AudioContent => ({
  type: "audio",
  data: asBase64(data),
  mimeType,
  ...more,
});

/** An embedded resource; give either its `text` or its `blob` (bytes or base64). */
export const resource = (
  from: { uri: string; mimeType?: string } & ({ text: string } | { blob: Uint8Array | string }),
  more: Annotated = {},
): EmbeddedResource => {
  const about = from.mimeType === undefined ? { uri: from.uri } : { uri: from.uri, mimeType: from.mimeType };
  const body = "text" in from ? { text: from.text } : { blob: asBase64(from.blob) };
  return { type: "resource", resource: { ...about, ...body }, ...more };
};

export const resourceLink = (link: Omit<ResourceLink, "type">): ResourceLink => ({ type: "resource_link", ...link });

const asBase64 = (data: Uint8Array | string): string => (typeof data === "string" ? data : encodeBase64(data));
