import * as v from "valibot";
import { faultMessage } from "../lib/describe-issue.ts";
import { HttpError } from "./problem.ts";

/** The query of a request in a schema's shape. Throws a problem that names each parameter that is not, or is not known. */
export function parseAdminQuery<T extends v.GenericSchema>(url: string, schema: T): v.InferOutput<T> {
  const { searchParams } = new URL(url);
  const twice = [...new Set(searchParams.keys())].filter((name) => searchParams.getAll(name).length > 1);
  if (twice.length > 0) throw invalid(twice.map((name) => `${show(name)}: expected it once`));
  const outcome = v.safeParse(schema, Object.fromEntries(searchParams), { abortPipeEarly: true });
  if (outcome.success) return outcome.output;
  throw invalid(
    outcome.issues.map((issue) => `${show(v.getDotPath(issue) ?? "query")}: ${faultMessage(issue, schema)}`),
  );
}

const invalid = (faults: readonly string[]): HttpError => new HttpError(400, "invalid_query", faults.join("; "));

const SHOWN_CHARS = 64;

const show = (name: string): string => name.slice(0, SHOWN_CHARS);
