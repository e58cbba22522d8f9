// What surrounds an operator's module in its isolate: it is sent there as text and runs nowhere else. It keeps order for
// modules that mean well; one that doesn't can break it, for itself alone, so whoever calls it believes nothing it answers.

import { LIMITS } from "../../lib/limits.ts";

/** The module's own name in its isolate, which errors tell with the line. */
export const TOOL_MODULE = "tool.js";
/** What the operator's module imports `ToolError` from. */
const TOOLGATE_MODULE = "toolgate";
const CALL_MODULE = "call.js";
export const MAIN_MODULE = "main.js";

const TOOLGATE = `
  export class ToolError extends Error {
    name = "ToolError";
  }
`;

// Loaded before the operator's module: the global fetch is a call's own, and there is none outside of one.
const CALL = `
  import { AsyncLocalStorage } from "node:async_hooks";
  import { ToolError } from "${TOOLGATE_MODULE}";

  const calls = new AsyncLocalStorage();
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  const BODYLESS = [204, 205, 304];

  globalThis.fetch = async (input, init) => {
    const call = calls.getStore();
    if (!call) throw new Error("fetch: there is no call that it could be for");
    return call.fetch(input, init);
  };
  delete globalThis.caches;

  export function openCall({ secrets, caller }, host) {
    const controller = new AbortController();
    let news = Promise.resolve();
    let count = 0;
    const tell = (op, value) => {
      const text = JSON.stringify(value);
      if (count++ >= ${LIMITS.callNotifications} || text.length > ${LIMITS.notificationChars}) return;
      news = news.then(() => host(op, text)).catch(() => undefined);
    };
    const cut = host("cut", "").then(({ reason }) => {
      const error = new DOMException(reason, "AbortError");
      controller.abort(error);
      throw error;
    });
    cut.catch(() => undefined);
    const context = {
      caller,
      secrets,
      signal: controller.signal,
      fetch: async (input, init) => fetchBy(host, new Request(input, init)),
      progress: (progress, total, message) => tell("progress", [progress, total, message]),
      log: (level, data) => tell("log", [level, data]),
    };
    return {
      run: (tool, args) => Promise.race([calls.run(context, tool, args, context), cut]),
      told: () => Promise.race([news, cut]),
    };
  }

  async function fetchBy(host, request) {
    const { url, method, redirect, signal } = request;
    if (redirect !== "follow") throw new TypeError("fetch: redirects are checked and followed, whatever you say");
    const body = request.body ? utf8.decode(await request.arrayBuffer()) : null;
    signal.throwIfAborted();
    const headers = Object.fromEntries(request.headers);
    const asked = host("fetch", JSON.stringify({ url, method, headers }), body);
    const { response, error } = await Promise.race([asked, aborted(signal)]);
    if (!response) throw error.isToolError ? new ToolError(error.message) : new Error(error.message);
    const { status } = response;
    const answer = new Response(BODYLESS.includes(status) ? null : response.bytes, { status, headers: response.headers });
    return Object.defineProperty(answer, "url", { value: response.url });
  }

  const aborted = (signal) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
`;

const MAIN = `
  import { WorkerEntrypoint } from "cloudflare:workers";
  import { ToolError } from "${TOOLGATE_MODULE}";
  import { openCall } from "./${CALL_MODULE}";

  let running = 0;

  export default class extends WorkerEntrypoint {
    async describe() {
      try {
        const { default: tool } = await import("./${TOOL_MODULE}");
        return { type: typeof tool };
      } catch (error) {
        return { error: describeError(error) };
      }
    }

    async run(text, host) {
      if (running >= ${LIMITS.moduleCalls}) return { busy: true };
      running++;
      try {
        const { args, ...given } = JSON.parse(text);
        return await settle(openCall(given, host), args);
      } finally {
        running--;
      }
    }
  }

  async function settle(call, args) {
    try {
      const { default: tool } = await import("./${TOOL_MODULE}");
      if (typeof tool !== "function") throw new TypeError("the default export is not a function");
      const result = JSON.stringify(await call.run(tool, args)) ?? "null";
      await call.told();
      return result.length > ${LIMITS.resultBytes} ? { tooLarge: true } : { result };
    } catch (error) {
      await call.told().catch(() => undefined);
      return { error: describeError(error) };
    }
  }

  function describeError(error) {
    try {
      const isError = error instanceof Error;
      return {
        isToolError: error instanceof ToolError,
        name: cut(isError ? error.name : typeof error),
        message: cut(isError ? error.message : error),
        at: /${TOOL_MODULE}:\\d{1,9}:\\d{1,9}/.exec(isError ? cut(error.stack) : "")?.[0],
      };
    } catch {
      return { name: "Error", message: "something that can't be shown" };
    }
  }

  const cut = (text) => String(text).slice(0, ${LIMITS.moduleErrorChars});
`;

const MISSING = `
  import { WorkerEntrypoint } from "cloudflare:workers";

  export default class extends WorkerEntrypoint {
    run() {
      return { missing: true };
    }
  }
`;

/** All modules of an isolate but the operator's, by name. */
export const ISOLATE_MODULES: Readonly<Record<string, { js: string }>> = {
  [MAIN_MODULE]: { js: MAIN },
  [CALL_MODULE]: { js: CALL },
  [TOOLGATE_MODULE]: { js: TOOLGATE },
};

/** What stands in for them where the operator's could not be had. */
export const MISSING_MODULES: Readonly<Record<string, { js: string }>> = { [MAIN_MODULE]: { js: MISSING } };
