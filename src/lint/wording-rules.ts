// Wording that speaks to the model behind the user's back ("tool poisoning"): invariantlabs.ai/blog/mcp-security-
// notification-tool-poisoning-attacks (2025-04-01), SAFE-T1001 (2025-07), ATR-2026-00161. A regular expression can't
// tell intent, so these are warnings; they are narrow, and measured on public definitions (docs/decisions.md).

import type { Text } from "./texts.ts";
import type { Verdict } from "./verdict.ts";

interface WordingRule {
  rule: string;
  message: string;
  /** Every quantifier is bounded, so that a text is read in time proportional to its length. */
  pattern: RegExp;
}

const RULES: readonly WordingRule[] = [
  {
    rule: "instruction-override",
    message: "Asks the model to disregard its instructions",
    pattern:
      /\b(?:ignore|disregard|forget|override)\s{1,3}(?:\w{1,12}\s{1,3}){0,3}(?:instructions?|prompts?|guidelines|directives)\b/i,
  },
  {
    rule: "instruction-tag",
    message: "Marks a text as an instruction to the model",
    pattern:
      /<\/?(?:important|system|secret|hidden|instructions?|assistant)>|<\|(?:im_start|im_end|system|user|assistant)\|>|\[\/?INST\]|<!--|^#{2,4} ?(?:system|instructions?):/im,
  },
  {
    rule: "concealment",
    message: "Asks the model to keep something from the user",
    pattern:
      /\b(?:do not|don't|don’t|never|must not|without)\s{1,3}(?:\w{1,12}\s{1,3}){0,2}(?:tell|telling|inform|informing|mention|mentioning|notify|notifying|alert|alerting|reveal|revealing|disclose|disclosing)\s{1,3}(?:[\w-]{1,12}\s{1,3}){0,4}users?\b|\b(?:hide|conceal|keep)\s{1,3}(?:this|it|that|these)\s{1,3}(?:secret\s{1,3})?from\s{1,3}the\s{1,3}user\b/i,
  },
  {
    rule: "secret-file",
    message: "Names a file of secrets on the user's machine",
    pattern:
      /~\/\.(?:ssh|aws|gnupg|kube|netrc|npmrc|cursor|config\/gcloud)\b|(?<![a-z])id_(?:rsa|ed25519|ecdsa|dsa)(?![a-z])|\/etc\/(?:passwd|shadow)\b|\.aws\/credentials\b|\b(?:claude_desktop_config|mcp)\.json\b/i,
  },
  {
    rule: "tool-shadowing",
    message: "Tells the model how to use tools other than this one",
    pattern:
      /\b(?:before|after|when|whenever|instead of)\s{1,3}(?:\w{1,12}\s{1,3}){0,2}(?:using|calling|invoking|running)\s{1,3}(?:any|all|every)\s{1,3}(?:of\s{1,3}the\s{1,3})?(?:other\s{1,3})?tools?\b|\balso\s{1,3}present\s{1,3}(?:[\w`"'-]{1,40}\s{1,3}){0,3}tools?\b|\bside\s{1,3}effects?\s{1,3}on\s{1,3}(?:[\w`"'-]{1,40}\s{1,3}){0,4}tools?\b/i,
  },
  {
    rule: "exfiltration",
    message: "Asks for what belongs to the conversation, not to the tool",
    pattern:
      /\b(?:send|post|upload|forward|append|include|pass)\s{1,3}(?:[\w'-]{1,14}\s{1,3}){0,6}(?:(?:entire|full|whole|complete)\s{1,3}(?:conversation|chat)|(?:conversation|chat)\s{1,3}history|your\s{1,3}(?:system\s{1,3})?prompt)\b/i,
  },
  {
    rule: "data-in-url",
    message: "Has a URL with a place for data, which a model might fill and open",
    pattern:
      /!\[[^\]\n]{0,80}\]\(https?:\/\/|https?:\/\/[^\s"'<>?]{1,200}\?[^\s"'<>]{0,200}(?:\$\{|\{\{|\{(?:data|content|secret|token|history|conversation)\b)/i,
  },
  {
    rule: "encoded-text",
    message: "Has a long encoded text, which nobody can review",
    pattern:
      /(?<![A-Za-z0-9+/=_.-])(?=[A-Za-z0-9+/_-]{0,120}[A-Z])(?=[A-Za-z0-9+/_-]{0,120}[a-z])(?=[A-Za-z0-9+/_-]{0,120}\d)[A-Za-z0-9+/_-]{120}/,
  },
  {
    // policylayer.com/attacks/tool-poisoning: pushes the rest out of sight where descriptions are cut or scrolled.
    rule: "padding",
    message: "Has white space that pushes what follows out of sight",
    pattern: /[ \t]{100}|(?:\r?\n[ \t]{0,8}){15}/,
  },
];

/** Characters of a text that are quoted around what was found. */
const QUOTED = 60;

export function lintWording({ text, path }: Text): Verdict[] {
  return RULES.flatMap(({ rule, message, pattern }) => {
    const match = pattern.exec(text);
    if (match === null) return [];
    return [{ client: "all", level: "warning", rule, path, message: `${message}: ${quote(match)}.` }];
  });
}

const quote = ({ 0: found, index }: RegExpExecArray): string => {
  const shown = found.slice(0, QUOTED).replaceAll(/\s+/g, " ");
  return `${escapeText(shown)} at ${index}`;
};

/** As JSON in ASCII, so that nothing hidden gets into a terminal or a log. */
const escapeText = (text: string): string =>
  JSON.stringify(text).replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
