// Tags under which hubs find the sockets that hold an outdated copy of something of a key's.

/** Sockets that were opened with one secret of a key. */
export const secretTag = (digest: string): string => `secret:${digest}`;

/** Sockets that were opened under the facts before a change. */
export const factsTag = (keyId: string, changes: number): string => `facts:${keyId}:${changes}`;
