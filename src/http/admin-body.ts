import * as v from "valibot";
import { HttpError } from "./problem.ts";
import { readBody } from "./read-body.ts";

/** The request's JSON body in a schema's shape. Throws a problem that names each field that is not. */
export async function parseAdminBody<T extends v.GenericSchema>(
  request: Request,
  schema: T,
): Promise<v.InferOutput<T>> {
  const body = parseJson(await readBody(request));
  return parseAs(schema, body, (faults) => new HttpError(400, "invalid_body", faults));
}

/** The parameters of a request's query in a schema's shape. Throws as `parseAdminBody`. */
export const parseAdminQuery = <T extends v.GenericSchema>(
  query: Record<string, string>,
  schema: T,
): v.InferOutput<T> => parseAs(schema, query, (faults) => new HttpError(400, "invalid_query", faults));

function parseAs<T extends v.GenericSchema>(
  schema: T,
  value: unknown,
  toError: (faults: string) => HttpError,
): v.InferOutput<T> {
  const outcome = v.safeParse(schema, value, { abortPipeEarly: true });
  if (outcome.success) return outcome.output;
  const faults = outcome.issues.map((issue) => `${v.getDotPath(issue) ?? "body"}: ${issue.message}`);
  throw toError(faults.join("; "));
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new HttpError(400, "invalid_body", "The body must be JSON");
  }
}
