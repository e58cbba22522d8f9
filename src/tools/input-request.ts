// What a tool may ask of the client while it runs. MCP 2026-07-28, client/elicitation, client/sampling, client/roots.

import type { AudioContent, Content, ImageContent, TextContent } from "./content.ts";

/** A flat object schema of primitive properties, as clients make a form of. */
export interface FormSchema {
  type: "object";
  properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  required?: readonly string[];
}

export interface FormRequest {
  method: "elicitation/create";
  params: { mode?: "form"; message: string; requestedSchema: FormSchema };
}

export interface UrlRequest {
  method: "elicitation/create";
  params: { mode: "url"; message: string; url: string };
}

/** Lists of content came with 2025-11-25, audio with 2025-03-26: an older client can't be asked with them. */
export type SamplingContent = TextContent | ImageContent | AudioContent;

export interface SamplingRequest {
  method: "sampling/createMessage";
  params: {
    messages: { role: "user" | "assistant"; content: SamplingContent | SamplingContent[] }[];
    maxTokens: number;
    systemPrompt?: string;
    temperature?: number;
    stopSequences?: string[];
    modelPreferences?: Record<string, unknown>;
  };
}

export interface RootsRequest {
  method: "roots/list";
  params?: Record<string, unknown>;
}

export type InputRequest = FormRequest | UrlRequest | SamplingRequest | RootsRequest;

export interface ElicitResponse {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, string | number | boolean | string[]>;
}

export interface SamplingResponse {
  role: "user" | "assistant";
  content: Content | Content[];
  model: string;
  stopReason?: string;
}

export interface RootsResponse {
  roots: { uri: string; name?: string }[];
}

interface ResponseOf {
  "elicitation/create": ElicitResponse;
  "sampling/createMessage": SamplingResponse;
  "roots/list": RootsResponse;
}

export type InputResponses<R extends Record<string, InputRequest>> = { [K in keyof R]: ResponseOf[R[K]["method"]] };

/** Asks the user to fill in a form. */
export const elicit = (message: string, requestedSchema: FormSchema): FormRequest => ({
  method: "elicitation/create",
  params: { message, requestedSchema },
});

/** Sends the user to a URL, for what must not pass through the client. */
export const elicitUrl = (message: string, url: string): UrlRequest => ({
  method: "elicitation/create",
  params: { mode: "url", message, url },
});

/** Asks the client's model. */
export const sample = (params: SamplingRequest["params"]): SamplingRequest => ({
  method: "sampling/createMessage",
  params,
});

/** Asks for the client's roots. */
export const listRoots = (): RootsRequest => ({ method: "roots/list" });
