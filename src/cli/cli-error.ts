import { escapeUnseen } from "./escape-unseen.ts";

/** An error meant for the person at the terminal: printed as it stands, without a stack. */
export class CliError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = "CliError";
    this.exitCode = exitCode;
  }
}

/** A command line that can't be understood: exit code 2. */
export class UsageError extends CliError {
  constructor(message: string) {
    super(message, 2);
    this.name = "UsageError";
  }
}

/** Prints an error, to stderr unless told otherwise, and returns the exit code it stands for. */
export function reportError(error: unknown, complain: (text: unknown) => void = console.error): number {
  if (!(error instanceof CliError)) {
    complain(error);
    return 1;
  }
  complain(escapeUnseen(`error: ${error.message}`, true));
  return error.exitCode;
}
