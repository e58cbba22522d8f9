// Rules on everything of a definition but its schemas' keywords and the wording of its texts. Each names its source and
// when that was so.

import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { DOTTED_TOOL_NAME, TOOL_NAME } from "../tools/tool-record.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import type { Verdict } from "./verdict.ts";

export interface LintContext {
  /** Whether an operator let dots into the tool's name; a definition that says so itself, as tool records do, needs none. */
  allowDots?: boolean;
}

const NAME = "/name";

export function lintName({ name, allowDots }: JsonObject, context: LintContext): Verdict[] {
  if (typeof name !== "string" || !DOTTED_TOOL_NAME.test(name)) return [refuseName(name)];
  // ECMA-262, B.2.2.1: as the key of an object it is not a key.
  if (name === "__proto__")
    return [refuse("name-reserved", NAME, "__proto__ gets lost wherever tools are kept by name.")];
  if (!TOOL_NAME.test(name) && allowDots !== true && !context.allowDots) {
    return [refuse("name-dots", NAME, "Dots are refused by Claude and OpenAI: use _ or -, or allow dots.")];
  }
  return [...lintDots(name), ...lintLength(name), ...lintFirst(name)];
}

// Claude Desktop ^[a-zA-Z0-9_-]{1,64}$ (evoila/meho#2745, 2026-08); OpenAI ^[a-zA-Z0-9_-]+$ (barryw/ImmichMCP#10,
// 2026-06), at most 64 (mastra-ai/mastra#6302, 2025-07); Gemini at most 64 (BerriAI/litellm#12543). MCP 2026-07-28 itself
// goes up to 128, with dots.
const refuseName = (name: unknown): Verdict =>
  refuse(
    "name-characters",
    NAME,
    typeof name === "string"
      ? `Expected 1 to ${LIMITS.toolNameChars} of A-Z, a-z, 0-9, _ and -, received ${name.length} characters: clients refuse the whole list over one such name.`
      : "A tool must have a name.",
  );

function lintDots(name: string): Verdict[] {
  if (TOOL_NAME.test(name)) return [];
  const rule = { rule: "name-dots", path: NAME };
  return [
    // evoila/meho#2745, 2026-08; the API: github/copilot-cli#2581, 2026-04.
    { ...rule, client: "claude", level: "error", message: "Claude Desktop drops all tools over a dot in a name." },
    // barryw/ImmichMCP#10, 2026-06.
    { ...rule, client: "openai", level: "error", message: "OpenAI refuses a request with a dot in a tool's name." },
    // VS Code makes it an underscore, Copilot CLI and IntelliJ fail: github/copilot-cli#2581, 2026-04.
    {
      ...rule,
      client: "vscode",
      level: "warning",
      message: "Copilot's terminal and IntelliJ fail over a dot in a name.",
    },
  ];
}

/** Over this, Cursor has no room for a server's name of one character. */
const CURSOR_NAME_CHARS = 58;

function lintLength({ length }: string): Verdict[] {
  const verdicts: Verdict[] = [];
  // Clients prefix: mcp_<server>_ and cut at 63 (gemini-cli, mcp-tool.ts, 5411f113ca of 2026-08), mcp__<server>__
  // (anthropics/claude-code#2412, 2025-06).
  if (length > LIMITS.prefixedNameChars) {
    const message = `${length} characters leave little room for the server's name that clients put before it: expected at most ${LIMITS.prefixedNameChars}.`;
    verdicts.push({ client: "all", level: "warning", rule: "name-prefix-room", path: NAME, message });
  }
  // Server and tool together at most 59: ComposioHQ/composio#2788, 2026-02.
  if (length > CURSOR_NAME_CHARS) {
    const message = "Cursor filters out tools whose name has 60 characters or more together with the server's.";
    verdicts.push({ client: "cursor", level: "error", rule: "name-filtered", path: NAME, message });
  }
  return verdicts;
}

// "Must start with a letter or an underscore": BerriAI/litellm#12543. Gemini CLI prefixes, others do not.
const lintFirst = (name: string): Verdict[] =>
  /^[A-Za-z_]/.test(name)
    ? []
    : [
        {
          client: "gemini",
          level: "warning",
          rule: "name-start",
          path: NAME,
          message: "Gemini wants a letter or _ first.",
        },
      ];

// Claude Code cuts off the rest since 2.1.84: anthropics/claude-code#41593, 2026-03.
const CLAUDE_DESCRIPTION_CHARS = 2_048;
// OpenAI let go of it in 2025-05 (run-llama/llama_index#18784), Azure and proxies had it still (getsentry/sentry-mcp#106).
const OLD_OPENAI_DESCRIPTION_CHARS = 1_024;

