// An object whose bindings are others than the Worker's: it reaches what a test wants it to reach.

import { runInDurableObject } from "cloudflare:test";
import type { Env } from "../../src/env.ts";
import { testEnv } from "./counting-env.ts";

/** Gives an object these bindings in place of its own, until it is evicted. */
export const bindObject = (stub: DurableObjectStub, bindings: { [Name in keyof Env]?: unknown }): Promise<void> =>
  runInDurableObject(stub, (object) => {
    const { loaded } = object as unknown as { loaded: object };
    Object.assign(loaded, { env: { ...testEnv, ...bindings } });
  });
