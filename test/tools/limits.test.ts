// Bounds of tools: of what they are called with, fetch and are listed from, at and beyond each.

import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { createRedactor } from "../../src/sanitize/secrets.ts";
import { builtinTools } from "../../src/tools/builtin/catalog.ts";
import { ISOLATE_MODULES } from "../../src/tools/code-tool/isolate-modules.ts";
import { workerCode } from "../../src/tools/code-tool/worker-code.ts";
import { describeUpstreamError } from "../../src/tools/http-tool/upstream-error.ts";
import { readPassed, withPassed } from "../../src/tools/upstream/passed-servers.ts";

const isTaken = (name: string, args: object): boolean =>
  builtinTools.find((tool) => tool.name === name)?.validateInput(args).ok ?? false;

const chars = (count: number): string => "1".repeat(count);

const zones = (length: number) => ({ timeZones: [`Etc/${"x".repeat(length - 4)}`] });

describe("a built-in tool takes", () => {
  it.each<[string, number, (value: number) => object]>([
    ["fetch_page", LIMITS.pageChars, (maxChars) => ({ url: "https://a.example/", maxChars })],
    ["fetch_page", LIMITS.fetchUrlChars, (length) => ({ url: `https://a.example/${chars(length - 18)}` })],
    ["qr_code", LIMITS.qrChars, (length) => ({ text: chars(length), errorCorrection: "L" })],
    ["qr_code", LIMITS.qrScalePixels, (scale) => ({ text: "a", scale })],
    ["qr_code", LIMITS.qrMarginModules, (margin) => ({ text: "a", margin })],
    ["tone", LIMITS.toneDurationMs, (durationMs) => ({ durationMs })],
    ["tone", LIMITS.toneFrequencyHz, (frequencyHz) => ({ frequencyHz })],
    ["calculate", LIMITS.calculatorChars, (length) => ({ expression: chars(length) })],
  ])("%s: up to %i", (name, most, args) => {
    expect([most - 1, most, most + 1].map((value) => isTaken(name, args(value)))).toEqual([true, true, false]);
  });

  it("time zones with names up to a length", () => {
    const messages = [LIMITS.timeZoneChars, LIMITS.timeZoneChars + 1].map((length) => {
      const outcome = builtinTools.find(({ name }) => name === "current_time")?.validateInput(zones(length));
      return outcome?.ok === false ? outcome.issues.map(({ rule }) => rule).includes("max_length") : undefined;
    });
    expect(messages).toEqual([false, true]);
  });
});

describe("what is told of an answer", () => {
  const redactor = createRedactor([]);
  const errorOf = (statusText: string): string =>
    describeUpstreamError(
      { url: "https://a.example/", status: 500, statusText, headers: new Headers(), bytes: new Uint8Array() },
      redactor,
    );

  it.each([LIMITS.httpReasonChars, LIMITS.httpReasonChars + 1])(
    "has of a reason of %i characters what fits",
    (length) => {
      const reason = "r".repeat(Math.min(length, LIMITS.httpReasonChars));
      expect(errorOf("r".repeat(length))).toBe(`The destination answered with status 500 ${reason}.`);
    },
  );
});

describe("a module's isolate", () => {
  // The platform keeps to it, and a local one does not.
  it("is given so much time to compute, and so many requests", () => {
    expect(workerCode("export default () => 1").limits).toEqual({
      cpuMs: LIMITS.moduleCpuMs,
      subRequests: LIMITS.moduleSubrequests,
    });
  });

  it("tells of an error so much that secrets in what is told of it are whole", () => {
    const code = Object.values(ISOLATE_MODULES).map((module) => JSON.stringify(module));
    expect(code.filter((text) => text.includes(`.slice(0, ${LIMITS.moduleErrorChars})`))).toHaveLength(1);
    expect(LIMITS.moduleErrorChars).toBeGreaterThan(LIMITS.errorChars + LIMITS.secretChars);
  });
});

it("names of servers that a tool came through are cut at a length", () => {
  const most = "n".repeat(LIMITS.deploymentNameChars);
  expect([most, `${most}n`].map((name) => readPassed(withPassed({}, [name])))).toEqual([[most], [most]]);
});
