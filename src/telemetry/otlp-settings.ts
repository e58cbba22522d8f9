// Where spans and metrics go, as an operator configured it: the names that OpenTelemetry's exporters have, without `OTEL_`.

import type { Env } from "../env.ts";

export interface OtlpSettings {
  tracesUrl: string;
  metricsUrl: string;
  headers: Record<string, string>;
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export const isOtlpOn = ({ OTLP_ENDPOINT }: Env): boolean => Boolean(OTLP_ENDPOINT);

/** The share of traces that begin here and are sampled: `OTLP_SAMPLE`, all of them unless it is a number from 0 to 1. */
export function sampleShareOf({ OTLP_SAMPLE = "" }: Env): number {
  const share = OTLP_SAMPLE.trim() === "" ? Number.NaN : Number(OTLP_SAMPLE);
  return share >= 0 && share <= 1 ? share : 1;
}

/**
 * `OTLP_ENDPOINT` is the base that `/v1/traces` and `/v1/metrics` are added to; `OTLP_HEADERS` is `name=value,…` with
 * values percent-encoded, or not. Throws on an endpoint that is not https, or http on this machine; never with a value.
 */
export function readOtlpSettings({ OTLP_ENDPOINT = "", OTLP_HEADERS = "" }: Env): OtlpSettings {
  const url = URL.parse(OTLP_ENDPOINT);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.test(url.hostname));
  if (!url || !isSafe) throw new Error("OTLP_ENDPOINT must be an https URL, such as https://otlp.example.com");
  const base = url.href.replace(/\/+$/, "");
  return { tracesUrl: `${base}/v1/traces`, metricsUrl: `${base}/v1/metrics`, headers: readHeaders(OTLP_HEADERS) };
}

function readHeaders(text: string): Record<string, string> {
  const entries = text.split(",").filter((entry) => entry.trim() !== "");
  return Object.fromEntries(
    entries.map((entry) => {
      const at = entry.indexOf("=");
      const name = entry.slice(0, Math.max(0, at)).trim();
      const value = decode(entry.slice(at + 1).trim());
      if (/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[\t\x20-\x7e]+$/.test(value))
        return [name.toLowerCase(), value];
      throw new Error("OTLP_HEADERS must be name=value, several apart by commas");
    }),
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
