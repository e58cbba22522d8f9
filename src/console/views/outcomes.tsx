// What came of calls and of admin actions, in colours and words.

import type { JSX } from "preact";
import type { CallOutcome } from "../api/audit-api.ts";
import { Badge, type Tone } from "../parts/surface.tsx";

type Told = readonly [tone: Tone | undefined, meaning: string];

const CALLS: Record<CallOutcome, Told> = {
  ok: ["ok", "The tool gave a result"],
  tool_error: ["danger", "The tool said that it failed"],
  invalid_arguments: ["warn", "The arguments do not fit the tool's schema"],
  unknown_tool: ["warn", "Not there, disabled, or hidden from the key"],
  cancelled: [undefined, "The client cancelled it"],
  timeout: ["danger", "The tool took longer than it may"],
  failed: ["danger", "Failed in a way that the log has, under a reference"],
  input_required: ["info", "It asks its client for something first"],
  client_unable: ["warn", "The tool needs what this client can't do"],
  invalid_request: ["warn", "The request made no sense"],
  not_repeated: ["warn", "Its idempotency key belongs to another call, or the answer is not kept"],
  limited: ["warn", "Over a limit of the key's"],
  forbidden: ["danger", "The key may not do this"],
  unauthorized: ["danger", "The key is refused: revoked, expired or of another secret"],
  unavailable: ["danger", "The key could not be checked"],
};

const ACTIONS: Record<string, Told> = {
  changed: ["ok", "Done"],
  unchanged: [undefined, "It was so already"],
  not_done: ["warn", "Another edit of the same change could not be made"],
  unknown_tool: ["warn", "There is no such tool"],
  builtin_tool: ["warn", "A tool in the code can't be changed so"],
  catalogue_full: ["danger", "The catalogue is full"],
  unknown_key: ["warn", "There is no such key"],
  version_mismatch: ["warn", "The catalogue was at another version"],
  too_many_keys: ["danger", "There are as many keys as there may be"],
  unknown_secret: ["warn", "There is no such secret"],
  too_many_secrets: ["danger", "There are as many secrets as there may be"],
  unknown_upstream: ["warn", "There is no such upstream"],
  too_many_upstreams: ["danger", "There are as many upstreams as there may be"],
};

/** All outcomes of calls, then those that only admin actions have. */
export const OUTCOMES: readonly string[] = [...new Set([...Object.keys(CALLS), ...Object.keys(ACTIONS)])];

export const meaningOf = (outcome: string): string => toldOf(outcome)[1];

export const OutcomeBadge = ({ outcome }: { outcome: string }): JSX.Element => {
  const [tone, meaning] = toldOf(outcome);
  return (
    <Badge tone={tone} title={meaning}>
      {outcome.replaceAll("_", " ")}
    </Badge>
  );
};

/** A newer server may have others. */
const toldOf = (outcome: string): Told =>
  (CALLS as Record<string, Told>)[outcome] ?? ACTIONS[outcome] ?? [undefined, ""];
