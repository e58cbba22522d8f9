// Every bound of the server in one record. A name ends in its unit; each is enforced before the work that it protects.

export const LIMITS = {
  /** A request body, or a WebSocket frame. */
  bodyBytes: 1_048_576,
  jsonDepth: 64,
  jsonMembers: 10_000,
  /** JSON-RPC ids and method names. */
  idChars: 256,
  /** Items of a JSON-RPC batch (2025-03-26 only). */
  batchItems: 20,
  /** The answers of a batch together. */
  batchChars: 8 * 1_048_576,
  cursorChars: 512,
  sessionIdChars: 1_536,
  sessionLifeMs: 24 * 3_600_000,
  clientNameChars: 64,
  /** How long a client may hold a list, or what `server/discover` said, without asking again; each is told a time
   * of its own, up to this share more or less. */
  listTtlMs: 60_000,
  discoverTtlMs: 300_000,
  ttlJitterShare: 0.2,
  /** Tools on a page of `tools/list`. */
  listPageItems: 500,
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
  /** How long a call may go without a word before its answer becomes a stream. */
  streamAfterMs: 2_000,
  keepAliveMs: 25_000,
  /** A write to a client that left goes through once; the next one, this much later, tells. */
  keepAliveProbeMs: 500,
  /** While a call runs: a client that left is noticed only by writing to it. */
  callKeepAliveMs: 5_000,
  /** A message in storage: rows of SQLite-backed objects hold 2 MB. */
  relayPartChars: 500_000,
  /** What a client that does not read may leave unread on a stream: more than the largest result and its news. */
  streamBytes: 12 * 1_048_576,
  /** What a client is told to wait before it comes back for the rest of a call. */
  retryMs: 1_000,
  /** Questions that one round of a call may ask of its client. */
  inputRequests: 20,
  /** How long a client may take to answer what a call asked. */
  inputTimeoutMs: 300_000,
  requestStateChars: 65_536,
  /** How long a call's relay outlives its last message. */
  relayLifeMs: 600_000,
  errorChars: 2_000,
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
  /** The least time between two tries to have sockets closed. */
  closureRetryMs: 5_000,
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

  snapshotFreshMs: 5_000,
  /** Past this age a snapshot is revalidated before it is used: the bound on its staleness. */
  snapshotStaleMs: 30_000,
  /** Past this age it is not used even when the registry can't be reached. */
  snapshotUsableMs: 600_000,
  snapshotTimeoutMs: 5_000,
  /** The least time between two revalidations forced by one unknown tool name, and by any. */
  unknownToolFloorMs: 1_000,
  unknownToolsFloorMs: 20,
  unknownTools: 1_000,
  listBodies: 200,

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
  /** Requests beyond that, and how long one may be to be told of by its id. */
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
  /** Subscriptions of stateless clients on one socket; the oldest goes. */
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
  /** How long nothing is opened under a tag that was closed: longer than any lease lives. */
  closureKeptMs: 5_000,
  /** Clients that follow one call's stream at a time. */
  relayReaders: 4,
  /** Answers that wait for a call to take them. */
  relayAnswers: 100,
  /** How long a cancellation is kept for a call that has not opened its relay yet: longer than that takes. */
  earlyCancelMs: 8_000,
  /** Messages of a relay in one answer: as many as this many characters hold, but at least one. */
  relayPageChars: 1_000_000,
  /** The least time between two changes of a relay's alarm. */
  relayAlarmMs: 60_000,
  publishTimeoutMs: 10_000,
  publishRetryMs: 1_000,
  publishRetryMaxMs: 60_000,
  /** How long an edge stream waits before it joins a hub again that was dropped. */
  rejoinMs: 500,
  rejoinMaxMs: 30_000,

  /** A tool's record: its texts, its schemas (serialized), its templates, its module. */
  /** Tools that came as data, and their records together. */
  toolRecords: 5_000,
  catalogueChars: 16 * 1_048_576,
  /** Versions that are kept of a tool, and marks of tools that were deleted. */
  toolVersions: 20,
  deletedTools: 1_000,
  /** Tools in one change. */
  toolEdits: 1_000,
  descriptionChars: 4_096,
  icons: 10,
  iconChars: 16_384,
  schemaChars: 65_536,
  schemaDepth: 16,
  subschemas: 1_000,
  schemaEnumItems: 1_000,
  /** Regular expressions of one schema: each, different ones, states of their automata together. */
  patternChars: 256,
  schemaPatterns: 200,
  schemaPatternStates: 10_000,
  /** What one of them remembers of the texts it has met, in states and transitions. */
  patternCells: 4_096,
  templateChars: 8_192,
  templateNameChars: 128,
  templates: 100,
  moduleChars: 524_288,
  moduleHosts: 50,
  moduleSecrets: 20,
  /** What one call may use in its module's isolate, as the platform counts it: news and requests together. */
  moduleCpuMs: 2_000,
  moduleSubrequests: 1_100,
  /** Requests that one call of a module makes. */
  moduleFetches: 50,
  /** Calls that a module's isolate runs at once. */
  moduleCalls: 200,
  /** How long a module may take to load, when it is put into the catalogue. */
  moduleCheckMs: 5_000,
  moduleFaultChars: 500,
  secretNameChars: 64,
  /** Rows of calls that one isolate holds until they are written; what comes on top is counted and dropped. */
  auditBufferRows: 2_000,
  /** As many waiting rows are written at once. */
  auditBatchRows: 200,
  /** Rows of refused calls in a batch: a flood of them must not push out the calls that ran. */
  auditRefusalRows: 100,
  /** How long a row waits for others, unless `AUDIT_FLUSH_MS` says something else. */
  auditFlushMs: 1_000,
  auditFlushMaxMs: 10_000,
  auditSendTimeoutMs: 10_000,
  /** How long an isolate tries to write a batch: much less than the log remembers batches. */
  auditRetryMs: 300_000,
  auditBatchKeptMs: 3_600_000,
  /** Arguments up to this length are hashed with their batch, longer ones at once: an isolate holds no megabytes. */
  auditHeldChars: 2_048,
  auditArgumentsChars: 4_096,
  auditTraceparentChars: 128,
  /** Rows in one text of a batch: SQLite takes 2 MB, and a character has three bytes at most. */
  auditPartChars: 400_000,
  /** Combinations of key, tool and outcome that one batch counts. */
  auditTallies: 2_000,
  auditShards: 8,
  auditShardBytes: 1_073_741_824,
  /** The oldest rows that go at once where a log is full. */
  auditTrimRows: 1_000,
  auditDays: 30,
  auditDaysMax: 3_650,
  /** The time between two rounds of retention, and how many rows one takes away at a time. */
  auditPruneMs: 21_600_000,
  auditPruneRows: 10_000,
  auditPageItems: 100,
  auditPageMaxItems: 500,
  /** Rows that one log looks at for a page, and characters that it answers with. */
  auditScanRows: 20_000,
  auditPageChars: 500_000,
  auditExportRows: 100_000,
  auditCursorChars: 128,
  /** Calls are counted by spans of this length. */
  auditSlotMs: 300_000,
  auditTalliesKeptMs: 90_000_000,
  /** Tallies that one log answers with, and keys and tools that statistics list. */
  statsTallies: 20_000,
  statsItems: 500,
  /** Admin actions that are kept, and for how long. */
  adminLogRows: 10_000,
  adminLogMs: 34_560_000_000,
  adminDetailChars: 2_000,

  /** Messages in one call of a queue, and their characters: 256 KB, three bytes a character. */
  queueBatchItems: 100,
  queueBatchChars: 80_000,

  /** Longer names leave no room for the prefixes that clients put before them. */
  prefixedNameChars: 48,
  /** Definitions in one request to be linted. */
  lintedTools: 1_000,
  /** What is said of one rule and client: so many places of a tool, the rest as a number. */
  lintPlaces: 5,
  /** Characters of a text that are looked at for what is hidden or tells a model what to do. */
  lintTextChars: 65_536,
  /** From here on a tool alone takes a tenth of what makes Claude Code put off loading a list. */
  lintToolTokens: 2_000,
  lintListTokens: 20_000,
  originChars: 64,

  /** An OpenAPI document, minified or not. */
  importBytes: 8 * 1_048_576,
  importMembers: 1_000_000,
  importOperations: 5_000,
  /** Tools of one import, and their records together. */
  importTools: 2_000,
  importRecordChars: 8 * 1_048_576,
  importGlobs: 100,
  importGlobChars: 256,
  /** References that lead to references. */
  importRefHops: 10,
  /** Levels of `allOf` that are looked through for an object's properties. */
  importAllOfDepth: 8,
  /** The description of an argument, or of anything inside one. */
  importTextChars: 1_000,
  argumentNameChars: 64,

  fetchBytes: 1_048_576,
  fetchTimeoutMs: 10_000,
  fetchRedirects: 5,
  /** Servers of this kind that a request may have come through by their tools. */
  hops: 1,

  /** Names and values of the headers that a tool sends, together. */
  fetchHeaderBytes: 8_192,
  fetchUrlChars: 8_192,

  /** What arguments make of the templates of one HTTP tool, before it is sent. */
  httpFilledChars: 1_048_576,
  /** Members of a JSON answer. */
  httpJsonMembers: 100_000,
  httpErrorChars: 500,
  httpReasonChars: 64,
  /** Second and third tries of an idempotent request, and the pause before the second one. */
  httpRetries: 2,
  httpRetryMs: 200,
  /** Answers that one isolate keeps for later calls of the same key: how many, how large, and how long without asking. */
  httpCacheEntries: 100,
  httpCacheEntryBytes: 65_536,
  httpCacheFreshMs: 300_000,
  httpValidatorChars: 256,

  secrets: 200,
  secretMinChars: 8,
  secretChars: 4_096,
  secretsKeyMinChars: 16,
  /** Secrets that one isolate holds in clear, and past which age it asks for them again beside the call. */
  cachedSecrets: 100,
  secretFreshMs: 15_000,

  /** Other MCP servers whose tools are served here, and what one may bring. */
  upstreams: 50,
  upstreamTools: 500,
  upstreamPages: 50,
  upstreamHeaders: 20,
  upstreamHeaderChars: 1_024,
  /** What one answers to a call, with its news, or to a list; an event of a stream may be as long. */
  upstreamBytes: 4 * 1_048_576,
  /** Listing all pages, the handshake included: what runs after an answer has 30 s. */
  upstreamRefreshMs: 20_000,
  upstreamHandshakeMs: 10_000,
  /** How often an upstream's tools are listed again, each time up to this share more or less. */
  upstreamIntervalMs: 300_000,
  upstreamIntervalJitterShare: 0.2,
  /** The least time between two lists that nobody asked for; how often one is applied anew to a newer catalogue. */
  upstreamFloorMs: 10_000,
  upstreamRounds: 4,
  /** Sessions with upstreams that one isolate keeps; those used longest ago go first. */
  upstreamSessions: 100,
  upstreamSessionIdChars: 2_048,
  /** Tools that are not taken and verdicts of lint that an upstream's status lists, and a reason's characters. */
  upstreamNotes: 200,
  upstreamReasonChars: 300,
  calculatorChars: 1_000,
  /** Parentheses inside each other. */
  calculatorDepth: 64,
  timeZones: 10,
  timeZoneChars: 64,
  /** Digits in the largest QR code there is; other text fits less. */
  qrChars: 7_089,
  qrScalePixels: 16,
  qrMarginModules: 10,
  toneDurationMs: 5_000,
  toneFrequencyHz: 10_000,
  pageChars: 200_000,
} as const;
