// What passes between hubs, the registry and the Worker's own entrypoint. Payloads change only by addition.

/** Who is on a socket and what was settled there: all that a frame needs besides itself. */
export interface SocketSession {
  v: 1;
  keyId: string;
  digest: string;
  /** The host that the client connected to, which tools may not fetch from. */
  host: string;
  /** The legacy session, once `initialize` was answered. */
  legacy?: { revision: string; client: { name: string; version: string } };
}

/** What to do with a frame's sender: send `text` if there is any, keep `legacy` if it is new, close if told so. */
export interface FrameAnswer {
  v: 1;
  text?: string;
  legacy?: NonNullable<SocketSession["legacy"]>;
  close?: { code: number; reason: string };
}

export interface McpEntrypointStub {
  answerFrame(frame: string, session: SocketSession): Promise<FrameAnswer>;
}

export interface HubStub {
  fetch(request: Request): Promise<Response>;
  /**
   * Tells every socket that has not heard of it of a catalogue version. `sockets` 0 means that the hub has left the roster
   * at `epoch` and joins again with its next socket.
   */
  publish(version: number, epoch: number): Promise<{ v: 1; sockets: number }>;
}
