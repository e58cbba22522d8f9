// Spans and metrics as OTLP 1.x writes them in JSON: ids in hex, 64-bit numbers as texts, enums as numbers.
// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding

import { DURATION_BOUNDS_S, type DurationSeries } from "./duration-histograms.ts";
import { errorTypeOf, spanAttributes, spanName, type Attributes, type Operation } from "./operation.ts";

/** Who tells. */
export interface TelemetrySource {
  name: string;
  version: string;
  /** Names this isolate among others. */
  instance: string;
}

/** What was let go since it was told last, by reason. */
export type TelemetryLosses = Record<"full" | "series" | "unsent" | "rejected", number>;

const SERVER_KIND = 2;
const STATUS_ERROR = 2;
const DELTA = 1;

export const encodeTraces = (source: TelemetrySource, operations: readonly Operation[]): object => ({
  resourceSpans: [
    { resource: resourceOf(source), scopeSpans: [{ scope: scopeOf(source), spans: operations.map(encodeSpan) }] },
  ],
});

function encodeSpan(operation: Operation): object {
  const { traceId, spanId, parentId } = operation.span;
  return {
    traceId,
    spanId,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name: spanName(operation),
    kind: SERVER_KIND,
    startTimeUnixNano: toNanoseconds(operation.startedAtMs),
    endTimeUnixNano: toNanoseconds(Math.max(operation.startedAtMs, operation.endedAtMs)),
    attributes: encodeAttributes(spanAttributes(operation)),
    status: errorTypeOf(operation) === undefined ? {} : { code: STATUS_ERROR },
  };
}

/** What was measured from one time to another, and what was lost then. */
export interface Measurements {
  fromMs: number;
  toMs: number;
  durations: readonly DurationSeries[];
  lost: Readonly<TelemetryLosses>;
}

export function encodeMetrics(source: TelemetrySource, { fromMs, toMs, durations, lost }: Measurements): object {
  const span = { startTimeUnixNano: toNanoseconds(fromMs), timeUnixNano: toNanoseconds(toMs) };
  const losses = Object.entries(lost).filter(([, count]) => count > 0);
  const metrics = [
    ...(durations.length === 0 ? [] : [durationMetric(durations.map((series) => encodeSeries(series, span)))]),
    ...(losses.length === 0
      ? []
      : [
          lossMetric(
            losses.map(([reason, count]) => ({
              ...span,
              asInt: String(count),
              attributes: encodeAttributes({ reason }),
            })),
          ),
        ]),
  ];
  return { resourceMetrics: [{ resource: resourceOf(source), scopeMetrics: [{ scope: scopeOf(source), metrics }] }] };
}

const durationMetric = (dataPoints: object[]): object => ({
  name: "mcp.server.operation.duration",
  unit: "s",
  description: "How long it took to answer an MCP request.",
  histogram: { aggregationTemporality: DELTA, dataPoints },
});

const lossMetric = (dataPoints: object[]): object => ({
  name: "toolgate.telemetry.lost",
  unit: "{item}",
  description: "Spans and measurements that were let go.",
  sum: { aggregationTemporality: DELTA, isMonotonic: true, dataPoints },
});

const encodeSeries = ({ attributes, count, sumS, buckets }: DurationSeries, span: object): object => ({
  ...span,
  count: String(count),
  sum: sumS,
  bucketCounts: buckets.map(String),
  explicitBounds: DURATION_BOUNDS_S,
  attributes: encodeAttributes(attributes),
});

const resourceOf = ({ name, version, instance }: TelemetrySource): object => ({
  attributes: encodeAttributes({
    "service.name": name,
    "service.version": version,
    "service.instance.id": instance,
  }),
});

const scopeOf = ({ name, version }: TelemetrySource): object => ({ name, version });

const encodeAttributes = (attributes: Attributes): object[] =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === "string" ? { stringValue: value } : { intValue: String(value) },
  }));

/** Milliseconds since 1970 → nanoseconds, which no number holds exactly. */
const toNanoseconds = (ms: number): string => `${Math.trunc(ms)}000000`;
