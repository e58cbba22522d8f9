import * as v from "valibot";
import { HttpError } from "./problem.ts";
import { readBody } from "./read-body.ts";

/** The request's JSON body in a schema's shape. Throws a problem that names each field that is not. */
export async function parseAdminBody<T extends v.GenericSchema>(
  request: Request,
  schema: T,
): Promise<v.InferOutput<T>> {
  const outcome = v.safeParse(schema, parseJson(await readBody(request)), { abortPipeEarly: true });
  if (outcome.success) return outcome.output;
  const faults = outcome.issues.map((issue) => `${v.getDotPath(issue) ?? "body"}: ${issue.message}`);
  throw new HttpError(400, "invalid_body", faults.join("; "));
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new HttpError(400, "invalid_body", "The body must be JSON");
  }
}
