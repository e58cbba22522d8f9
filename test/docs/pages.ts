// The README and the pages that it names, in its order, and what stands in their fences.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");

export interface Block {
  /** The language that the fence names. */
  language: string;
  text: string;
  line: number;
}

export interface Page {
  /** From the project's root. */
  path: string;
  text: string;
  blocks: Block[];
}

/** The README first; then the pages that it links to, each once. */
export function readPages(): Page[] {
  const readme = readPage("README.md");
  const linked = linksOf(readme).flatMap(({ file }) => (file.endsWith(".md") && file !== "README.md" ? [file] : []));
  return [readme, ...[...new Set(linked)].map(readPage)];
}

function readPage(path: string): Page {
  const text = readFileSync(join(ROOT, path), "utf8");
  return { path, text, blocks: blocksOf(text) };
}

function blocksOf(text: string): Block[] {
  const fences = text.matchAll(/^( *)```(\w*)\n([^]*?)^\1```$/gm);
  return Array.from(fences, ({ 1: indent = "", 2: language = "", 3: body = "", index }) => ({
    language,
    text: body.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    line: text.slice(0, index).split("\n").length,
  }));
}

export interface Link {
  target: string;
  /** From the project's root. */
  file: string;
  anchor: string | undefined;
}

/** Links and images that lead to files of the project. */
export function linksOf({ path, text }: Pick<Page, "path" | "text">): Link[] {
  const prose = text.replaceAll(/^ *```[^]*?^ *```$/gm, "").replaceAll(/`[^`\n]*`/g, "`");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [to = "", anchor] = target.split("#");
    const file = to === "" ? path : relative(ROOT, join(ROOT, dirname(path), to));
    return [{ target, file, anchor }];
  });
}

/** Whether a link leads somewhere: to a file, and to a heading in it. */
export function isFound({ file, anchor }: Link): boolean {
  if (!existsSync(join(ROOT, file))) return false;
  if (anchor === undefined) return true;
  const headings = readFileSync(join(ROOT, file), "utf8").matchAll(/^#+ (.*)$/gm);
  return [...headings].some(([, title = ""]) => slugOf(title) === anchor);
}

/** As GitHub makes anchors. */
const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

/** The commands of a shell block, each with the lines that belong to it: continued ones, open quotes, here-documents. */
export function commandsOf(block: string): string[] {
  const commands: string[] = [];
  let open = "";
  for (const line of block.split("\n")) {
    open = open === "" ? line : `${open}\n${line}`;
    if (isWhole(open)) {
      if (open.trim() !== "") commands.push(open);
      open = "";
    }
  }
  if (open.trim() !== "") throw new Error(`This command does not end:\n${open}`);
  return commands;
}

function isWhole(command: string): boolean {
  const end = /<<'(\w+)'/.exec(command)?.[1];
  if (end !== undefined) return new RegExp(`^${end}$`, "m").test(command.slice(command.indexOf("\n") + 1));
  const unquoted = command.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").replaceAll(/'[^']*'/g, "");
  return !command.endsWith("\\") && !/['"]/.test(unquoted.replaceAll(/(?<=\s)#.*$/gm, ""));
}
