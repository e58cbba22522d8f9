import type { Revision } from "./revisions.ts";

/** This server as it introduces itself; the version is the package's. */
export const SERVER = { name: "toolgate", title: "toolgate", version: "0.1.0" } as const;

/** `Implementation` in the words of a revision. */
export const serverInfo = ({ structured }: Revision): { name: string; version: string; title?: string } =>
  structured ? SERVER : { name: SERVER.name, version: SERVER.version };
