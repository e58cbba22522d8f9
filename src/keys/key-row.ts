import type { KeyRow } from "../registry/registry-contract.ts";
import { plainRate, type KeyRecord } from "./key-record.ts";

/** A key as the registry's index lists it. */
export function toKeyRow(record: KeyRecord): KeyRow {
  const { id, name, place, scopes, createdAtMs, expiresAtMs, revokedAtMs, discovery } = record;
  return {
    id,
    name,
    urlKey: place === "url",
    scopes,
    createdAtMs,
    ...(expiresAtMs !== undefined && { expiresAtMs }),
    ...(revokedAtMs !== undefined && { revokedAtMs }),
    ...(discovery && { discovery }),
    limits: limitsOf(record),
  };
}

const limitsOf = ({ calls, perDay, concurrent, streams, toolRates }: KeyRecord) => ({
  ...plainRate(calls),
  ...(perDay !== undefined && { perDay }),
  ...(concurrent !== undefined && { concurrent }),
  ...(streams !== undefined && { streams }),
  ...(toolRates && { tools: mapValues(toolRates, plainRate) }),
});

const mapValues = <A, B>(values: Record<string, A>, map: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
