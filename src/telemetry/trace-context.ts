// W3C Trace Context, level 1: whose trace a request belongs to.

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/** The trace id of a `traceparent`; `undefined` for one that is not valid. */
export function parseTraceId(traceparent: string): string | undefined {
  const [, version, traceId, parentId, more] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  return isZero(traceId) || isZero(parentId ?? "") ? undefined : traceId;
}

const isZero = (hex: string): boolean => /^0*$/.test(hex);
