// The Worker as it is deployed, with tools for the fault harness, and with calls of its objects that fail by a plan.

import type { DurableObject } from "cloudflare:workers";
import { allParts, composeWorker } from "../../../src/compose.ts";
import type { Env } from "../../../src/env.ts";
import * as deployed from "../../../src/objects.ts";
import { builtinTools } from "../../../src/tools/builtin/catalog.ts";
import { FAULT_PLAN_PATH, type FaultPlan } from "./fault-plan.ts";
import { faultTools } from "./fault-tools.ts";
import { disturb, faultyEnv, setFaultPlan } from "./faulty-calls.ts";

const composed = composeWorker([...builtinTools, ...faultTools], allParts());

type ObjectClass = new (ctx: DurableObjectState, env: Env) => DurableObject<Env>;

/** A class whose objects make faulty calls, and which can be reset as by a fault of the platform's. */
function faulty(Class: ObjectClass) {
  return class extends Class {
    constructor(ctx: DurableObjectState, env: Env) {
      super(ctx, faultyEnv(env));
    }

    resetNow(): void {
      this.ctx.abort("reset by the fault harness");
    }
  };
}

export const ToolRegistry = faulty(composed.ToolRegistry);
export const ApiKey = faulty(deployed.ApiKey);
export const SessionHub = faulty(deployed.SessionHub);
export const CallRelay = faulty(deployed.CallRelay);
export const CatalogueReplica = faulty(deployed.CatalogueReplica);
export const AuditLog = faulty(deployed.AuditLog);

export class McpEntrypoint extends composed.McpEntrypoint {
  constructor(ctx: ExecutionContext, env: Env) {
    super(ctx, faultyEnv(env));
  }

  override answerFrame(...told: Parameters<InstanceType<typeof composed.McpEntrypoint>["answerFrame"]>) {
    return disturb(() => super.answerFrame(...told));
  }
}

export default {
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== FAULT_PLAN_PATH) return composed.app.fetch(request, faultyEnv(env), ctx);
    setFaultPlan(await request.json<FaultPlan>());
    return new Response(null, { status: 204 });
  },
} satisfies ExportedHandler<Env>;
