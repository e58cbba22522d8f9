// A whole list: every definition in it, and what only shows in a list.

import { isJsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { lintTool } from "./lint-tool.ts";
import type { Client, Level, Verdict } from "./verdict.ts";
import { countOf } from "../lib/count-of.ts";

interface CountRule {
  client: Client;
  level: Level;
  tools: number;
  message: string;
}

const COUNT_RULES: readonly CountRule[] = [
  {
    // The limit was 40 until 2025: Snowflake-Labs/mcp#77 (2025-09), DaxianLee/cocos-mcp-server#11 (2026-02).
    client: "cursor",
    level: "warning",
    tools: 80,
    message: "Cursor warns of more than 80 tools of all servers together, and may leave out the rest.",
  },
  {
    // microsoft/vscode#337428 (2026-09).
    client: "vscode",
    level: "error",
    tools: 128,
    message: "Copilot takes 128 tools at most, its own and other servers' among them, and refuses the request.",
  },
  {
    // zed-industries/zed#32946 (2025-06), docker/roadmap#850 (2025-10).
    client: "openai",
    level: "error",
    tools: 128,
    message: "OpenAI takes 128 tools at most in a request.",
  },
  {
    // google-gemini/gemini-cli#19083 (2026-02), #25440 (2026-04).
    client: "gemini",
    level: "error",
    tools: 512,
    message: "Gemini takes 512 tools at most in a request.",
  },
];

// Who asks for no second page: claude.ai (anthropics/claude-ai-mcp#87, 2026-03, open), Claude Code
// (anthropics/claude-code#59538, 2026-05), Codex (openai/codex#28858, 2026-06, open), Copilot CLI (github/copilot-cli#4006).
const FIRST_PAGE_ONLY: readonly Client[] = ["claude", "openai", "vscode"];

/** Verdicts on each definition, with its name, and on the list in the order that it has; in turns. */
export function* lintCatalogue(definitions: readonly unknown[]): Generator<void, Verdict[]> {
  const names = definitions.map(nameOf);
  const ofTools: Verdict[] = [];
  const tokens: number[] = [];
  let begun = 0;
  for (const [index, definition] of definitions.entries()) {
    const tool = names[index] ?? "";
    for (const verdict of lintTool(definition)) ofTools.push({ ...verdict, tool });
    const text = textOf(definition);
    tokens.push(estimateTokens(text));
    begun += text.length;
    if (begun < LIMITS.turnChars) continue;
    begun = 0;
    yield;
  }
  return [
    ...lintCounts(definitions.length),
    ...lintTwice(names),
    ...lintPages(names),
    ...lintTokens(tokens.reduce((sum, each) => sum + each, 0)),
    ...ofTools,
  ];
}

const nameOf = (definition: unknown, index: number): string =>
  isJsonObject(definition) && typeof definition["name"] === "string" ? definition["name"] : `#${index}`;

const lintCounts = (count: number): Verdict[] =>
  COUNT_RULES.filter(({ tools }) => count > tools).map(({ client, level, message }) => ({
    client,
    path: "",
    rule: "tool-count",
    level,
    message: `${message} There are ${count} here.`,
  }));

/** MCP 2026-07-28, server/tools, "Tool Names": unique within a server. */
function lintTwice(names: readonly string[]): Verdict[] {
  const first = new Map<string, number>();
  return names.flatMap((tool, index): Verdict[] => {
    const earlier = first.get(tool);
    if (earlier === undefined) first.set(tool, index);
    if (earlier === undefined) return [];
    const message = `Definitions ${earlier} and ${index} have this name.`;
    return [{ client: "all", path: "/name", rule: "name-twice", level: "error", message, tool }];
  });
}

function lintPages(names: readonly string[]): Verdict[] {
  const beyond = names.length - LIMITS.listPageItems;
  if (beyond <= 0) return [];
  const message = `Reads the first page of the list alone: the last ${countOf(beyond, "tool doesn't", "tools don't")} exist for it.`;
  return FIRST_PAGE_ONLY.map((client) => ({ client, path: "", rule: "second-page", level: "error", message }));
}

/** Past a tenth of its context Claude Code loads definitions when they are searched for: anthropics/claude-code#39106. */
function lintTokens(tokens: number): Verdict[] {
  if (tokens <= LIMITS.lintListTokens) return [];
  const message = `About ${tokens} tokens: Claude Code puts off loading a list past some ${LIMITS.lintListTokens}, and then finds tools by name and description only.`;
  return [{ client: "claude", path: "", rule: "list-size", level: "info", message }];
}

function textOf(definition: unknown): string {
  try {
    return JSON.stringify(definition) ?? "";
  } catch {
    // Nested too deep to be serialized, which is said of it elsewhere.
    return "";
  }
}
