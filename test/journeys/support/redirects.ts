import { afterAll } from "vitest";

/**
 * The harness sends what a Worker fetches by Node's own fetch, and has forgotten by then whether redirects are to be
 * followed. With this, they are the Worker's to follow for the rest of a test file, as they are everywhere else.
 */
export function leaveRedirectsToWorkers(): void {
  const { fetch } = globalThis;
  globalThis.fetch = (input, init) => {
    // Its headers are of a class of its own.
    const headers = new Headers([...new Headers(init?.headers as never)]);
    if (!headers.has("cf-worker")) return fetch(input, init);
    const { method = "GET", body = null } = init ?? {};
    return fetch(input, { method, headers, body, redirect: "manual", duplex: "half" } as RequestInit);
  };
  afterAll(() => {
    globalThis.fetch = fetch;
  });
}
