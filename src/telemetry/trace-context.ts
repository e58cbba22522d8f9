// W3C Trace Context, level 1: whose trace a request belongs to, and how it goes on from here.

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** A request's place in a trace: its own span, and the one that it is part of. Ids are lower-case hex. */
export interface SpanContext {
  traceId: string;
  spanId: string;
  parentId?: string;
  /** Whether its span is to be exported. */
  isSampled: boolean;
}

interface Parent {
  traceId: string;
  parentId: string;
  isSampled: boolean;
}

/** The trace id of a `traceparent`; `undefined` for one that is not valid. */
export const parseTraceId = (traceparent: string): string | undefined => parseTraceparent(traceparent)?.traceId;

export function parseTraceparent(traceparent: string): Parent | undefined {
  const [, version, traceId, parentId = "", flags = "", more] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (isZero(traceId) || isZero(parentId)) return undefined;
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** A span for a request: part of its client's trace, sampled as that is, or the first of a new one, of which a share is. */
export function openSpan(traceparent: string | undefined, share: number): SpanContext {
  const parent = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  const spanId = randomHex(8);
  return parent ? { ...parent, spanId } : { traceId: randomHex(16), spanId, isSampled: Math.random() < share };
}

/** The `traceparent` of what is done within a span. */
const formatTraceparent = ({ traceId, spanId, isSampled }: SpanContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;

/** The `traceparent` of what is done within a request that has a span, or came with such a header and has none. */
export function continueTrace(span: SpanContext | undefined, traceparent: string | undefined): string | undefined {
  if (span) return formatTraceparent(span);
  return traceparent !== undefined && parseTraceparent(traceparent) ? traceparent : undefined;
}

const isZero = (hex: string): boolean => /^0*$/.test(hex);

const randomHex = (bytes: number): string => crypto.getRandomValues(new Uint8Array(bytes)).toHex();
