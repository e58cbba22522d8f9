// Owns .dev.vars, the local server's secrets: made once, then only read.
// Messages say where and what, never the value.

import { randomBytes } from "node:crypto";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { CliError } from "./cli-error.ts";
import { countOf } from "./count-of.ts";

export const DEV_VARS_FILE = ".dev.vars";
const MIN_SECRET_CHARS = 16;
const SECRET_BYTES = 32;
const ASSIGNMENT = /^\s*(?:export\s+)?([\w.-]+)\s*=\s*(.*)$/;
const START_OVER = `Or delete ${DEV_VARS_FILE}: the next "npm start" makes a new one (client keys made so far stop working, secrets of tools must be set again).`;

/** What the local server needs: the admin key in clear, the secret that signs client keys, the one that seals secrets. */
export interface DevVars {
  ADMIN_KEY: string;
  SIGNING_SECRET: string;
  /** Absent in a file that "npm start" has not seen since there are secrets; the server keeps none then. */
  SECRETS_KEY?: string;
}

/** Reads `.dev.vars` in `root`, making it with random secrets if there is none, and adding what a file lacks. */
export function ensureDevVars(root: string): { vars: DevVars; made: boolean } {
  const kept = readDevVars(root);
  if (kept !== undefined) return { vars: addSecretsKey(root, kept), made: false };
  const vars = { ADMIN_KEY: `tga_${randomSecret()}`, SIGNING_SECRET: randomSecret(), SECRETS_KEY: randomSecret() };
  const lines = [
    '# The local server\'s secrets, made by "npm start". Keep this file out of version control.',
    `ADMIN_KEY="${vars.ADMIN_KEY}"`,
    `SIGNING_SECRET="${vars.SIGNING_SECRET}"`,
    `SECRETS_KEY="${vars.SECRETS_KEY}"`,
  ];
  writeFileSync(join(root, DEV_VARS_FILE), `${lines.join("\n")}\n`, { mode: 0o600, flag: "wx" });
  return { vars, made: true };
}

/** A file from before there were secrets: it keeps what it has. */
function addSecretsKey(root: string, vars: DevVars): DevVars {
  if (vars.SECRETS_KEY !== undefined) return vars;
  const SECRETS_KEY = randomSecret();
  const path = join(root, DEV_VARS_FILE);
  const lineEnd = (readText(path) ?? "").endsWith("\n") ? "" : "\n";
  appendFileSync(path, `${lineEnd}SECRETS_KEY="${SECRETS_KEY}"\n`);
  return { ...vars, SECRETS_KEY };
}

/** Reads `.dev.vars` in `root`; undefined if there is no such file. */
export function readDevVars(root: string): DevVars | undefined {
  const path = join(root, DEV_VARS_FILE);
  const text = readText(path);
  return text === undefined ? undefined : parseDevVars(text, path);
}

/** Parses the text of a `.dev.vars` file; `path` is for messages only. */
export function parseDevVars(text: string, path: string): DevVars {
  const lineOf = scanAssignments(text, path);
  const values = parseEnv(text);
  const secretsKey = values["SECRETS_KEY"];
  return {
    ADMIN_KEY: checkSecret("ADMIN_KEY", values["ADMIN_KEY"], lineOf, path),
    SIGNING_SECRET: checkSecret("SIGNING_SECRET", values["SIGNING_SECRET"], lineOf, path),
    ...(secretsKey !== undefined && { SECRETS_KEY: checkSecret("SECRETS_KEY", secretsKey, lineOf, path) }),
  };
}

function randomSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    if (code === "ENOENT") return undefined;
    throw new CliError(`${path} can't be read (${code}). Expected a file that this user may read.`);
  }
}

// parseEnv skips what it can't read, so a slip of the pen would look like a missing name: find the line first.
function scanAssignments(text: string, path: string): Map<string, number> {
  const lineOf = new Map<string, number>();
  let open: { quote: string; line: number } | undefined;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (open !== undefined) {
      if (line.includes(open.quote)) open = undefined;
      continue;
    }
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
    const [, name, value] = ASSIGNMENT.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      throw new CliError(
        `${path}, line ${index + 1}: expected NAME="value" or a # comment.\nMend the line. ${START_OVER}`,
      );
    }
    lineOf.set(name, index + 1);
    const quote = /^["'`]/.exec(value)?.[0];
    if (quote !== undefined && !value.slice(1).includes(quote)) open = { quote, line: index + 1 };
  }
  if (open === undefined) return lineOf;
  throw new CliError(`${path}, line ${open.line}: the closing ${open.quote} is missing.\nAdd it. ${START_OVER}`);
}

function checkSecret(name: string, value: string | undefined, lineOf: Map<string, number>, path: string): string {
  if (value !== undefined && value.length >= MIN_SECRET_CHARS) return value;
  const line = lineOf.get(name);
  const expected = `expected ${name}="…" with at least ${MIN_SECRET_CHARS} characters`;
  const place = line === undefined ? path : `${path}, line ${line}`;
  throw new CliError(`${place}: ${expected}, found ${describeValue(value)}.\nSet a long random value. ${START_OVER}`);
}

function describeValue(value: string | undefined): string {
  if (value === undefined) return "no such name";
  return value === "" ? "an empty value" : countOf(value.length, "character");
}
