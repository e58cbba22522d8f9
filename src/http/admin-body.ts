import * as v from "valibot";
import { describeIssue } from "../lib/describe-issue.ts";
import { findExcess } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
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
  query: Record<string, unknown>,
  schema: T,
): v.InferOutput<T> => parseAs(schema, query, (faults) => new HttpError(400, "invalid_query", faults));

function parseAs<T extends v.GenericSchema>(
  schema: T,
  value: unknown,
  toError: (faults: string) => HttpError,
): v.InferOutput<T> {
  const outcome = v.safeParse(schema, value, { abortPipeEarly: true });
  if (outcome.success) return outcome.output;
  const faults = outcome.issues.map((issue) => describeIssue(issue, schema, "body"));
  throw toError(faults.join("; "));
}

/** The request's body as text that is JSON: for what must be kept as it came. */
export async function readAdminText(request: Request): Promise<string> {
  const text = await readBody(request);
  parseJson(text);
  return text;
}

/** A request's body as JSON of any shape, for those that are longer than others. Throws as `parseAdminBody`. */
export async function parseLargeBody(request: Request, limitBytes: number, maxMembers: number): Promise<unknown> {
  return parseJson(await readBody(request, limitBytes), maxMembers);
}

function parseJson(body: string, maxMembers: number = LIMITS.adminMembers): unknown {
  const excess = findExcess(body, maxMembers);
  if (excess !== undefined) throw new HttpError(400, "invalid_body", `The body has ${excess}`);
  try {
    return JSON.parse(body);
  } catch {
    throw new HttpError(400, "invalid_body", "The body must be JSON");
  }
}
