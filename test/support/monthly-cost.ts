// What a month costs by Cloudflare's list prices, from what the server is known to do for a call. The table in docs/operations.md is made
// of it.

/** Workers Paid, as of 2026-12-01: developers.cloudflare.com/workers/platform/pricing and …/durable-objects/platform/pricing. */
export const PRICES = {
  plan: 5,
  workerRequests: { included: 10e6, perMillion: 0.3 },
  workerCpuMs: { included: 30e6, perMillion: 0.02 },
  objectRequests: { included: 1e6, perMillion: 0.15 },
  objectGbSeconds: { included: 400e3, perMillion: 12.5 },
  rowsWritten: { included: 50e6, perMillion: 1 },
} as const;

/** Incoming WebSocket messages in one billed request. */
const MESSAGES_PER_REQUEST = 20;
const SECONDS = 30.4 * 86_400;
/** An object is billed for 128 MB while it works: assumed to be 5 ms a request. */
const GB_SECONDS_PER_REQUEST = 0.128 * 0.005;

export interface Month {
  calls: number;
  keys: number;
  /** In which calls arrive all the time, spread evenly. */
  isolates: number;
  cpuMsPerCall: number;
  /** Sessions that listen and say nothing but that they are there, six times an hour. */
  listeners: number;
}

export interface Usage {
  workerRequests: number;
  workerCpuMs: number;
  objectRequests: number;
  objectGbSeconds: number;
  rowsWritten: number;
}

/**
 * Each call is counted, in a row of its own at worst. A batch of calls, one a second and isolate at most, is a request, a block
 * with their rows and a note that it was written, and both of these go again; a lease, one in two seconds for a key and
 * isolate, is a request and a row.
 */
export function usageOf({ calls, keys, isolates, cpuMsPerCall, listeners }: Month): Usage {
  const batches = Math.min(calls, isolates * SECONDS);
  const leases = Math.min(calls, (keys * isolates * SECONDS) / 2);
  const signsOfLife = (listeners * 6 * SECONDS) / 3600 / MESSAGES_PER_REQUEST;
  const objectRequests = batches + leases + signsOfLife;
  return {
    workerRequests: calls,
    workerCpuMs: calls * cpuMsPerCall,
    objectRequests,
    objectGbSeconds: objectRequests * GB_SECONDS_PER_REQUEST,
    rowsWritten: calls + 4 * batches + leases,
  };
}

/** Dollars, the plan included. */
export function costOf(usage: Usage): number {
  const names = Object.keys(usage) as (keyof Usage)[];
  const beyond = names.map((name) => {
    const { included, perMillion } = PRICES[name];
    return (Math.max(0, usage[name] - included) / 1e6) * perMillion;
  });
  return beyond.reduce((sum, dollars) => sum + dollars, PRICES.plan);
}
