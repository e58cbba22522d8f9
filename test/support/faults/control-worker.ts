// Evicts and resets objects of the Worker beside it. Runs with its types taken out, and so imports nothing of the project's.

import unsafe from "workerd:unsafe";
import type { Blow } from "./fault-plan.ts";

type Control = DurableObjectStub & { resetNow(): Promise<void> };

export default {
  async fetch(request, env) {
    const { kind, binding, name } = await request.json<Blow>();
    const namespace = env[binding];
    if (!namespace) return new Response(`there is no ${binding}`, { status: 400 });
    const stub = namespace.get(namespace.idFromName(name)) as Control;
    try {
      if (kind === "reset") await stub.resetNow();
      else await unsafe.evict(stub, { webSockets: kind === "evict" ? "hibernate" : "close" });
    } catch {
      // An object that is reset can't answer.
    }
    return new Response(null, { status: 204 });
  },
} satisfies ExportedHandler<Record<string, DurableObjectNamespace>>;
