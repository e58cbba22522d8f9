// Owns how a secret's value comes in: from a file or from stdin, never from the command line, which every process sees.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { CliError } from "./cli-error.ts";

/** Reads the value; asks for it, without showing it, when stdin is a terminal. One line end after it is left out. */
export async function readSecretValue(name: string, file: string | undefined): Promise<string> {
  const text = file === undefined ? await readStdin(name) : readFile(file);
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

async function readStdin(name: string): Promise<string> {
  if (process.stdin.isTTY) return askUnseen(`Value of ${name} (not shown): `);
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) text += String(chunk);
  return text;
}

/** What readline would echo goes nowhere. */
async function askUnseen(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
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
