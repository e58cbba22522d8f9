import { matchesGlob } from "../keys/tool-rules.ts";
import type { ImportOptions } from "./import-options.ts";
import type { Operation } from "./operations.ts";

/** Why the options leave an operation out; `undefined` when they don't. */
export function findExclusion(operation: Operation, options: ImportOptions): string | undefined {
  const { path, tags = [], operationId, deprecated } = operation;
  const ids = operationId === undefined ? [] : [operationId];
  if (!isIncluded(tags, options.includeTags)) return "none of its tags is included";
  if (!isIncluded([path], options.includePaths)) return "its path is not included";
  if (!isIncluded(ids, options.includeOperations)) return "its operationId is not included";
  if (isMatched(tags, options.excludeTags)) return "one of its tags is excluded";
  if (isMatched([path], options.excludePaths)) return "its path is excluded";
  if (isMatched(ids, options.excludeOperations)) return "its operationId is excluded";
  return deprecated && !options.deprecated ? "deprecated" : undefined;
}

const isIncluded = (names: string[], globs: string[] | undefined): boolean =>
  globs === undefined || isMatched(names, globs);

const isMatched = (names: string[], globs: string[] = []): boolean =>
  globs.some((glob) => names.some((name) => matchesGlob(glob, name)));
