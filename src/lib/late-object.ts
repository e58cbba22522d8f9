// Classes of Durable Objects whose code is loaded when the first object of a class wakes in an isolate: one that answers
// requests alone never needs it. What the runtime sees is a shell with the same methods, which passes on each call as it is.

import { DurableObject } from "cloudflare:workers";
import type { Env } from "../env.ts";

export type ObjectClass<T> = new (ctx: DurableObjectState, env: Env) => T;

/** Every method that callers and the runtime may call, and no other: the handlers of the platform that a class has too. */
export type MethodsOf<T> = {
  readonly [
    Name in Exclude<keyof T, keyof Rpc.DurableObjectBranded> as object extends Pick<T, Name> ? never : Name
  ]: T[Name] extends (...args: never[]) => unknown ? true : never;
};

type Method = (...args: unknown[]) => unknown;

/**
 * The shell of the class that `load` gives. A call goes to the loaded object in the very turn in which the runtime makes it,
 * so that input gates, order and answers are those of the object itself.
 */
export function lateObject<T extends DurableObject<Env>>(
  load: () => Promise<ObjectClass<T>>,
  methods: MethodsOf<T>,
): ObjectClass<T> {
  let Loaded: ObjectClass<T> | undefined;

  class LateObject extends DurableObject<Env> {
    /** RPC reaches methods of the prototype alone, not what an instance has of its own. */
    loaded: T | undefined;

    constructor(ctx: DurableObjectState, env: Env) {
      super(ctx, env);
      if (Loaded) this.loaded = new Loaded(ctx, env);
      // Nothing is delivered before it is loaded; where it can't be, the runtime resets the object and wakes it anew.
      else void ctx.blockConcurrencyWhile(async () => (this.loaded = new (Loaded ??= await load())(ctx, env)));
    }
  }

  // The runtime looks for handlers on the class: one that the object does not have must not be there.
  for (const name of Object.keys(methods)) {
    const value = function (this: LateObject, ...args: unknown[]): unknown {
      return (this.loaded as unknown as Record<string, Method>)[name]?.(...args);
    };
    Object.defineProperty(LateObject.prototype, name, { value, configurable: true, writable: true });
  }
  return LateObject as unknown as ObjectClass<T>;
}
