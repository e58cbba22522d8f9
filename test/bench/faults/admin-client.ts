// The admin API, and what is known of a change once it was asked for.

import type { SeededRandom } from "../../support/faults/seeded-random.ts";
import { bearer, send } from "./wire.ts";
import type { Witness } from "./witness.ts";

export type Body = Record<string, unknown>;

/** `unknown`: it broke off, or the server could not say. */
export type Told =
  | { outcome: "done" | "not done"; status: number; body: Body }
  | { outcome: "unknown"; status: number; body: Body };

export interface AdminClient {
  tell: (method: string, path: string, body?: unknown) => Promise<Told>;
  /** The same where nothing may go wrong. Throws when it does. */
  read: (path: string) => Promise<Body>;
}

export function createAdminClient(
  witness: Witness,
  urls: readonly URL[],
  random: SeededRandom,
  adminKey: string,
): AdminClient {
  const tell: AdminClient["tell"] = async (method, path, body) => {
    const url = new URL(`/admin/v1${path}`, random.pick(urls));
    const headers = { ...bearer(adminKey), "content-type": "application/json" };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const answer = await send(url, init, async (response) => ({
      kind: "answered" as const,
      status: response.status,
      body: (await response.json()) as Body,
    }));
    if (answer.kind !== "answered") {
      if (answer.kind === "unanswered") witness.find(`${method} ${path.split("/")[1]}: no answer by the admin API`);
      witness.count(`admin: ${answer.kind}`);
      return { outcome: "unknown", status: 0, body: {} };
    }
    const { status } = answer;
    witness.count(`admin: ${status}`);
    if (status === 401 || status === 403) witness.find(`the admin key was refused: ${JSON.stringify(answer.body)}`);
    if (status >= 500 && typeof answer.body["code"] !== "string") {
      witness.find(`the admin API answered ${status} without a code: ${JSON.stringify(answer.body)}`);
    }
    const outcome = status < 300 ? "done" : status < 500 ? "not done" : "unknown";
    return { outcome, status, body: answer.body };
  };
  const read: AdminClient["read"] = async (path) => {
    const { status, body } = await tell("GET", path);
    if (status !== 200) throw new Error(`GET ${path}: status ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  return { tell, read };
}
