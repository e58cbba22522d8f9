import { describe, expect, it } from "vitest";
import type { Env } from "../../src/env.ts";
import { readOtlpSettings, sampleShareOf } from "../../src/telemetry/otlp-settings.ts";

const read = (settings: Partial<Env>) =>
  readOtlpSettings({ OTLP_ENDPOINT: "https://otlp.example", ...settings } as Env);

describe("the endpoint", () => {
  it.each([
    ["https://otlp.example", "https://otlp.example"],
    ["https://otlp.example/", "https://otlp.example"],
    ["https://otlp.example:4318/otlp/", "https://otlp.example:4318/otlp"],
    ["http://127.0.0.1:4318", "http://127.0.0.1:4318"],
    ["http://localhost:4318", "http://localhost:4318"],
  ])("%s is a base", (OTLP_ENDPOINT, base) => {
    expect(read({ OTLP_ENDPOINT })).toEqual({
      tracesUrl: `${base}/v1/traces`,
      metricsUrl: `${base}/v1/metrics`,
      headers: {},
    });
  });

  it.each(["nonsense", "http://otlp.example", "ftp://otlp.example", ""])("%j is refused", (OTLP_ENDPOINT) => {
    expect(() => read({ OTLP_ENDPOINT })).toThrow(
      "OTLP_ENDPOINT must be an https URL, such as https://otlp.example.com",
    );
  });
});

describe("headers", () => {
  it.each([
    ["authorization=Bearer%20abc", { authorization: "Bearer abc" }],
    ["Authorization=Basic YTpi=, x-team = blue,", { authorization: "Basic YTpi=", "x-team": "blue" }],
    ["x=50%", { x: "50%" }],
    [" ", {}],
  ])("%j are read", (OTLP_HEADERS, headers) => {
    expect(read({ OTLP_HEADERS }).headers).toEqual(headers);
  });

  it.each(["s3cret", "=s3cret", "a b=s3cret", "x=", "x=s3cret%0A1"])(
    "%j are refused, and not repeated",
    (OTLP_HEADERS) => {
      expect(() => read({ OTLP_HEADERS })).toThrow(/^OTLP_HEADERS must be name=value, several apart by commas$/);
    },
  );
});

it.each([
  [undefined, 1],
  ["", 1],
  [" ", 1],
  ["0", 0],
  ["0.25", 0.25],
  ["1", 1],
  ["1.1", 1],
  ["-1", 1],
  ["half", 1],
])("OTLP_SAMPLE=%j samples %d", (OTLP_SAMPLE, share) => {
  expect(sampleShareOf({ ...(OTLP_SAMPLE !== undefined && { OTLP_SAMPLE }) } as Env)).toBe(share);
});
