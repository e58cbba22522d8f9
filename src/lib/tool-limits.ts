// Bounds of tools: what they may be as data, what is made of documents, what they may fetch. A part of `LIMITS`.

export const TOOL_LIMITS = {
  /** Tools that came as data, and their records together. */
  toolRecords: 5_000,
  /** The records of all of them together. */
  catalogueChars: 16 * 1_048_576,
  /** Versions that are kept of a tool, and marks of tools that were deleted. */
  toolVersions: 20,
  /** Marks of deleted tools that are kept. */
  deletedTools: 1_000,
  /** Characters of definitions that are looked at in one go, before others are let in: some 10 ms of work. */
  turnChars: 65_536,
  /** Tools in one change. */
  toolEdits: 1_000,
  /** A tool's record: its texts, its schemas (serialized), its templates, its module. */
  descriptionChars: 4_096,
  /** Icons of a tool. */
  icons: 10,
  /** One icon's URI. */
  iconChars: 16_384,
  /** A schema, serialized. */
  schemaChars: 65_536,
  /** Levels of schemas inside each other. */
  schemaDepth: 16,
  /** Schemas in a schema. */
  subschemas: 1_000,
  /** Values of one `enum`. */
  schemaEnumItems: 1_000,
  /** Regular expressions of one schema: each, different ones, states of their automata together. */
  patternChars: 256,
  /** Different regular expressions of a schema. */
  schemaPatterns: 200,
  /** States of all their automata. */
  schemaPatternStates: 10_000,
  /** What one of them remembers of the texts it has met, in states and transitions. */
  patternCells: 4_096,
  /** A template: a URL, a header, a member of a query. */
  templateChars: 8_192,
  /** The name of a header or of a member of a query. */
  templateNameChars: 128,
  /** Headers of a tool, and members of its query. */
  templates: 100,
  /** A code tool's module. */
  moduleChars: 524_288,
  /** Hosts that it may reach. */
  moduleHosts: 50,
  /** Secrets that it may have. */
  moduleSecrets: 20,
  /** What one call may use in its module's isolate, as the platform counts it: news and requests together. */
  moduleCpuMs: 2_000,
  /** Requests and news of one call together. */
  moduleSubrequests: 1_100,
  /** Requests that one call of a module makes. */
  moduleFetches: 50,
  /** Calls that a module's isolate runs at once. */
  moduleCalls: 200,
  /** How long a module may take to load, when it is put into the catalogue. */
  moduleCheckMs: 5_000,
  /** What is said of a module that does not load. */
  moduleFaultChars: 500,
  /** What an isolate says of an error, before it is cut: long enough for secrets to be found whole first. */
  moduleErrorChars: 65_536,
  /** A secret's name. */
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
  /** From here on a list of tools is what Claude Code puts off loading. */
  lintListTokens: 20_000,
  /** What a record says of who made it. */
  originChars: 64,

  /** An OpenAPI document, minified or not. */
  importBytes: 8 * 1_048_576,
  /** Members and items of a document. */
  importMembers: 1_000_000,
  /** Operations of a document. */
  importOperations: 5_000,
  /** Tools of one import, and their records together. */
  importTools: 2_000,
  /** The records of one import together. */
  importRecordChars: 8 * 1_048_576,
  /** What an operation and a whole import may take, about a step a member that is looked at, and how many without a break. */
  importOperationSteps: 150_000,
  /** Steps of a whole import. */
  importSteps: 8_000_000,
  /** Steps without a break in which others are let in. */
  importTurnSteps: 10_000,
  /** What lint has against the tools of one import, told in its answer. */
  importWarnings: 200,
  /** Globs of one kind that choose operations. */
  importGlobs: 100,
  /** One of them. */
  importGlobChars: 256,
  /** References that lead to references. */
  importRefHops: 10,
  /** Levels of `allOf` that are looked through for an object's properties. */
  importAllOfDepth: 8,
  /** The description of an argument, or of anything inside one. */
  importTextChars: 1_000,
  /** The name of an argument. */
  argumentNameChars: 64,

  /** A body that a tool fetches, unless it asks for another bound. */
  fetchBytes: 1_048_576,
  /** How long a destination may take, unless the tool says something else. */
  fetchTimeoutMs: 10_000,
  /** Redirects of one request. */
  fetchRedirects: 5,
  /** Servers of this kind that a request may have come through by their tools. */
  hops: 1,

  /** Names and values of the headers that a tool sends, together. */
  fetchHeaderBytes: 8_192,
  /** A URL that a tool fetches. */
  fetchUrlChars: 8_192,

  /** What arguments make of the templates of one HTTP tool, before it is sent. */
  httpFilledChars: 1_048_576,
  /** Members of a JSON answer. */
  httpJsonMembers: 100_000,
  /** What an HTTP tool's error says of the body. */
  httpErrorChars: 500,
  /** What it says of the status line's reason. */
  httpReasonChars: 64,
  /** Second and third tries of an idempotent request, and the pause before the second one. */
  httpRetries: 2,
  /** The pause before the second try; the third waits longer. */
  httpRetryMs: 200,
  /** Answers that one isolate keeps for later calls of the same key: how many, how large, and how long without asking. */
  httpCacheEntries: 100,
  /** How large one of them may be. */
  httpCacheEntryBytes: 65_536,
  /** How long one is used without asking, whatever `max-age` says. */
  httpCacheFreshMs: 300_000,
  /** An `ETag` or `Last-Modified` that is kept. */
  httpValidatorChars: 256,

  /** Secrets of a deployment. */
  secrets: 200,
  /** A shorter value is refused: it would be taken out where it has nothing to do with a secret. */
  secretMinChars: 8,
  /** A secret's value. */
  secretChars: 4_096,
  /** A number of fewer is not taken for a secret: it is found where it has nothing to do with one. */
  secretNumberMinChars: 6,
  /** How many times over a secret may be escaped and is still found in what a call gives back. */
  secretEscapeLevels: 2,
  /** The least that `SECRETS_KEY` may have. */
  secretsKeyMinChars: 16,
  /** Secrets that one isolate holds in clear, and past which age it asks for them again beside the call. */
  cachedSecrets: 100,
  /** Past this age it asks for one again beside the call. */
  secretFreshMs: 15_000,

  /** An expression for `calculate`. */
  calculatorChars: 1_000,
  /** Parentheses inside each other. */
  calculatorDepth: 64,
  /** Time zones in one call of `current_time`. */
  timeZones: 10,
  /** The name of one. */
  timeZoneChars: 64,
  /** Digits in the largest QR code there is; other text fits less. */
  qrChars: 7_089,
  /** Pixels of a module's side in a QR code. */
  qrScalePixels: 16,
  /** Modules of the margin around it. */
  qrMarginModules: 10,
  /** How long a tone of `tone` lasts. */
  toneDurationMs: 5_000,
  /** How high it may be. */
  toneFrequencyHz: 10_000,
  /** Text of a page that `fetch_page` gives back. */
  pageChars: 200_000,
  /** What a page may have for it to be read as text: attributes of one tag, elements inside each other. */
  pageTagAttributes: 1_000,
  /** Elements of a page inside each other. */
  pageDepth: 10_000,
  /** A longer `style` counts as one that hides: to pad it would else switch off the look at it. */
  pageStyleChars: 65_536,

  /** Other MCP servers whose tools are served here, and what one may bring. */
  upstreams: 50,
  /** Tools of one upstream. */
  upstreamTools: 500,
  /** Servers of this kind that a tool may have come through before it is served here. */
  upstreamPassed: 4,
  /** The name by which a deployment knows itself when it meets itself as an upstream. */
  deploymentNameChars: 22,
  /** Pages of an upstream's list. */
  upstreamPages: 50,
  /** Headers that are sent to an upstream. */
  upstreamHeaders: 20,
  /** The value of one. */
  upstreamHeaderChars: 1_024,
  /** What one answers to a call, with its news, or to a list; an event of a stream may be as long. */
  upstreamBytes: 4 * 1_048_576,
  /** Listing all pages, the handshake included: what runs after an answer has 30 s. */
  upstreamRefreshMs: 20_000,
  /** How long the handshake with one may take. */
  upstreamHandshakeMs: 10_000,
  /** Requests of an upstream's own that are answered while it serves a call. */
  upstreamRequests: 20,
  /** How often an upstream's tools are listed again, each time up to this share more or less. */
  upstreamIntervalMs: 300_000,
  /** How much more or less of it each time may be. */
  upstreamIntervalJitterShare: 0.2,
  /** The least time between two lists that nobody asked for; how often one is applied anew to a newer catalogue. */
  upstreamFloorMs: 10_000,
  /** How often a list is applied anew to a newer catalogue. */
  upstreamRounds: 4,
  /** Sessions with upstreams that one isolate keeps; those used longest ago go first. */
  upstreamSessions: 100,
  /** The id of a session with one. */
  upstreamSessionIdChars: 2_048,
  /** Tools that are not taken and verdicts of lint that an upstream's status lists, and a reason's characters. */
  upstreamNotes: 200,
  /** The reason that its status gives. */
  upstreamReasonChars: 300,
} as const;