export function lintDescription({ description }: JsonObject): Verdict[] {
  const path = "/description";
  if (typeof description !== "string" || description.trim() === "") {
    const rule = { rule: "description-missing", path };
    return [
      // "Tools must be accurately described to be called": DavidHDev/react-bits#411, 2025-08. Copilot's Claude models
      // answer 400: anomalyco/opencode#14488, 2026-02.
      { ...rule, client: "vscode", level: "error", message: "Copilot does not call a tool without a description." },
      // FunctionDeclaration.description is "Required": ai.google.dev/api/caching, v1beta.
      { ...rule, client: "gemini", level: "warning", message: "Gemini's API says that a description is required." },
    ];
  }
  const { length } = description;
  const rule = { rule: "description-length", path };
  const verdicts: Verdict[] = [];
  if (length > LIMITS.descriptionChars) {
    const message = `Expected at most ${LIMITS.descriptionChars} characters, received ${length}.`;
    verdicts.push({ ...rule, client: "all", level: "error", message });
  }
  if (length > CLAUDE_DESCRIPTION_CHARS) {
    const message = `Claude Code cuts descriptions off after ${CLAUDE_DESCRIPTION_CHARS} characters, this has ${length}.`;
    verdicts.push({ ...rule, client: "claude", level: "warning", message });
  }
  if (length > OLD_OPENAI_DESCRIPTION_CHARS) {
    const message = `Some deployments of OpenAI's models refuse more than ${OLD_OPENAI_DESCRIPTION_CHARS} characters.`;
    verdicts.push({ ...rule, client: "openai", level: "info", message });
  }
  return verdicts;
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

// MCP 2026-07-28, schema `ToolAnnotations`: without hints a tool counts as destructive and of the open world.
export function lintAnnotations({ title, annotations = {} }: JsonObject): Verdict[] {
  const path = "/annotations";
  if (!isJsonObject(annotations)) return [refuse("annotation-type", path, "Expected an object.")];
  const wrong = HINTS.filter((hint) => !["boolean", "undefined"].includes(typeof annotations[hint]));
  if (wrong.length > 0) {
    return wrong.map((hint) => refuse("annotation-type", `${path}/${hint}`, "Expected true or false."));
  }
  const { readOnlyHint, destructiveHint } = annotations;
  const verdicts: Verdict[] = [];
  if (readOnlyHint === true && destructiveHint === true) {
    const message = "A tool that only reads destroys nothing: clients believe one or the other.";
    verdicts.push({
      client: "all",
      level: "warning",
      rule: "readonly-destructive",
      path: `${path}/destructiveHint`,
      message,
    });
  }
  // ChatGPT shows it as one that writes (developers.openai.com/api/docs/guides/developer-mode, 2026), VS Code asks
  // (github/github-mcp-server#306), Cursor's Ask mode leaves it out (sourcebot-dev/sourcebot#1013, 2026-03).
  if (readOnlyHint === undefined) {
    const message = "Without readOnlyHint clients take it for a tool that writes, and ask before each call.";
    verdicts.push({ client: "all", level: "info", rule: "hint-missing", path: `${path}/readOnlyHint`, message });
  } else if (readOnlyHint === false && destructiveHint === undefined) {
    const message = "A tool that writes counts as destructive unless destructiveHint is false.";
    verdicts.push({ client: "all", level: "info", rule: "hint-missing", path: `${path}/destructiveHint`, message });
  }
  return [...verdicts, ...lintForDirectories(title, annotations)];
}

function lintForDirectories(title: unknown, annotations: JsonObject): Verdict[] {
  const verdicts: Verdict[] = [];
  // anthropics/claude-plugins-official, directory-checklist.md, fd30cee of 2026: a hard criterion.
  if (typeof title !== "string" && typeof annotations["title"] !== "string") {
    const message = "Claude's directory of connectors takes only tools with a title.";
    verdicts.push({ client: "claude", level: "info", rule: "directory-title", path: "/annotations/title", message });
  }
  // openai/plugins, mcp-tool-hint-justifications, 1.0.0: submissions set all three.
  const missing = ["readOnlyHint", "destructiveHint", "openWorldHint"].filter(
    (hint) => annotations[hint] === undefined,
  );
  if (missing.length > 0) {
    const message = `ChatGPT's directory of apps wants ${missing.join(" and ")} said, too.`;
    verdicts.push({ client: "openai", level: "info", rule: "directory-hints", path: "/annotations", message });
  }
  return verdicts;
}

/** What a definition, serialized, costs every request of a client that loads all tools; the bound is our own. */
export function lintSize(definition: string): Verdict[] {
  const tokens = estimateTokens(definition);
  if (tokens <= LIMITS.lintToolTokens) return [];
  const message = `About ${tokens} tokens in each request of a client that loads all tools: expected at most ${LIMITS.lintToolTokens}.`;
  return [{ client: "all", level: "info", rule: "tool-size", path: "", message }];
}

const refuse = (rule: string, path: string, message: string): Verdict => ({
  client: "all",
  path,
  rule,
  level: "error",
  message,
});
