// What operators do, and who they are, as the chain of admin actions records it: known wherever one is told, while the chain
// is the registry's alone.

import { LIMITS } from "../lib/limits.ts";

export const ADMIN_ACTIONS = [
  "tool.put",
  "tool.change",
  "tool.delete",
  "tool.import",
  "key.create",
  "key.change",
  "key.rotate",
  "key.revoke",
  "secret.set",
  "secret.reseal",
  "secret.delete",
  "upstream.put",
  "upstream.refresh",
  "upstream.delete",
  "deploy",
] as const;
export type AdminAction = (typeof ADMIN_ACTIONS)[number];

export const ADMIN_OUTCOMES = [
  "changed",
  "unchanged",
  "unknown_tool",
  "builtin_tool",
  "catalogue_full",
  "not_done",
  "unknown_key",
  "version_mismatch",
  "too_many_keys",
  "unknown_secret",
  "too_many_secrets",
  "unknown_upstream",
  "too_many_upstreams",
] as const;
export type AdminOutcome = (typeof ADMIN_OUTCOMES)[number];

/** Who acts with the deployment's own admin key, and who changes things by being deployed; anybody else is a key's id. */
export const ADMIN_KEY_HOLDER = "admin";
export const DEPLOYER = "deploy";
/** Who changes the tools of an upstream when nobody asked for it. */
export const REFRESHER = "refresh";

/** One action. `target` is a tool's name or a key's id; `detail` what was asked for, never a secret. */
export interface AdminAct {
  who: string;
  action: AdminAction;
  target: string;
  outcome: AdminOutcome;
  /** The catalogue's, after the action. */
  version: number;
  detail?: object;
}

/** A detail as it is kept: of one that is too long, how long it is. */
export const shorten = (detail: object): object => {
  const { length } = JSON.stringify(detail);
  return length > LIMITS.adminDetailChars ? { omittedChars: length } : detail;
};
