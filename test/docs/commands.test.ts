// Every shell command of the README and its pages, in order, as a reader would type them, against a server that was started
// as the README says. What can't run here is named in the exceptions.

import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { runHere } from "../cli/command-line.ts";
import { findFreePort, startProject, type Started } from "../cli/processes.ts";
import { copyProject, NODE } from "../cli/project-copy.ts";
import { startModernServer } from "../journeys/support/upstream-servers.ts";
import { EXCEPTIONS } from "./exceptions.ts";
import packageJson from "../../package.json" with { type: "json" };
import { commandsOf, readPages, ROOT } from "./pages.ts";

const COMMAND_TIMEOUT_MS = 20_000;
/** Looks on for some seconds: here for as long as the change takes to come. */
const LISTENS = /^(curl -sN) -m \d+ /;
const HEARD = "notifications/tools/list_changed";

interface Desk {
  folder: string;
  env: NodeJS.ProcessEnv;
  /** What stands in a command for what a reader has of their own. */
  own: [string | RegExp, string][];
  /** Commands in other terminals. */
  others: Promise<void>[];
}

const pages = readPages().map((page) => ({
  ...page,
  commands: page.blocks.filter(({ language }) => language === "sh").flatMap(({ text }) => commandsOf(text)),
}));
const isExcepted = (command: string): boolean => EXCEPTIONS.some((exception) => exception.command.test(command));

test("every command runs, one after the other, page by page", async () => {
  const desk = await openDesk();
  const faults: string[] = [];
  for (const { path, commands } of pages) {
    for (const command of commands.filter((each) => !isExcepted(each))) {
      const running = runCommand(desk, command).catch((fault: unknown) => {
        faults.push(`${path}: ${String(fault)}`);
      });
      if (LISTENS.test(command)) desk.others.push(running);
      else await running;
    }
  }
  await Promise.all(desk.others);
  expect(faults).toEqual([]);
}, 120_000);

describe("what is not run here", () => {
  const all = pages.flatMap(({ commands }) => commands);

  test.each(EXCEPTIONS)("$command is in a page, and run by $shownBy", ({ command, shownBy }) => {
    expect(all.filter((each) => command.test(each)).length).toBeGreaterThan(0);
    expect(existsSync(join(ROOT, shownBy))).toBe(true);
  });

  test("is less than what is", () => {
    expect(all.filter(isExcepted).length).toBeLessThan(all.length / 3);
  });
});

test("the README's list of scripts names them all", () => {
  const readme = pages[0]?.text ?? "";
  const named = [...readme.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([a-z:-]+)/g)].map(([, name = ""]) => name),
  );
  expect(Object.keys(packageJson.scripts).filter((name) => !named.includes(name))).toEqual([]);
});

/** A copy of the project with a server on it, an upstream to add, and a key. */
async function openDesk(): Promise<Desk> {
  const [folder, port, upstream] = [copyProject(), await findFreePort(), await startModernServer()];
  const started = await startProject(folder, port, { EGRESS_ALLOW: upstream.host });
  const env = { ...process.env, PORT: String(port), KEY: keyOf(started), TOKEN: "a-token-of-this-test" };
  const faster = { PATH: `${fakeNpm(folder)}:${process.env["PATH"]}`, NODE_COMPILE_CACHE: join(folder, "compiled") };
  return {
    folder,
    env: { ...env, ...faster },
    own: [
      ["127.0.0.1:8787", `127.0.0.1:${port}`],
      ["tg_…", keyOf(started)],
      ["https://files.example.com/mcp", upstream.url],
    ],
    others: [],
  };
}

const keyOf = ({ output }: Started): string => /^ {2}Key +(\S+)$/m.exec(output)?.[1] ?? "";

/**
 * `npm run toolgate -- …` without npm's own quarter of a second, or with TELL only its words, each with a NUL after it; every
 * other script is none of a reader's here.
 */
function fakeNpm(folder: string): string {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const script = `#!/bin/sh
[ "$1" = run ] && shift
[ "$1" = -s ] && shift
[ "$1" = toolgate ] && [ "$2" = -- ] || { echo "npm run $*: not run here" >&2; exit 1; }
shift 2
[ "$TELL" ] && exec printf '%s\\0' "$@"
exec '${NODE}' '${join(folder, "src/cli/toolgate.ts")}' "$@"
`;
  writeFileSync(join(bin, "npm"), script);
  chmodSync(join(bin, "npm"), 0o755);
  return bin;
}

/** Runs one; what it prints is what the reader then has at hand. Throws when it fails or answers with an error. */
async function runCommand(desk: Desk, command: string): Promise<void> {
  const line = desk.own.reduce((text, [from, to]) => text.replaceAll(from, to), command);
  const isListening = LISTENS.test(command);
  const { code, stdout, stderr } = isAlone(line)
    ? await runAlone(line, desk)
    : await runShell(line.replace(LISTENS, "exec $1 "), desk, isListening ? HEARD : undefined);
  if (code !== 0 && !isListening) throw new Error(`${command}\nended with ${code}: ${stderr}${stdout}`);
  const isWanted = isListening ? stdout.includes(HEARD) : isGood(stdout);
  if (command.startsWith("curl ") && !isWanted) throw new Error(`${command}\nanswered: ${stdout}`);
  desk.env["ID"] = /^id +(\w+)$/m.exec(stdout)?.[1] ?? desk.env["ID"];
  desk.env["VERSION"] = /in the catalogue\. Version (\d+)/.exec(stdout)?.[1] ?? desk.env["VERSION"];
}

/** A command of the admin CLI that nothing is piped to or from. */
const isAlone = (line: string): boolean =>
  /^npm run (?:-s )?toolgate -- /.test(line) &&
  !/[|<>&;`$]/.test(line.replaceAll(/"[^"`]*"|'[^']*'/g, "").replaceAll(/(?<=\s)#.*$/gm, ""));

/** The shell makes words of it, which run in this process: the same without the fifth of a second that a Node takes. */
async function runAlone(line: string, desk: Desk): Promise<Ended> {
  const shell = await runShell(line, { ...desk, env: { ...desk.env, TELL: "1" } });
  return shell.code === 0 ? runHere(shell.stdout.split("\0").slice(0, -1), desk.env, desk.folder) : shell;
}

/** A JSON-RPC answer that is no error of either kind, or a stream of such. */
function isGood(stdout: string): boolean {
  const messages = stdout.startsWith("{")
    ? [stdout]
    : [...stdout.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => data);
  return messages.length > 0 && messages.every((message) => !/"isError":true|^\{[^{]*"error":/.test(message));
}

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs to the end, or until its output has that. */
function runShell(line: string, { folder, env }: Desk, until?: string): Promise<Ended> {
  const shell = spawn("bash", ["-o", "pipefail", "-c", line], { cwd: folder, env, timeout: COMMAND_TIMEOUT_MS });
  onTestFinished(() => void shell.kill());
  const output = { stdout: "", stderr: "" };
  shell.stdin.end();
  shell.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
    if (until !== undefined && output.stdout.includes(until)) shell.kill();
  });
  shell.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  return new Promise((done, fail) => {
    shell.once("error", fail);
    shell.once("close", (code) => done({ code, ...output }));
  });
}
