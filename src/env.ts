// The Worker's bindings, and the only place that names a Durable Object instance.

import type { AuditLogStub } from "./audit/audit-contract.ts";
import type { ClaimAnswer, ClaimRequest, RenewRequest, SettleRequest } from "./keys/claim-contract.ts";
import type { KeyChange } from "./keys/key-input.ts";
import type { KeyCreated, KeyOutcome, KeyRecord, KeyStatus, LeaseAnswer, LeaseRequest } from "./keys/key-record.ts";
import type { SessionNote, SlotAnswer, SlotRequest } from "./keys/key-record.ts";
import type { SigningSecrets } from "./lib/signing.ts";
import type { Region } from "./lib/region.ts";
import type { CatalogueReplicaStub, KeyAct, RegistryStub } from "./registry/registry-contract.ts";
import type { CallRelayStub } from "./sessions/call-relay-contract.ts";
import type { HubStub, McpEntrypointStub } from "./sessions/hub-contract.ts";

export interface Env {
  TOOL_REGISTRY: DurableObjectNamespace;
  API_KEY: DurableObjectNamespace;
  SESSION_HUB: DurableObjectNamespace;
  CALL_RELAY: DurableObjectNamespace;
  CATALOGUE_REPLICA: DurableObjectNamespace;
  AUDIT_LOG: DurableObjectNamespace;
  /** Loads the isolates of code tools; without it there are none. */
  LOADER?: WorkerLoader;
  /** The console's files; without it there is no console. */
  ASSETS?: Fetcher | undefined;
  /** Where rows of calls go as well, when there is such a binding. */
  AUDIT_ANALYTICS?: AnalyticsEngineDataset;
  AUDIT_QUEUE?: Queue;
  /** Where spans and metrics go (OTLP over HTTP, JSON), with which headers, and how many of the traces that begin here. */
  OTLP_ENDPOINT?: string;
  OTLP_HEADERS?: string;
  OTLP_SAMPLE?: string;
  AUDIT_ARGUMENTS?: string;
  AUDIT_DAYS?: string;
  AUDIT_FLUSH_MS?: string;
  /** Counts refused keys by address. Optional: without it there is no ceiling. */
  STRANGERS?: RateLimit;
  /** Which deployment this is, as Cloudflare numbers them. */
  CF_VERSION_METADATA?: WorkerVersionMetadata;
  /** `on` lets everybody see on `GET /` which tools there are. */
  PUBLIC_TOOL_LIST?: string;
  ALLOWED_ORIGINS?: string;
  ALLOWED_HOSTS?: string;
  EGRESS_ALLOW?: string;
  URL_KEYS?: string;
  SIGNING_SECRET?: string;
  SIGNING_SECRET_PREVIOUS?: string;
  SECRETS_KEY?: string;
  SECRETS_KEY_PREVIOUS?: string;
  /** SHA-256 of the admin key, hex: what a deployment has. */
  ADMIN_KEY_HASH?: string;
  /** The admin key in clear: on a developer's machine only. */
  ADMIN_KEY?: string;
}

/** Keeps work going after the answer (`ExecutionContext.waitUntil`). */
export type WaitUntil = (work: Promise<unknown>) => void;

/** What the edge may ask of a key's object. */
export interface ApiKeyStub {
  create(record: KeyRecord): Promise<void>;
  createListed(record: KeyRecord, who: string): Promise<KeyCreated>;
  read(): Promise<{ record: KeyRecord; status: KeyStatus; usedToday: number } | undefined>;
  /** These three see to it that the act is listed and recorded by the registry, once it can be reached. */
  revoke(act?: KeyAct): Promise<boolean>;
  change(change: KeyChange, act?: KeyAct): Promise<KeyOutcome>;
  rotate(rotation: { digest: string; overlapMs: number }, act?: KeyAct): Promise<KeyOutcome>;
  lease(request: LeaseRequest): Promise<LeaseAnswer>;
  hold(request: SlotRequest): Promise<SlotAnswer>;
  noteSession(note: Omit<SessionNote, "seq">): Promise<SessionNote | undefined>;
  claimCall(request: ClaimRequest): Promise<ClaimAnswer>;
  renewClaim(request: RenewRequest): Promise<void>;
  settleCall(request: SettleRequest): Promise<void>;
}

const REGISTRY_NAME = "registry";

export const registryStub = ({ TOOL_REGISTRY }: Env): RegistryStub =>
  TOOL_REGISTRY.get(TOOL_REGISTRY.idFromName(REGISTRY_NAME)) as unknown as RegistryStub;

/** The registry's id, which no other deployment's has. */
export const registryId = ({ TOOL_REGISTRY }: Env): string => TOOL_REGISTRY.idFromName(REGISTRY_NAME).toString();

/** A region's copy of the catalogue. */
export const catalogueReplicaStub = ({ CATALOGUE_REPLICA }: Env, region: Region): CatalogueReplicaStub =>
  CATALOGUE_REPLICA.get(CATALOGUE_REPLICA.idFromName(`replica:${region}`), {
    locationHint: region,
  }) as unknown as CatalogueReplicaStub;

/** The hint counts with the first call alone, which makes the object: whoever mints a key makes that call. */
export const apiKeyStub = ({ API_KEY }: Env, keyId: string, locationHint?: DurableObjectLocationHint): ApiKeyStub =>
  API_KEY.get(
    API_KEY.idFromName(`key:${keyId}`),
    locationHint === undefined ? {} : { locationHint },
  ) as unknown as ApiKeyStub;

/** A hub of a region, the first being number 0; its name is what the registry's roster lists. */
export const hubName = (region: Region, number = 0): string => `hub:${region}:${number}`;

/** `name` as `hubName` makes it. An object is placed by its first caller for good, hence the hint. */
export const hubStub = ({ SESSION_HUB }: Env, name: string): HubStub =>
  SESSION_HUB.get(SESSION_HUB.idFromName(name), {
    locationHint: name.split(":")[1] as Region,
  }) as unknown as HubStub;

/** The relay of one call of a legacy session: its name holds the key and the session, so that no other can reach it. */
export const callRelayStub = (
  { CALL_RELAY }: Env,
  { keyId, sessionId, requestId }: { keyId: string; sessionId: string; requestId: string | number },
): CallRelayStub =>
  CALL_RELAY.get(
    CALL_RELAY.idFromName(`call:${keyId}:${sessionId}:${JSON.stringify(requestId)}`),
  ) as unknown as CallRelayStub;

/** One of the audit logs, the first being number 0. */
export const auditLogStub = ({ AUDIT_LOG }: Env, shard: number): AuditLogStub =>
  AUDIT_LOG.get(AUDIT_LOG.idFromName(`audit:${shard}`)) as unknown as AuditLogStub;

/** The Worker's own stateless entrypoint, as an object sees it. */
export const mcpEntrypoint = (ctx: DurableObjectState): McpEntrypointStub =>
  (ctx as unknown as { exports: { McpEntrypoint: McpEntrypointStub } }).exports.McpEntrypoint;

/** Throws when the Worker was deployed without its signing secret: nothing can be trusted then. */
export function signingSecrets({ SIGNING_SECRET, SIGNING_SECRET_PREVIOUS }: Env): SigningSecrets {
  if (!SIGNING_SECRET) throw new Error("SIGNING_SECRET is not set: run `wrangler secret put SIGNING_SECRET`");
  return { current: SIGNING_SECRET, ...(SIGNING_SECRET_PREVIOUS && { previous: SIGNING_SECRET_PREVIOUS }) };
}
