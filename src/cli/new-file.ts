import { existsSync } from "node:fs";
import { UsageError } from "./cli-error.ts";
import type { Input, Option } from "./command.ts";

/** The option that goes with `checkNewFile`. */
export const FORCE: Record<string, Option> = { force: { help: "replace the file if it is there already" } };

/** Throws `UsageError` if a command would write over what is there, unless it was told to. */
export function checkNewFile(command: string, file: string, { options }: Input): void {
  if (options.has("force") || !existsSync(file)) return;
  throw new UsageError(
    `${command}: expected the name of a new file, received ${JSON.stringify(file)}, which is there already. Name another, or add --force to replace it.`,
  );
}
