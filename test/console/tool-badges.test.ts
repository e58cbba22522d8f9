import { expect, test } from "vitest";
import type { ToolView } from "../../src/console/api/tools-api.ts";
import { riskOf } from "../../src/console/views/tools/tool-badges.tsx";

type Source = ToolView["source"];

const HTTP = { kind: "http", method: "GET", url: "https://a.example" } as Source;
const SHUT_IN = { kind: "code", hash: "h" } as Source;
const LET_OUT = { kind: "code", hash: "h", egress: ["a.example"] } as Source;

test.each<[string, Source, ToolView["annotations"], boolean]>([
  ["an HTTP tool without hints", HTTP, undefined, true],
  ["an HTTP tool that denies it", HTTP, { openWorldHint: false }, false],
  ["a module without hosts", SHUT_IN, undefined, false],
  ["a module without hosts that says it is", SHUT_IN, { openWorldHint: true }, true],
  ["a module with hosts", LET_OUT, undefined, true],
  ["a module with hosts that denies it", LET_OUT, { openWorldHint: false }, false],
])("%s is of the open world or not", (_, source, annotations, isOpen) => {
  expect(riskOf({ source, ...(annotations && { annotations }) }).isOpen).toBe(isOpen);
});
