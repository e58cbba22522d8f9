import { pathOf, type AdminApi } from "./admin-api.ts";

export type Scope = "mcp" | "admin:read" | "admin";

export interface Rate {
  perMinute: number;
  burst: number;
}

export interface KeyLimits extends Rate {
  perDay?: number;
  concurrent?: number;
  streams?: number;
  tools?: Record<string, Rate>;
}

/** A key as the list has it. Times are ISO 8601. */
export interface ListedKey {
  id: string;
  name: string;
  status: "active" | "revoked" | "expired";
  urlKey: boolean;
  scopes: Scope[];
  createdAt: string;
  expiresAt?: string;
  revokedAt?: string;
  discovery?: boolean;
  limits?: KeyLimits;
}

/** All that there is to know of a key. */
export interface KeyView extends ListedKey {
  tools: { allow?: string[]; deny?: string[] };
  /** Only where it has a limit a day. */
  usedToday?: number;
  region?: string;
  /** While an earlier secret still works: until when. */
  previousEndsAt?: string;
}

/** With the key itself, which is told this once. */
export type MintedKey = KeyView & { key: string };

export interface KeyPage {
  keys: ListedKey[];
  nextCursor?: string;
}

export const listKeys = (api: AdminApi, cursor?: string, signal?: AbortSignal): Promise<KeyPage> =>
  api.ask("GET", "/keys", { query: { cursor }, ...(signal && { signal }) });

export const showKey = (api: AdminApi, id: string): Promise<KeyView> => api.ask("GET", pathOf("keys", id));

export const mintKey = (api: AdminApi, body: object): Promise<MintedKey> => api.ask("POST", "/keys", { body });

export const changeKey = (api: AdminApi, id: string, body: object): Promise<KeyView> =>
  api.ask("PATCH", pathOf("keys", id), { body });

export const rotateKey = (api: AdminApi, id: string, overlapSeconds: number): Promise<MintedKey> =>
  api.ask("POST", `${pathOf("keys", id)}/rotate`, { body: { overlapSeconds } });

export const revokeKey = (api: AdminApi, id: string): Promise<{ id: string; status: "revoked" }> =>
  api.ask("DELETE", pathOf("keys", id));
