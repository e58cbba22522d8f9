interface ProblemDetails {
  status: number;
  code: string;
  title: string;
  detail: string;
  retryAfterSeconds?: number;
}

/** What the admin API answered instead of what was asked for (RFC 9457), or what kept it from answering. */
export class Problem extends Error {
  override readonly name = "Problem";
  /** 0 when there was no answer. */
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly retryAfterSeconds: number | undefined;

  constructor(about: ProblemDetails) {
    super(about.detail);
    this.status = about.status;
    this.code = about.code;
    this.title = about.title;
    this.retryAfterSeconds = about.retryAfterSeconds;
  }
}

/** Any error as a problem. */
export const toProblem = (error: unknown): Problem =>
  error instanceof Problem
    ? error
    : new Problem({
        status: 0,
        code: "unreachable",
        title: "No answer",
        detail: `The server could not be reached (${error instanceof Error ? error.message : String(error)})`,
      });

/** The problem in a response that is none of success. */
export async function readProblem(response: Response): Promise<Problem> {
  const fallback = { code: "unknown", title: `Status ${response.status}`, detail: "The answer says no more than that" };
  const body: unknown = await response.json().catch(() => undefined);
  const told = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  const textOf = (name: "code" | "title" | "detail"): string => {
    const value = told[name];
    return typeof value === "string" ? value : fallback[name];
  };
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new Problem({
    status: response.status,
    code: textOf("code"),
    title: textOf("title"),
    detail: textOf("detail"),
    ...(Number.isFinite(retryAfter) && { retryAfterSeconds: retryAfter }),
  });
}
