// The classes of Durable Objects as the runtime gets them: each is loaded when the first of its objects wakes in an isolate.
// The types see to it that every method of a class is named here.

import { lateObject } from "./lib/late-object.ts";
import type { Tool } from "./tools/define-tool.ts";

export class ApiKey extends lateObject(async () => (await import("./keys/api-key-object.ts")).ApiKey, {
  create: true,
  createListed: true,
  read: true,
  revoke: true,
  change: true,
  rotate: true,
  alarm: true,
  lease: true,
  hold: true,
  noteSession: true,
  claimCall: true,
  renewClaim: true,
  settleCall: true,
}) {}

export class AuditLog extends lateObject(async () => (await import("./audit/audit-log-object.ts")).AuditLog, {
  write: true,
  read: true,
  readTallies: true,
  readSpans: true,
  readState: true,
  alarm: true,
}) {}

export class CallRelay extends lateObject(async () => (await import("./sessions/call-relay-object.ts")).CallRelay, {
  open: true,
  append: true,
  read: true,
  nextEvent: true,
  deliver: true,
  alarm: true,
}) {}

const loadReplica = async () => (await import("./registry/catalogue-replica-object.ts")).CatalogueReplica;

export class CatalogueReplica extends lateObject(loadReplica, {
  readSnapshot: true,
  refresh: true,
}) {}

export class SessionHub extends lateObject(async () => (await import("./sessions/session-hub-object.ts")).SessionHub, {
  fetch: true,
  publish: true,
  readStatus: true,
  alarm: true,
  receive: true,
  webSocketMessage: true,
  webSocketClose: true,
  webSocketError: true,
}) {}

/** The registry's class for a Worker with these tools in its code. */
export const lateToolRegistry = (tools: readonly Tool[]) =>
  lateObject(async () => (await import("./registry/tool-registry-object.ts")).createToolRegistry(tools), {
    readSnapshot: true,
    editTools: true,
    readToolHistory: true,
    readModule: true,
    addKey: true,
    readKeys: true,
    changeKey: true,
    noteKey: true,
    markKeyRevoked: true,
    readAdminLog: true,
    writeSecret: true,
    resealSecret: true,
    deleteSecret: true,
    readSecrets: true,
    readState: true,
    readHubs: true,
    joinRoster: true,
    closeSockets: true,
    readUpstreams: true,
    writeUpstream: true,
    applyUpstream: true,
    hastenUpstream: true,
    deleteUpstream: true,
    alarm: true,
  });
