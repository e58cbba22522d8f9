// Takes secrets out of what a call gives back, in the forms in which an upstream may echo them: as they are, escaped for
// a URL, JSON or HTML, and inside base64 at any offset.

import { encodeBase64, encodeBase64Url } from "../lib/base64.ts";

export interface Redactor {
  text(text: string): string;
  /** The strings of a JSON value, names of members included. */
  json(value: unknown): unknown;
  /** Whether bytes that are no text hold one of the secrets. */
  isIn(bytes: Uint8Array): boolean;
}

export const REDACTED = "[redacted]";
// Shorter pieces of base64 are found in text that has nothing to do with a secret.
const BASE64_PIECE_CHARS = 8;

const encoder = new TextEncoder();
// Any one-byte encoding will do: what counts is that both sides are read alike.
const asChars = (bytes: Uint8Array): string => new TextDecoder("windows-1252").decode(bytes);

/** The text with every form of the values replaced. */
export const redact = (text: string, values: readonly string[]): string => createRedactor(values).text(text);

/** The same for many texts of one call. */
export function createRedactor(values: readonly string[]): Redactor {
  const forms = [...new Set(values.filter((value) => value !== "").flatMap(formsOf))];
  if (forms.length === 0) return { text: (text) => text, json: (value) => value, isIn: () => false };
  // The longest first: a short form may be part of a longer one.
  const anyForm = new RegExp(
    forms
      .sort((a, b) => b.length - a.length)
      .map(escapePattern)
      .join("|"),
    "g",
  );
  const text = (whole: string): string => whole.replace(anyForm, REDACTED);
  const needles = values.filter((value) => value !== "").map((value) => asChars(encoder.encode(value)));
  return {
    text,
    json: (value) => redactJson(value, text),
    isIn: (bytes) => {
      const chars = asChars(bytes);
      return needles.some((needle) => chars.includes(needle));
    },
  };
}

function formsOf(value: string): string[] {
  const form = new URLSearchParams({ v: value }).toString().slice(2);
  const strict = encodeStrictly(value);
  const urlForms = [encodeURI(value.toWellFormed()), encodeURIComponent(value.toWellFormed()), strict, form];
  return [
    value,
    ...urlForms,
    ...urlForms.map((escaped) => escaped.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase())),
    JSON.stringify(value).slice(1, -1),
    JSON.stringify(value).slice(1, -1).replaceAll("/", "\\/"),
    escapeHtml(value),
    ...base64Forms(encoder.encode(value)),
  ];
}

const encodeStrictly = (value: string): string =>
  encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const HTML_ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const escapeHtml = (value: string): string => value.replace(/[&<>"']/g, (char) => HTML_ESCAPES[char] ?? char);

/** Base64 of the bytes alone, and the characters that are the same whatever stands before and after them. */
function base64Forms(bytes: Uint8Array): string[] {
  const whole = encodeBase64(bytes);
  const pieces = [0, 1, 2].flatMap((before) => {
    const shifted = new Uint8Array(before + bytes.length);
    shifted.set(bytes, before);
    const [start, end] = [Math.ceil((before * 8) / 6), Math.floor((shifted.length * 8) / 6)];
    return [encodeBase64(shifted).slice(start, end), encodeBase64Url(shifted).slice(start, end)];
  });
  return [whole, ...pieces].filter((piece) => piece.length >= BASE64_PIECE_CHARS);
}

function redactJson(value: unknown, text: (whole: string) => string): unknown {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map((item) => redactJson(item, text));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [text(name), redactJson(member, text)]));
}

const escapePattern = (value: string): string => value.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
