// Bounds of tools: what they may be as data, what is made of documents, what they may fetch. A part of `LIMITS`.

export const TOOL_LIMITS = {
  /** Tools that came as data, and their records together. */
  toolRecords: 5_000,
  catalogueChars: 16 * 1_048_576,
  /** Versions that are kept of a tool, and marks of tools that were deleted. */
  toolVersions: 20,
  deletedTools: 1_000,
  /** Characters of definitions that are looked at in one go, before others are let in: some 10 ms of work. */
  turnChars: 65_536,
  /** Tools in one change. */
  toolEdits: 1_000,
  /** A tool's record: its texts, its schemas (serialized), its templates, its module. */
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
  /** What an isolate says of an error, before it is cut: long enough for secrets to be found whole first. */
  moduleErrorChars: 65_536,
  secretNameChars: 64,

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
  /** What an operation and a whole import may take, about a step a member that is looked at, and how many without a break. */
  importOperationSteps: 150_000,
  importSteps: 8_000_000,
  importTurnSteps: 10_000,
  /** What lint has against the tools of one import, told in its answer. */
  importWarnings: 200,
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
  /** A number of fewer is not taken for a secret: it is found where it has nothing to do with one. */
  secretNumberMinChars: 6,
  /** How many times over a secret may be escaped and is still found in what a call gives back. */
  secretEscapeLevels: 2,
  secretsKeyMinChars: 16,
  /** Secrets that one isolate holds in clear, and past which age it asks for them again beside the call. */
  cachedSecrets: 100,
  secretFreshMs: 15_000,

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
  /** What a page may have for it to be read as text: attributes of one tag, elements inside each other. */
  pageTagAttributes: 1_000,
  pageDepth: 10_000,
  /** A longer `style` counts as one that hides: to pad it would else switch off the look at it. */
  pageStyleChars: 65_536,

  /** Other MCP servers whose tools are served here, and what one may bring. */
  upstreams: 50,
  upstreamTools: 500,
  /** Servers of this kind that a tool may have come through before it is served here. */
  upstreamPassed: 4,
  deploymentNameChars: 22,
  upstreamPages: 50,
  upstreamHeaders: 20,
  upstreamHeaderChars: 1_024,
  /** What one answers to a call, with its news, or to a list; an event of a stream may be as long. */
  upstreamBytes: 4 * 1_048_576,
  /** Listing all pages, the handshake included: what runs after an answer has 30 s. */
  upstreamRefreshMs: 20_000,
  upstreamHandshakeMs: 10_000,
  /** Requests of an upstream's own that are answered while it serves a call. */
  upstreamRequests: 20,
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
} as const;
