// Who may look on while requests are answered. Nobody waits for it.

import type { CallDraft } from "../audit/call-row.ts";
import type { Env, WaitUntil } from "../env.ts";
import type { Request } from "../protocol/json-rpc.ts";
import type { RequestScope } from "./scope.ts";

export interface Background {
  env: Env;
  waitUntil: WaitUntil;
}

/** A request other than a call: when it began, and whether the server has its method. */
export interface Served {
  request: Request;
  scope: RequestScope;
  startedAtMs: number;
  isKnown: boolean;
}

export interface Observer {
  /** May give a call its place in a trace. */
  openCall(call: CallDraft, id: Request["id"], env: Env): void;
  noteError(call: CallDraft, error: unknown): void;
  /** Of a call that has ended. */
  tellCall(call: CallDraft, background: Background): void;
  tellRequest(served: Served, error?: unknown): void;
}
