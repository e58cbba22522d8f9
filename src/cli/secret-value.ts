// Owns how a secret's value comes in: from a file or from stdin, never from the command line, which every process sees.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { Writable, type Readable } from "node:stream";
import { CliError } from "./cli-error.ts";
import type { OpenStdin } from "./command.ts";

/** Reads the value; asks for it, without showing it, when stdin is a terminal. One line end after it is left out. */
export async function readSecretValue(name: string, file: string | undefined, stdin: OpenStdin): Promise<string> {
  const text = file === undefined ? await readStdin(name, stdin()) : readFile(file);
  const value = text.replace(/\r?\n$/, "");
  if (value !== "") return value;
  throw new CliError(
    `secrets set: expected a value ${file === undefined ? "on stdin" : `in ${file}`}, received nothing.`,
  );
}

function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new CliError(`--value-file: ${path} can't be read (${code}).`);
  }
}

async function readStdin(name: string, stdin: ReturnType<OpenStdin>): Promise<string> {
  if (stdin.isTTY) return askUnseen(stdin, `Value of ${name} (not shown): `);
  let text = "";
  for await (const chunk of stdin.setEncoding("utf8")) text += String(chunk);
  return text;
}

/** What readline would echo goes nowhere. */
async function askUnseen(input: Readable, question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true });
  process.stderr.write(question);
  try {
    return await lines.question("");
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") throw new CliError("Stopped: nothing was set.", 130);
    throw error;
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}
