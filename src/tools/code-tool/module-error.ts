// What a module threw, as far as its isolate could tell. All of it is the module's to choose but the classes here.

import { markCut } from "../../lib/cut-text.ts";
import * as v from "valibot";
import { LIMITS } from "../../lib/limits.ts";
import type { Redactor } from "../../sanitize/secrets.ts";
import { ToolError } from "../tool-error.ts";

/** Something other than a `ToolError` was thrown: for the log alone. */
export class ModuleError extends Error {
  override readonly name = "ModuleError";
}

const ErrorSchema = v.object({
  isToolError: v.optional(v.boolean()),
  name: v.string(),
  message: v.string(),
  /** Where in the module, as `tool.js:<line>:<column>`. */
  at: v.optional(v.string()),
});

export type ThrownError = v.InferOutput<typeof ErrorSchema>;

/** What an isolate says was thrown; `undefined` where it says nothing that makes sense. */
export function readThrown(error: unknown): ThrownError | undefined {
  const outcome = v.safeParse(ErrorSchema, error);
  return outcome.success ? outcome.output : undefined;
}

/** The same as an error of ours, without secrets, of which a cut could leave a part. */
export function toModuleError(error: unknown, redactor: Redactor): ToolError | ModuleError {
  const thrown = readThrown(error);
  if (!thrown) return new ModuleError("the isolate answered something that makes no sense");
  const { isToolError, name, message, at } = thrown;
  if (isToolError) return new ToolError(cut(redactor.text(message)));
  return withStack(new ModuleError(cut(redactor.text(`${name}: ${message}`))), at === undefined ? "" : `at ${at}`);
}

/** An error of a call, to be told or logged without what the call knows of secrets. */
export function withoutSecrets(error: unknown, redactor: Redactor): Error {
  if (error instanceof ToolError) return new ToolError(redactor.text(error.message));
  const known = error instanceof Error ? error : new Error(String(error));
  const text = error instanceof ModuleError ? known.message : `${known.name}: ${known.message}`;
  return withStack(new ModuleError(redactor.text(text)), redactor.text(known.stack ?? ""));
}

const withStack = <E extends Error>(error: E, stack: string): E => Object.assign(error, { stack });

const cut = (text: string): string => markCut(text, LIMITS.errorChars);
