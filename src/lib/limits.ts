// Every bound of the server in one record. A name ends in its unit; each is enforced before the work that it protects.

import { AUDIT_LIMITS } from "./audit-limits.ts";
import { TOOL_LIMITS } from "./tool-limits.ts";

export const LIMITS = {
  ...TOOL_LIMITS,
  ...AUDIT_LIMITS,

  /** A request body, or a WebSocket frame. */
  bodyBytes: 1_048_576,
  jsonDepth: 64,
  jsonMembers: 10_000,
  /** `Accept` headers that an isolate remembers, and how long one of them may be. */
  accepts: 64,
  acceptChars: 256,
  /** JSON-RPC ids and method names. */
  idChars: 256,
  /** Items of a JSON-RPC batch (2025-03-26 only). */
  batchItems: 20,
  /** The answers of a batch together. */
  batchChars: 8 * 1_048_576,
  /** Members of a body of the admin API: lists of records and definitions have many. */
  adminMembers: 100_000,
  cursorChars: 512,
  sessionIdChars: 1_536,
  /** Legacy sessions whose MAC an isolate remembers to be good. */
  knownSessions: 5_000,
  sessionLifeMs: 24 * 3_600_000,
  clientNameChars: 64,
  /** How long a client may hold a list, or what `server/discover` said, without asking again; each is told a time
   * of its own, up to this share more or less. */
  listTtlMs: 60_000,
  discoverTtlMs: 300_000,
  ttlJitterShare: 0.2,
  /** An id and a cursor at the end of a page: the longest ones that there can be, escaped. */
  listTailBytes: 4_096,
  /** Tools on a page of `tools/list`. */
  listPageItems: 1_000,
  toolNameChars: 64,

  toolTimeoutMs: 30_000,
  toolTimeoutMaxMs: 300_000,
  /** A tool's result, serialized. */
  resultBytes: 4 * 1_048_576,
  resultItems: 100,
  /** Progress and log messages of one call; more are dropped. */
  callNotifications: 1_000,
  /** One of them, serialized. */
  notificationChars: 262_144,
  /** All of them: even with every character escaped they are less than a client may leave unread on a stream. */
  callNewsChars: 1_048_576,
  /** How long a call may go without a word before its answer becomes a stream. */
  streamAfterMs: 2_000,
  keepAliveMs: 25_000,
  /** A write to a client that left goes through once; the next one, this much later, tells. */
  keepAliveProbeMs: 500,
  /** While a call runs: a client that left is noticed only by writing to it. */
  callKeepAliveMs: 5_000,
  /** A message in storage: rows of SQLite-backed objects hold 2 MB. */
  relayPartChars: 500_000,
  /** What a client may leave unread on a stream and be sent more: one message goes beyond it, so that an answer always can. */
  streamBytes: 12 * 1_048_576,
  /** What a client is told to wait before it comes back for the rest of a call. */
  retryMs: 1_000,
  /** Questions that one round of a call may ask of its client. */
  inputRequests: 20,
  /** The questions of one round, serialized. */
  inputRequestsChars: 1_048_576,
  /** How long a client may take to answer what a call asked. */
  inputTimeoutMs: 300_000,
  requestStateChars: 65_536,
  /** How long a call's relay outlives its last message. */
  relayLifeMs: 600_000,
  errorChars: 2_000,
  /** What the admin API says of an error. */
  problemChars: 8_192,
  /** Issues that a validation message names. */
  validationIssues: 5,
  /** What one of them says of the value and the schema: alternatives, each cut, names likewise. */
  issueValues: 20,
  issueValueChars: 60,
  issueNameChars: 64,
  /** How far a short description of a schema follows its references. */
  issueSchemaDepth: 2,
  /** Work of checking one value against a JSON Schema: a subschema applied to a value is a step, as is a piece of text. */
  validationSteps: 200_000,
  /** The same for results, which may be as much larger as `resultBytes` is than `bodyBytes`. */
  resultValidationSteps: 800_000,
  /** Subschemas being applied inside each other. */
  validationDepth: 512,

  keyChars: 128,
  keyNameChars: 100,
  titleChars: 200,
  keyGlobs: 100,
  keyGlobChars: 128,
  keys: 100_000,
  /** How long a rotated secret may go on working, and how long it does when nothing is said. */
  keyOverlapSeconds: 30 * 86_400,
  keyOverlapDefaultSeconds: 3_600,
  /** Secrets of a key besides the present one that work at a time. */
  keyPriorSecrets: 4,
  /** The least time between two tries to have sockets closed, or a key listed as it is. */
  closureRetryMs: 5_000,
  /** How long a change of a key waits for the registry to list it: what takes longer is tried again. */
  keyNewsTimeoutMs: 2_000,
  /** Acts on one key that wait for that; until then nothing more is done with it, but that it ends. */
  owedActs: 100,
  keyPageItems: 100,
  perMinuteMax: 1_000_000,
  /** Requests other than `tools/call`, a key and minute: lists, handshakes and pings have a bucket of their own. */
  controlPerMinute: 600,
  controlBurst: 120,
  /** Changes by the admin API, a key and minute. */
  writesPerMinute: 600,
  writesBurst: 300,
  /** Buckets of a key besides its own, each for some of its tools. */
  keyToolLimits: 20,
  perDayMax: 1_000_000_000,
  concurrentMax: 10_000,
  /** What a call may cost at most, in calls. */
  toolCostMax: 1_000,
  /** How long prepaid calls and a key's status are good for. */
  leaseLifeMs: 2_000,
  /** The least time between two refusals asked of a key's object. */
  denialFloorMs: 500,
  leaseTokens: 2_000,
  /** Of what is left of a day's quota, one in so many tokens may be prepaid by one lease. */
  quotaAheadShare: 20,
  /** Grants out of a day's quota whose rest may still come back. */
  openGrants: 10_000,
  /** Pools of one key in one isolate: one for each set of buckets that its tools are paid from, and each cost. */
  keyPools: 64,
  /** Tools of which an isolate remembers, for one key, what pays for them. */
  keyRoutes: 500,
  /** How long a running call keeps its slot without being heard of, and how often its isolate says that it runs. */
  slotLifeMs: 30_000,
  slotRenewMs: 10_000,
  /** What a client is told to wait for when its key runs as many calls as it may. */
  concurrentRetryMs: 1_000,
  /**
   * What an isolate serves of a key that it knows while the key's object can't be asked: so many requests a minute, and
   * for how long after it was asked last.
   */
  tricklePerMinute: 6,
  trickleLifeMs: 120_000,
  /** How often a request that found no token waits for another lease. */
  leaseRounds: 20,
  /** Keys whose leases one isolate holds; those used longest ago go first. */
  leasedKeys: 5_000,
  /** An answer that takes longer says nothing about now. */
  leaseTimeoutMs: 2_000,
  /** How long an address that sent too many bad keys is not looked at, and how many such addresses an isolate remembers. */
  strangerRestMs: 10_000,
  strangers: 10_000,
  /** Sessions of one key that ended early or set a log level, until they would have ended by themselves. */
  sessionNotes: 5_000,

  /** The name that a client gives to a call which is to run once. */
  idempotencyKeyChars: 128,
  /** How long it is known what came of such a call, for how many of an API key's calls, and how many may run at once. */
  claimLifeMs: 24 * 3_600_000,
  claimedCalls: 100_000,
  openClaims: 1_000,
  /** The result of one that is kept to be given again, as JSON, and those of an API key together. */
  keptResultBytes: 1_048_576,
  keptResultsBytes: 64 * 1_048_576,
  /** How long after a tool's deadline its call may still be settled before it counts as lost. */
  claimMarginMs: 10_000,
  /** How long one request about a claim may take. */
  claimTimeoutMs: 2_000,
  /** What a client is told to wait that repeats a call which is still running. */
  repeatRetryMs: 1_000,
  repeatRetryMaxMs: 30_000,
  /** The time between two rounds of taking away what is past its age, and how many rows one takes. */
  claimPruneMs: 3_600_000,
  claimPruneRows: 10_000,

  /** How long an object may take to answer whoever asks it for a request, unless something shorter is said. */
  objectTimeoutMs: 10_000,
  /** How often a call of an object is made that is lost on its way, and the pause before the next time, longer each time. */
  lostCallAttempts: 3,
  lostCallRetryMs: 100,

  snapshotFreshMs: 5_000,
  /** Past this age a snapshot is revalidated before it is used: the bound on its staleness. */
  snapshotStaleMs: 30_000,
  /** Past this age it is not used even when the registry can't be reached. */
  snapshotUsableMs: 600_000,
  snapshotTimeoutMs: 5_000,
  /** For how long an isolate answers lists with what it asked for, without asking again. Less than `publishDelayMs`. */
  listLeaseMs: 100,
  /** The least time between two revalidations forced by one unknown tool name, and by any. */
  unknownToolFloorMs: 1_000,
  unknownToolsFloorMs: 20,
  unknownTools: 1_000,
  /** Serialized pages of `tools/list` that one isolate keeps. */
  listBodies: 200,
  listBodiesBytes: 16 * 1_048_576,
  /** A search for tools: its query, the words of it that count, and what it answers. */
  searchQueryChars: 1_000,
  searchWords: 16,
  searchResults: 20,
  searchDefaultResults: 5,
  searchDescriptionChars: 300,
  /** A schema in an answer; of a longer one only what it says of its own properties. */
  searchSchemaChars: 6_000,
  searchTextChars: 160,
  /** What is indexed of one tool: characters of a text, properties, different words. */
  searchIndexedChars: 4_096,
  searchIndexedProperties: 100,
  searchIndexedWords: 300,

  /** What `GET /` names to everybody where an operator lets it: tools, and characters of a description. */
  publicTools: 100,
  publicDescriptionChars: 160,
  /** The least time between two questions to the registry that visitors of `GET /` can bring about. */
  publicToolsFloorMs: 60_000,
  /** How long one object may take to say how it is, and for how long that is told to who asks next. */
  healthTimeoutMs: 2_000,
  healthFreshMs: 5_000,
  healthHubs: 100,

  /** Spans that make a batch full, that one isolate holds, and batches on their way at a time. */
  otlpBatchSpans: 200,
  otlpBufferSpans: 1_000,
  otlpSending: 2,
  /** Combinations of a measurement's attributes in one batch. */
  otlpSeries: 1_000,
  otlpTimeoutMs: 5_000,
  otlpRetryMs: 1_000,
  /** What is read of a collector's answer. */
  otlpAnswerBytes: 16_384,

  /** How long a region's replica may answer with what the registry told it, without asking again. */
  replicaLeaseMs: 3_000,
  replicaTimeoutMs: 1_000,
  /** How long a region counts as served after it asked for the catalogue. */
  regionSeenMs: 86_400_000,

  hubSockets: 8_000,
  regionHubs: 1_000,
  /** How long a hub that was full is not asked again. */
  fullHubMs: 60_000,
  socketRequests: 32,
  /** Requests beyond that, and how long one may be to be parsed for its id: longer ones are looked through. */
  socketRefusals: 256,
  refusedFrameChars: 16_384,
  /** Frames of one socket: a client that sends more is answered with refusals, then cut off. */
  socketFramesPerMinute: 30_000,
  socketFramesBurst: 1_000,
  socketRefusalsPerMinute: 60,
  /** How long a socket or stream lives without a word of its client, each up to this share more or less. */
  socketIdleMs: 12 * 3_600_000,
  socketIdleJitterShare: 0.25,
  /** How often WebSocket sessions are asked for a sign of life, and how long they may take to give it. */
  socketPingMs: 600_000,
  socketPongMs: 10_000,
  /** Live sockets and streams in one answer of the admin API. */
  sessionsListed: 1_000,
  /** Sockets and streams of one key at one hub. */
  keySockets: 16,
  /** A key's rules that a hub keeps with a socket, to tell it of what concerns it alone: attachments hold 16 KiB in all. */
  socketRulesChars: 2_048,
  /** Subscriptions of stateless clients on one socket. */
  socketSubscriptions: 16,
  /** Versions of which hubs know what changed, and the tools that one may name: of a larger one it may be any. */
  changesTold: 50,
  changedToolsTold: 20,
  publishDelayMs: 200,
  /** The least time between two publications. */
  publishSpacingMs: 250,
  /** Clients that may all be told at once; beyond that so many a second, within a bound. */
  promptAudience: 10_000,
  toldPerSecond: 2_000,
  spreadMaxMs: 30_000,
  spreadTickMs: 1_000,
  /** Closures in one publication; the rest follow at once. */
  publishClosures: 500,
  /** Closures that wait for hubs which can't be reached; the oldest go. A frame of who was shut out is refused anyhow. */
  closures: 10_000,
  /** How long nothing is opened under a tag that was closed: as long as a lease lives and an opening may take. */
  closureKeptMs: 5_000,
  openingMs: 3_000,
  /** Clients that follow one call's stream at a time. */
  relayReaders: 4,
  /** Answers that wait for a call to take them: to as many questions as one round has. */
  relayAnswers: 20,
  /** How long a cancellation is kept for a call that has not opened its relay yet: longer than that takes. */
  earlyCancelMs: 8_000,
  /** Messages of a relay in one answer: as many as this many characters hold, but at least one. */
  relayPageChars: 1_000_000,
  /**
   * How often a call that runs tries to hear of its client again when its relay can't be reached, how often to keep its
   * messages there, and how soon.
   */
  relayFailures: 100,
  relayTries: 3,
  relayRetryMs: 1_000,
  /** The least time between two changes of a relay's alarm. */
  relayAlarmMs: 60_000,
  /** How late a publication may be before it counts as lost. */
  publishOverdueMs: 5_000,
  publishTimeoutMs: 10_000,
  publishRetryMs: 1_000,
  publishRetryMaxMs: 60_000,
  /** How long an edge stream waits before it joins a hub again that was dropped. */
  rejoinMs: 500,
  rejoinMaxMs: 30_000,
} as const;
