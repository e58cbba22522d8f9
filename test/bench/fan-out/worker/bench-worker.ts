// The Worker as it is deployed, which also counts what reaches its objects, and whose limits the run may set.

import { DurableObject, env } from "cloudflare:workers";
import type { Env } from "../../../../src/env.ts";
import * as deployed from "../../../../src/index.ts";
import { LIMITS } from "../../../../src/lib/limits.ts";
import { bareHub } from "./bare-hub.ts";
import { BARE_HUB_PATH, OBSERVED_PATH, type Observed } from "./observed.ts";

// A name that is exported below goes before the same name here.
export * from "../../../../src/index.ts";
export { BareHub } from "./bare-hub.ts";
export { Door, DoorEntrypoint } from "./door.ts";

Object.assign(LIMITS, JSON.parse((env as { BENCH_LIMITS?: string }).BENCH_LIMITS ?? "{}"));

// Objects of one Worker share this isolate, and it outlives their evictions.
const observed: Observed = { hubsAwokeAtMs: [], events: {}, publications: [] };

export class SessionHub extends deployed.SessionHub {
  constructor(ctx: DurableObjectState, bindings: Env) {
    super(ctx, bindings);
    observed.hubsAwokeAtMs.push(Date.now());
  }

  override publish(...told: Parameters<deployed.SessionHub["publish"]>): ReturnType<deployed.SessionHub["publish"]> {
    observed.publications.push({ hub: this.ctx.id.toString(), version: told[0].version, atMs: Date.now() });
    return super.publish(...told);
  }
}

/** Counts every call of a class's methods, inherited ones included. */
function countEvents(name: string, prototype: object): void {
  if (prototype === DurableObject.prototype) return;
  for (const [method, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    const original: unknown = descriptor.value;
    if (method === "constructor" || typeof original !== "function") continue;
    const event = `${name}.${method}`;
    const counting = function (this: object, ...args: unknown[]): unknown {
      observed.events[event] = (observed.events[event] ?? 0) + 1;
      return Reflect.apply(original, this, args);
    };
    Object.defineProperty(prototype, method, { ...descriptor, value: counting });
  }
  countEvents(name, Object.getPrototypeOf(prototype) as object);
}

for (const [name, value] of Object.entries(deployed) as [string, unknown][]) {
  if (typeof value !== "function" || !(value.prototype instanceof DurableObject)) continue;
  countEvents(name, value.prototype);
}

export default {
  fetch(request, bindings, ctx) {
    const { pathname } = new URL(request.url);
    if (pathname === OBSERVED_PATH) return Response.json(observed);
    if (pathname === BARE_HUB_PATH) return bareHub(bindings.BARE_HUB).fetch(request);
    return deployed.default.fetch(request, bindings, ctx);
  },
} satisfies ExportedHandler<Env & { BARE_HUB: DurableObjectNamespace }>;
