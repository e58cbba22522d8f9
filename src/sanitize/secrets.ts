// Takes secrets out of what a call gives back, in the forms in which an upstream may echo them: as they are, in lower case,
// as hex or base64, as a number, and any of these escaped or with what nobody sees in between, which cleaning takes out
// later. A net for echoes, not a proof: whoever wants to disguise one can.

import { encodeBase64, encodeBase64Url } from "../lib/base64.ts";
import { LIMITS } from "../lib/limits.ts";
import { ESCAPES_READ, readEscapes, spansBehind, type Reading, type Span } from "./escapes.ts";
import { seenOf, UNSEEN_LEFT_OUT } from "./hidden-characters.ts";

export interface Redactor {
  text(text: string): string;
  /** The strings and numbers of a JSON value, names of members included; a number becomes a string. */
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
  const secrets = values.filter((value) => value !== "");
  if (secrets.length === 0) return { text: (text) => text, json: (value) => value, isIn: () => false };
  const forms = [...new Set(secrets.flatMap(formsOf))];
  // The longest first: a short form may be part of a longer one.
  forms.sort((a, b) => b.length - a.length);
  const anyForm = new RegExp(forms.map(escapePattern).join("|"), "g");
  const text = (whole: string): string => redactText(whole, anyForm);
  const isSecret = numberCheck(secrets, forms);
  let needles: string[] | undefined;
  return {
    text,
    json: (value) => redactJson(value, text, isSecret),
    isIn: (bytes) => {
      const chars = asChars(bytes);
      needles ??= [...forms.map((form) => encoder.encode(form)), ...secrets.flatMap(utf16)].map(asChars);
      return needles.some((needle) => chars.includes(needle));
    },
  };
}

function formsOf(value: string): string[] {
  const bytes = encoder.encode(value);
  return [
    value,
    // As platforms write media types, hosts and names of headers.
    value.toLowerCase(),
    ...(seenOf(value) === "" ? [] : [seenOf(value), seenOf(value).toLowerCase()]),
    // In forms; the rest of what URLs do to it are escapes.
    value.replaceAll(" ", "+"),
    bytes.toHex(),
    bytes.toHex().toUpperCase(),
    ...base64Forms(bytes),
  ];
}

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

/** In both orders of bytes. */
const utf16 = (value: string): Uint8Array[] =>
  [true, false].map((littleEndian) => {
    const bytes = new Uint8Array(value.length * 2);
    const view = new DataView(bytes.buffer);
    for (let at = 0; at < value.length; at++) view.setUint16(at * 2, value.charCodeAt(at), littleEndian);
    return bytes;
  });

function redactText(text: string, anyForm: RegExp): string {
  const spans = spansIn(text, anyForm, LIMITS.secretEscapeLevels);
  if (spans.length === 0) return text;
  let [clean, at] = ["", 0];
  for (const { from, to } of spans) {
    clean += text.slice(at, from) + REDACTED;
    at = to;
  }
  return clean + text.slice(at);
}

/**
 * Where secrets stand in a text, in order and apart: as it came, as it is seen, and both with its escapes read so many
 * times. As it came too: a control string that nobody sees may hold one, and a tool's results may stay uncleaned.
 */
function spansIn(text: string, anyForm: RegExp, levels: number): Span[] {
  const seen = seenOf(text);
  const found = spansBelow(text, anyForm, levels);
  return seen === text ? found : addBehind(text, found, spansBelow(seen, anyForm, levels), UNSEEN_LEFT_OUT);
}

function spansBelow(text: string, anyForm: RegExp, levels: number): Span[] {
  const found = findForms(text, anyForm);
  const plain = levels === 0 ? text : readEscapes(text);
  return plain === text ? found : addBehind(text, found, spansIn(plain, anyForm, levels - 1), ESCAPES_READ);
}

const addBehind = (text: string, found: Span[], read: Span[], reading: Reading): Span[] =>
  read.length === 0 ? found : merge([...found, ...spansBehind(text, read, reading)]);

/** Most texts hold none, which a search tells without making anything. */
function findForms(text: string, anyForm: RegExp): Span[] {
  if (text.search(anyForm) === -1) return [];
  return Array.from(text.matchAll(anyForm), ({ 0: form, index }) => ({ from: index, to: index + form.length }));
}

function merge(spans: Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && span.from < last.to) last.to = Math.max(last.to, span.to);
    else merged.push(span);
  }
  return merged;
}

type NumberCheck = ((value: number) => boolean) | undefined;

/** Whether a number has a secret among its digits, or is what a secret says; `undefined` where none is or does. */
function numberCheck(secrets: readonly string[], forms: readonly string[]): NumberCheck {
  const written = forms.filter((form) => /^[\d.e+-]+$/.test(form));
  // More digits than a number holds, or zeros in front, are not there any more when it is written.
  const amounts = new Set(secrets.map((value) => Math.abs(Number(value))).filter(isTelling));
  if (written.length === 0 && amounts.size === 0) return undefined;
  return (value) => amounts.has(Math.abs(value)) || written.some((form) => String(value).includes(form));
}

const isTelling = (amount: number): boolean =>
  Number.isFinite(amount) && String(amount).length >= LIMITS.secretNumberMinChars;

function redactJson(value: unknown, text: (whole: string) => string, isSecret: NumberCheck): unknown {
  if (typeof value === "string") return text(value);
  if (typeof value === "number") return isSecret?.(value) ? REDACTED : value;
  if (Array.isArray(value)) return value.map((item) => redactJson(item, text, isSecret));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [text(name), redactJson(member, text, isSecret)]);
  return Object.fromEntries(members);
}

const escapePattern = (value: string): string => value.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
