// Has upstreams listed when that is due. It shares the one alarm of the registry's object with the publisher, which sets it
// for soon: what is due a little later waits until that has fired.

import { mcpEntrypoint } from "../env.ts";
import { withDeadline } from "../lib/deadline.ts";
import { LIMITS } from "../lib/limits.ts";
import { logFailure } from "../telemetry/log.ts";
import { readPublicationDue } from "./outbox-store.ts";
import { claimDue, readNextDue } from "./upstream-store.ts";

export class UpstreamWatch {
  readonly #ctx: DurableObjectState;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  /** Sets the alarm for what is due next, unless it goes off before that anyhow. */
  arm(): void {
    const { sql } = this.#ctx.storage;
    const dueMs = readNextDue(sql);
    const publicationMs = readPublicationDue(sql);
    if (dueMs === undefined || (publicationMs > 0 && publicationMs <= dueMs)) return;
    void this.#ctx.storage.setAlarm(dueMs);
  }

  /**
   * Has the Worker list what is due. It answers before it has done so: the changes that come of it need this alarm to be
   * heard of.
   */
  async refreshDue(): Promise<void> {
    const names = claimDue(this.#ctx.storage.sql, Date.now());
    await Promise.all(
      names.map(async (name) => {
        try {
          const begun = mcpEntrypoint(this.#ctx).refreshUpstream(name);
          await withDeadline(begun, LIMITS.publishTimeoutMs, "refresh");
        } catch (error) {
          logFailure("upstream_refresh_failed", name, error);
        }
      }),
    );
    this.arm();
  }
}
