// Every bound of the server in one record. A name ends in its unit; each is enforced before the work that it protects.

import { AUDIT_LIMITS } from "./audit-limits.ts";
import { TOOL_LIMITS } from "./tool-limits.ts";

export const LIMITS = {
  ...TOOL_LIMITS,
  ...AUDIT_LIMITS,

  /** A request body, or a WebSocket frame. */
  bodyBytes: 1_048_576,
  /** Levels of objects and lists inside each other in a body. */
  jsonDepth: 64,
  /** Members of all objects and items of all lists in a body. */
  jsonMembers: 10_000,
  /** `Accept` headers that an isolate remembers, and how long one of them may be. */
  accepts: 64,
  /** A longer `Accept` header is read each time. */
  acceptChars: 256,
  /** JSON-RPC ids and method names. */
  idChars: 256,
  /** Items of a JSON-RPC batch (2025-03-26 only). */
  batchItems: 20,
  /** The answers of a batch together. */
  batchChars: 8 * 1_048_576,
  /** Members of a body of the admin API: lists of records and definitions have many. */
  adminMembers: 100_000,
  /** A cursor that a client sends back. */
  cursorChars: 512,
  /** A legacy session's id, which is sealed and holds all that is known of it. */
  sessionIdChars: 1_536,
  /** Legacy sessions whose MAC an isolate remembers to be good. */
  knownSessions: 5_000,
  /** How long a legacy session lasts from `initialize` on. */
  sessionLifeMs: 24 * 3_600_000,
  /** What is kept of the name and of the version that a client gives itself. */
  clientNameChars: 64,
  /** How long a client may hold a list, or what `server/discover` said, without asking again; each is told a time
   * of its own, up to this share more or less. */
  listTtlMs: 60_000,
  /** The same for what `server/discover` said. */
  discoverTtlMs: 300_000,
  /** How much more or less of it each client is told. */
  ttlJitterShare: 0.2,
  /** An id and a cursor at the end of a page: the longest ones that there can be, escaped. */
  listTailBytes: 4_096,
  /** Tools on a page of `tools/list`. */
  listPageItems: 1_000,
  /** A tool's name. */
  toolNameChars: 64,

  /** How long a call may take where its tool says nothing. */
  toolTimeoutMs: 30_000,
  /** What a tool may say at most. */
  toolTimeoutMaxMs: 300_000,
  /** A tool's result, serialized. */
  resultBytes: 4 * 1_048_576,
  /** Content items of a result. */
  resultItems: 100,
  /** Progress and log messages of one call; more are dropped. */
  callNotifications: 1_000,
  /** One of them, serialized. */
  notificationChars: 262_144,
  /** All of them: even with every character escaped they are less than a client may leave unread on a stream. */
  callNewsChars: 1_048_576,
  /** How long a call may go without a word before its answer becomes a stream. */
  streamAfterMs: 2_000,
  /** How often a stream on which nothing happens gets a comment. */
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
  /** The sealed answers that a stateless client carries from one round of a call to the next. */
  requestStateChars: 65_536,
  /** How long a call's relay outlives its last message. */
  relayLifeMs: 600_000,
  /** What a tool's error says. */
  errorChars: 2_000,
  /** What the admin API says of an error. */
  problemChars: 8_192,
  /** Issues that a validation message names. */
  validationIssues: 5,
  /** What one of them says of the value and the schema: alternatives, each cut, names likewise. */
  issueValues: 20,
  /** Of a value that it quotes. */
  issueValueChars: 60,
  /** Of a name that it quotes. */
  issueNameChars: 64,
  /** How far a short description of a schema follows its references. */
  issueSchemaDepth: 2,
  /** Work of checking one value against a JSON Schema: a subschema applied to a value is a step, as is a piece of text. */
  validationSteps: 200_000,
  /** The same for results, which may be as much larger as `resultBytes` is than `bodyBytes`. */
  resultValidationSteps: 800_000,
  /** Subschemas being applied inside each other. */
  validationDepth: 512,

  /** A key: a longer one is refused without a look. */
  keyChars: 128,
  /** A key's name. */
  keyNameChars: 100,
  /** A title of a tool or an annotation. */
  titleChars: 200,
  /** Globs in a key's `allow`, and in its `deny`. */
  keyGlobs: 100,
  /** One of them. */
  keyGlobChars: 128,
  /** Keys of a deployment. */
  keys: 100_000,
  /** How long a rotated secret may go on working, and how long it does when nothing is said. */
  keyOverlapSeconds: 30 * 86_400,
  /** How long it does when nothing is said. */
  keyOverlapDefaultSeconds: 3_600,
  /** Secrets of a key besides the present one that work at a time. */
  keyPriorSecrets: 4,
  /** The least time between two tries to have sockets closed, or a key listed as it is. */
  closureRetryMs: 5_000,
  /** How long a change of a key waits for the registry to list it: what takes longer is tried again. */
  keyNewsTimeoutMs: 2_000,
  /** Acts on one key that wait for that; until then nothing more is done with it, but that it ends. */
  owedActs: 100,
  /** Keys on a page of `GET /admin/v1/keys`. */
  keyPageItems: 100,
  /** What a key's limit a minute may be. */
  perMinuteMax: 1_000_000,
  /** Requests other than `tools/call`, a key and minute: lists, handshakes and pings have a bucket of their own. */
  controlPerMinute: 600,
  /** Of them at once. */
  controlBurst: 120,
  /** Changes by the admin API, a key and minute. */
  writesPerMinute: 600,
  /** Of them at once. */
  writesBurst: 300,
  /** Buckets of a key besides its own, each for some of its tools. */
  keyToolLimits: 20,
  /** What a key's limit a day may be. */
  perDayMax: 1_000_000_000,
  /** What a key's limit of calls at the same time may be. */
  concurrentMax: 10_000,
  /** What a call may cost at most, in calls. */
  toolCostMax: 1_000,
  /** How long prepaid calls and a key's status are good for. */
  leaseLifeMs: 2_000,
  /** The least time between two refusals asked of a key's object. */
  denialFloorMs: 500,
  /** Calls that one lease prepays at most. */
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
  /** How often its isolate says that it runs. */
  slotRenewMs: 10_000,
  /** What a client is told to wait for when its key runs as many calls as it may. */
  concurrentRetryMs: 1_000,
  /**
   * What an isolate serves of a key that it knows while the key's object can't be asked: so many requests a minute, and
   * for how long after it was asked last.
   */
  tricklePerMinute: 6,
  /** For how long after the object was asked last. */
  trickleLifeMs: 120_000,
  /** How often a request that found no token waits for another lease. */
  leaseRounds: 20,
  /** Keys whose leases one isolate holds; those used longest ago go first. */
  leasedKeys: 5_000,
  /** An answer that takes longer says nothing about now. */
  leaseTimeoutMs: 2_000,
  /** How long an address that sent too many bad keys is not looked at, and how many such addresses an isolate remembers. */
  strangerRestMs: 10_000,
  /** How many such addresses an isolate remembers. */
  strangers: 10_000,
  /** Sessions of one key that ended early or set a log level, until they would have ended by themselves. */
  sessionNotes: 5_000,

  /** The name that a client gives to a call which is to run once. */
  idempotencyKeyChars: 128,
  /** How long it is known what came of such a call, for how many of an API key's calls, and how many may run at once. */
  claimLifeMs: 24 * 3_600_000,
  /** Of how many of a key's calls that is known. */
  claimedCalls: 100_000,
  /** How many of them may run at once. */
  openClaims: 1_000,
  /** The result of one that is kept to be given again, as JSON, and those of an API key together. */
  keptResultBytes: 1_048_576,
  /** The kept results of an API key together. */
  keptResultsBytes: 64 * 1_048_576,
  /** How long after a tool's deadline its call may still be settled before it counts as lost. */
  claimMarginMs: 10_000,
  /** How long one request about a claim may take. */
  claimTimeoutMs: 2_000,
  /** What a client is told to wait that repeats a call which is still running. */
  repeatRetryMs: 1_000,
  /** The longest such wait, when the call goes on. */
  repeatRetryMaxMs: 30_000,
  /** The time between two rounds of taking away what is past its age, and how many rows one takes. */
  claimPruneMs: 3_600_000,
  /** How many rows one round takes away. */
  claimPruneRows: 10_000,

  /** How long an object may take to answer whoever asks it for a request, unless something shorter is said. */
  objectTimeoutMs: 10_000,
  /** How often a call of an object is made that is lost on its way, and the pause before the next time, longer each time. */
  lostCallAttempts: 3,
  /** The first pause before it is made again. */
  lostCallRetryMs: 100,

  /** Up to this age an isolate uses its snapshot of the catalogue without asking. */
  snapshotFreshMs: 5_000,
  /** Past this age a snapshot is revalidated before it is used: the bound on its staleness. */
  snapshotStaleMs: 30_000,
  /** Past this age it is not used even when the registry can't be reached. */
  snapshotUsableMs: 600_000,
  /** How long the registry may take to answer with one. */
  snapshotTimeoutMs: 5_000,
  /** For how long an isolate answers lists with what it asked for, without asking again. Less than `publishDelayMs`. */
  listLeaseMs: 100,
  /** The least time between two revalidations forced by one unknown tool name; how long a secret counts as not set. */
  unknownToolFloorMs: 1_000,
  /** The least time between two that any unknown names force. */
  unknownToolsFloorMs: 20,
  /** Unknown names that an isolate remembers. */
  unknownTools: 1_000,
  /** Serialized pages of `tools/list` that one isolate keeps. */
  listBodies: 200,
  /** All of them together. */
  listBodiesBytes: 16 * 1_048_576,
  /** A search for tools: its query, the words of it that count, and what it answers. */
  searchQueryChars: 1_000,
  /** Words of a query that count. */
  searchWords: 16,
  /** Tools that a search answers with at most. */
  searchResults: 20,
  /** Tools that it answers with when nothing is said. */
  searchDefaultResults: 5,
  /** What it says of a tool's description. */
  searchDescriptionChars: 300,
  /** A schema in an answer; of a longer one only what it says of its own properties. */
  searchSchemaChars: 6_000,
  /** Of each description of a property, in a schema that was too long. */
  searchTextChars: 160,
  /** What is indexed of one tool: characters of a text, properties, different words. */
  searchIndexedChars: 4_096,
  /** Properties of its input that are indexed. */
  searchIndexedProperties: 100,
  /** Different words of it that are indexed. */
  searchIndexedWords: 300,

  /** What `GET /` names to everybody where an operator lets it: tools, and characters of a description. */
  publicTools: 100,
  /** Of a description there. */
  publicDescriptionChars: 160,
  /** The least time between two questions to the registry that visitors of `GET /` can bring about. */
  publicToolsFloorMs: 60_000,
  /** How long one object may take to say how it is, and for how long that is told to who asks next. */
  healthTimeoutMs: 2_000,
  /** For how long what it said is told to who asks next. */
  healthFreshMs: 5_000,
  /** Hubs that are asked how they are. */
  healthHubs: 100,

  /** Spans that make a batch full, that one isolate holds, and batches on their way at a time. */
  otlpBatchSpans: 200,
  /** Spans that one isolate holds until they are sent; more are counted and dropped. */
  otlpBufferSpans: 1_000,
  /** Batches on their way at a time. */
  otlpSending: 2,
  /** Combinations of a measurement's attributes in one batch. */
  otlpSeries: 1_000,
  /** How long a collector may take to answer. */
  otlpTimeoutMs: 5_000,
  /** The pause before a batch is sent again. */
  otlpRetryMs: 1_000,
  /** What is read of a collector's answer. */
  otlpAnswerBytes: 16_384,

  /** How long a region's replica may answer with what the registry told it, without asking again. */
  replicaLeaseMs: 3_000,
  /** How long a replica may take to answer, before the registry is asked instead. */
  replicaTimeoutMs: 1_000,
  /** How long a region counts as served after it asked for the catalogue. */
  regionSeenMs: 86_400_000,

  /** Sockets of one hub; then the next one is opened. */
  hubSockets: 8_000,
  /** Hubs of a region. */
  regionHubs: 1_000,
  /** How long a hub that was full is not asked again. */
  fullHubMs: 60_000,
  /** Requests of one socket that run at a time. */
  socketRequests: 32,
  /** Requests beyond that, and how long one may be to be parsed for its id: longer ones are looked through. */
  socketRefusals: 256,
  /** How long a refused frame may be to be parsed for its id. */
  refusedFrameChars: 16_384,
  /** Frames of one socket: a client that sends more is answered with refusals, then cut off. */
  socketFramesPerMinute: 30_000,
  /** Of them at once. */
  socketFramesBurst: 1_000,
  /** Refusals for frames beyond that, before the socket is closed. */
  socketRefusalsPerMinute: 60,
  /** How long a socket or stream lives without a word of its client, each up to this share more or less. */
  socketIdleMs: 12 * 3_600_000,
  /** How much more or less of it each may. */
  socketIdleJitterShare: 0.25,
  /** How often WebSocket sessions are asked for a sign of life, and how long they may take to give it. */
  socketPingMs: 600_000,
  /** How long they may take to give it. */
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
  /** Tools that a version may name as changed. */
  changedToolsTold: 20,
  /** How long after a change it is published: others may join it. */
  publishDelayMs: 200,
  /** The least time between two publications. */
  publishSpacingMs: 250,
  /** Clients that may all be told at once; beyond that so many a second, within a bound. */
  promptAudience: 10_000,
  /** How many more are told each second. */
  toldPerSecond: 2_000,
  /** Within this time all have been told. */
  spreadMaxMs: 30_000,
  /** The steps in which they are. */
  spreadTickMs: 1_000,
  /** Closures in one publication; the rest follow at once. */
  publishClosures: 500,
  /** Closures that wait for hubs which can't be reached; the oldest go. A frame of who was shut out is refused anyhow. */
  closures: 10_000,
  /** How long nothing is opened under a tag that was closed: as long as a lease lives and an opening may take. */
  closureKeptMs: 5_000,
  /** How long an opening may take. */
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
  /** How often a call tries to keep a message there. */
  relayTries: 3,
  /** How soon it tries again. */
  relayRetryMs: 1_000,
  /** The least time between two changes of a relay's alarm. */
  relayAlarmMs: 60_000,
  /** How late a publication may be before it counts as lost. */
  publishOverdueMs: 5_000,
  /** How long a hub or a replica may take to hear of a version. */
  publishTimeoutMs: 10_000,
  /** The first pause before one that did not is told again. */
  publishRetryMs: 1_000,
  /** The longest such pause. */
  publishRetryMaxMs: 60_000,
  /** How long an edge stream waits before it joins a hub again that was dropped. */
  rejoinMs: 500,
  /** The longest such wait, after many tries. */
  rejoinMaxMs: 30_000,
} as const;
